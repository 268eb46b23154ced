//! Members: invitation, acceptance, roles and switching between accounts.

use super::{accessibility, served, signed_in};
use harness::{
    app::{PASSWORD, TestApp},
    chromium::Tab,
};

/// Makes an invitation on the page of members; returns its link.
async fn invited(tab: &Tab, email: &str, role: &str) -> String {
    tab.go("/settings/members").await;
    tab.fill("E-mail", email).await;
    tab.choose("Role", role).await;
    tab.click("button", "Make an invitation").await;
    tab.wait_for_text("Copy the link now").await;
    let link = tab.eval("document.getElementById('invitation-link').textContent");
    link.await.as_str().unwrap().to_owned()
}

/// Path and secret of a link, as the address bar has it.
fn path_of(link: &str) -> &str {
    link.split_once("/invitation")
        .map_or(link, |(base, _)| &link[base.len()..])
}

async fn open_invitation(app: &TestApp, link: &str) -> Tab {
    let tab = Tab::open(app.origin()).await;
    tab.go(path_of(link)).await;
    tab.wait_until(
        "the form is shown",
        "document.getElementById('join')?.hidden === false",
    )
    .await;
    tab
}

async fn accept_as(app: &TestApp, link: &str, name: &str) -> Tab {
    let tab = open_invitation(app, link).await;
    tab.fill("Your name", name).await;
    tab.fill("Password", PASSWORD).await;
    tab.click("button", "Accept the invitation").await;
    tab.wait_for_path("/").await;
    tab
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_is_made_and_accepted_by_keyboard() {
    let (app, _database) = served().await;
    let owner = signed_in(&app).await;
    owner.go("/settings/members").await;
    owner.tab_to("field", "E-mail").await;
    owner.type_text("bea@example.com").await;
    owner.tab_to("button", "Make an invitation").await;
    owner.press("Enter").await;
    owner.wait_for_text("Copy the link now").await;
    let link = owner.eval("document.getElementById('invitation-link').textContent");
    let link = link.await.as_str().unwrap().to_owned();

    let bea = open_invitation(&app, &link).await;
    bea.set_viewport(390, 844, 1.0).await;
    let address = bea.eval("location.hash").await;
    assert_eq!(address, "", "the secret does not stay in the address bar");
    let offer = bea
        .eval("document.getElementById('offer').textContent")
        .await;
    assert_eq!(
        offer,
        "Account 0 invites bea@example.com to Account 0, as editor."
    );
    bea.tab_to("field", "Your name").await;
    bea.type_text("Bea").await;
    bea.tab_to("field", "Password").await;
    bea.type_text(PASSWORD).await;
    bea.tab_to("button", "Accept the invitation").await;
    bea.press("Enter").await;
    bea.wait_for_path("/").await;
    bea.wait_for_text("Create a project").await;

    owner.go("/settings/members").await;
    owner.wait_for_text("bea@example.com").await;
    assert!(!owner.text().await.contains("Open invitations"));
    bea.close().await;
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_members_are_accessible_and_fit() {
    let (app, _database) = served().await;
    let owner = signed_in(&app).await;
    let mut faults = Vec::new();
    let link = invited(&owner, "bea@example.com", "Viewer").await;
    accessibility::check_page(&owner, "a new invitation", &mut faults).await;
    let bea = open_invitation(&app, &link).await;
    accessibility::check_page(&bea, "the invitation", &mut faults).await;
    bea.fill("Your name", "Bea").await;
    bea.fill("Password", PASSWORD).await;
    bea.click("button", "Accept the invitation").await;
    bea.wait_for_path("/").await;
    for path in ["/accounts", "/settings/members", "/settings/account", "/"] {
        bea.go(path).await;
        accessibility::check_page(&bea, &format!("{path} of a viewer"), &mut faults).await;
    }
    owner.go("/settings/members").await;
    owner.click("link", "Change Bea").await;
    owner.wait_for_text("Remove and revoke tokens").await;
    accessibility::check_page(&owner, "members", &mut faults).await;
    bea.go("/settings/api-tokens").await;
    accessibility::check_page(&bea, "a refused page", &mut faults).await;
    bea.wait_for_text("Your role does not allow this").await;
    bea.expect_error("status of 403").await;
    accessibility::assert_no_violations(&faults);
    bea.close().await;
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_sees_the_granted_project_alone() {
    let (app, _database) = served().await;
    let owner = signed_in(&app).await;
    for domain in ["granted.example.com", "other.example.com"] {
        owner.go("/").await;
        owner.click("link", "Create a project").await;
        owner.fill("Domain", domain).await;
        owner.click("button", "Create the project").await;
        owner.wait_for_path_prefix("/projects/").await;
    }
    owner.go("/settings/members").await;
    owner.fill("E-mail", "client@example.com").await;
    owner.choose("Role", "Client").await;
    owner
        .click("checkbox", "granted.example.com granted.example.com")
        .await;
    owner.click("button", "Make an invitation").await;
    owner.wait_for_text("Copy the link now").await;
    let link = owner.eval("document.getElementById('invitation-link').textContent");
    let client = accept_as(&app, link.await.as_str().unwrap(), "Carl").await;
    client.wait_for_text("granted.example.com").await;
    let text = client.text().await;
    assert!(!text.contains("other.example.com"), "{text}");
    for hidden in ["Create a project", "Keyword research", "Analyses"] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    client.click("link", "granted.example.com").await;
    client.wait_for_path_prefix("/projects/").await;
    let text = client.text().await;
    for hidden in [
        "Audit the site",
        "Suggestions",
        "Project settings",
        "Content plans",
    ] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    client.close().await;
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_switches_between_accounts() {
    let (app, _database) = served().await;
    let owner = signed_in(&app).await;
    let link = invited(&owner, "owner1@example.com", "Admin").await;
    app.db_owner_with_password(1).await;
    let person = Tab::open(app.origin()).await;
    super::sign_in(&person, "owner1@example.com", PASSWORD).await;
    person.wait_for_path("/").await;
    person.go(path_of(&link)).await;
    person
        .wait_until(
            "the form is shown",
            "document.getElementById('join')?.hidden === false",
        )
        .await;
    person.click("button", "Join the account").await;
    person.wait_for_path("/").await;
    person.wait_for_text("Account 0 · admin").await;

    // A second tab goes back; the first one still shows the joined account.
    let second = person.new_tab().await;
    second.go("/accounts").await;
    second.click("button", "Switch to Account 1").await;
    second.wait_for_path("/").await;
    second.wait_for_text("Account 1 · owner").await;
    person.click("link", "Create a project").await;
    person.fill("Domain", "shop.example.com").await;
    person.click("button", "Create the project").await;
    person
        .wait_for_text("The page belongs to another account")
        .await;
    person.expect_error("status of 409").await;
    second.go("/").await;
    assert!(!second.text().await.contains("shop.example.com"));
    second.close().await;
    person.close().await;
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_gets_another_role_and_is_removed() {
    let (app, _database) = served().await;
    let owner = signed_in(&app).await;
    let link = invited(&owner, "bea@example.com", "Viewer").await;
    let bea = accept_as(&app, &link, "Bea").await;
    owner.go("/settings/members").await;
    owner.click("link", "Change Bea").await;
    owner.choose("Role", "Editor").await;
    owner.click("button", "Save").await;
    owner.wait_for_path("/settings/members").await;
    bea.go("/").await;
    bea.wait_for_text("Create a project").await;
    owner.click("link", "Change Bea").await;
    owner.wait_for_text("Remove and revoke tokens").await;
    owner.click("button", "Remove").await;
    owner.wait_for_path("/settings/members").await;
    owner
        .wait_until(
            "the member is gone",
            "!document.body.textContent.includes('bea@example.com')",
        )
        .await;
    bea.go("/").await;
    bea.wait_for_path("/sign-in").await;
    bea.close().await;
    owner.close().await;
}
