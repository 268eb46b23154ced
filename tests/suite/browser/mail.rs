//! Mail: what people do by the links of messages, and the page of an account's messages.

use super::{accessibility, sign_in, signed_in};
use chrono::TimeDelta;
use domain::link::LinkKind;
use harness::{
    app::TestApp,
    chromium::Tab,
    databases::TestDatabase,
    letters::{secret, with_mail},
};
use storage::DatabaseKind;

const OWNER: &str = "owner0@example.com";
const NEW: &str = "vierzehn nasse Otter 9";

/// As `served`, with mail.
async fn served() -> (TestApp, TestDatabase) {
    let database = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let change = |it: &mut harness::app::Settings| it.policies = with_mail(it.policies.clone());
    let app = TestApp::for_browsers(&database, change).await;
    (app, database)
}

/// Opens a link of a message: its page, with the secret behind the `#`.
async fn open_link(app: &TestApp, kind: LinkKind, secret: &str) -> Tab {
    let tab = Tab::open(app.origin()).await;
    tab.go(&format!("{}#{secret}", kind.path())).await;
    let address = tab.eval("location.hash").await;
    assert_eq!(address, "", "the secret does not stay in the address bar");
    tab
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forgotten_password_is_reset_by_keyboard() {
    let (app, _database) = served().await;
    app.db_owner_with_password(0).await;
    let mut faults = Vec::new();
    let tab = Tab::open(app.origin()).await;
    tab.set_viewport(390, 844, 1.0).await;
    tab.go("/sign-in").await;
    tab.tab_to("link", "Forgot your password?").await;
    tab.press("Enter").await;
    tab.wait_for_path("/forgot-password").await;
    accessibility::check_page(&tab, "a forgotten password", &mut faults).await;
    tab.tab_to("field", "E-mail").await;
    tab.type_text(OWNER).await;
    tab.tab_to("button", "Send the link").await;
    tab.press("Enter").await;
    tab.wait_for_text("the link is on its way").await;
    accessibility::check_page(&tab, "a requested link", &mut faults).await;

    let mut letters = app.next_delivered().await;
    letters.retain(|it| it.delivery.message.purpose().link() == Some(LinkKind::PasswordReset));
    let link = secret(&letters, LinkKind::PasswordReset);
    let reset = open_link(&app, LinkKind::PasswordReset, &link).await;
    reset.set_viewport(390, 844, 1.0).await;
    accessibility::check_page(&reset, "a new password", &mut faults).await;
    reset.tab_to("field", "New password").await;
    reset.type_text(NEW).await;
    reset.tab_to("button", "Set the password").await;
    reset.press("Enter").await;
    reset.wait_for_path("/sign-in").await;
    sign_in(&reset, OWNER, NEW).await;
    reset.wait_for_path("/").await;

    let again = open_link(&app, LinkKind::PasswordReset, &link).await;
    again.fill("New password", NEW).await;
    again.click("button", "Set the password").await;
    again.wait_for_text("This link does not work.").await;
    again.expect_error("status of 404").await;
    accessibility::check_page(&again, "a used link", &mut faults).await;
    accessibility::assert_no_violations(&faults);
    for tab in [again, reset, tab] {
        tab.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_is_changed_and_the_change_undone() {
    let (app, _database) = served().await;
    let owner = signed_in(&app).await;
    app.delivered().await;
    let mut faults = Vec::new();
    owner.go("/settings/account").await;
    owner.fill("E-mail", "new@example.com").await;
    owner.click("button", "Save").await;
    owner.wait_for_text("was sent to new@example.com").await;
    accessibility::check_page(&owner, "a requested address", &mut faults).await;
    let letters = app.delivered().await;
    let confirm = secret(&letters, LinkKind::AddressConfirmation);
    let page = open_link(&app, LinkKind::AddressConfirmation, &confirm).await;
    accessibility::check_page(&page, "an address to confirm", &mut faults).await;
    page.click("button", "Confirm the address").await;
    page.wait_for_text("You sign in with new@example.com").await;
    app.clock.advance(TimeDelta::seconds(1));
    let letters = app.delivered().await;
    let cancel = secret(&letters, LinkKind::AddressCancellation);
    let undo = open_link(&app, LinkKind::AddressCancellation, &cancel).await;
    accessibility::check_page(&undo, "a change to undo", &mut faults).await;
    undo.click("button", "Keep the address").await;
    undo.wait_for_text(&format!("You sign in with {OWNER}"))
        .await;
    accessibility::check_page(&undo, "an undone change", &mut faults).await;
    accessibility::assert_no_violations(&faults);
    owner.go("/settings/account").await;
    owner.wait_for_path("/sign-in").await;
    for tab in [undo, page, owner] {
        tab.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_strange_sign_in_is_ended_by_its_link() {
    let (app, _database) = served().await;
    let stranger = signed_in(&app).await;
    let letters = app.delivered().await;
    let link = secret(&letters, LinkKind::NotMe);
    let mut faults = Vec::new();
    let page = open_link(&app, LinkKind::NotMe, &link).await;
    accessibility::check_page(&page, "a strange sign-in", &mut faults).await;
    page.click("button", "End all sessions").await;
    page.wait_for_text("All sessions have ended.").await;
    accessibility::assert_no_violations(&faults);
    stranger.go("/").await;
    stranger.wait_for_path("/sign-in").await;
    page.close().await;
    stranger.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_are_listed_and_stopped() {
    let (app, _database) = served().await;
    let owner = signed_in(&app).await;
    let mut faults = Vec::new();
    owner.go("/settings/mail").await;
    owner.wait_for_text("No messages yet").await;
    accessibility::check_page(&owner, "no messages", &mut faults).await;
    for name in ["bea", "carl"] {
        owner.go("/settings/members").await;
        owner.fill("E-mail", &format!("{name}@example.com")).await;
        owner.click("button", "Make an invitation").await;
        owner.wait_for_text("is on its way").await;
        app.clock.advance(TimeDelta::seconds(1));
    }
    let letters = app.delivered().await;
    let of_bea = letters
        .iter()
        .find(|it| it.delivery.recipient.as_str() == "bea@example.com");
    let stop = of_bea.unwrap().stop.clone().unwrap();
    let (_, text) = stop.page.split_once('#').unwrap();
    let page = Tab::open(app.origin()).await;
    page.go(&format!("/unsubscribe#{text}")).await;
    accessibility::check_page(&page, "messages to stop", &mut faults).await;
    page.click("button", "Stop these messages").await;
    page.wait_for_text("You get no further message of this kind.")
        .await;
    owner.go("/settings/mail").await;
    owner.wait_for_text("Addresses that get no mail").await;
    accessibility::check_page(&owner, "messages", &mut faults).await;
    owner.click("button", "Allow again").await;
    owner
        .wait_until(
            "it is gone",
            "!document.body.innerText.includes('Allow again')",
        )
        .await;
    owner.go("/settings/members").await;
    owner.wait_for_text("Send again").await;
    accessibility::check_page(&owner, "mailed invitations", &mut faults).await;
    accessibility::assert_no_violations(&faults);
    page.close().await;
    owner.close().await;
}
