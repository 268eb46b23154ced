//! Signing in, and confirming the password again.

use super::{STALE, served, sign_in, signed_in};
use harness::{app::PASSWORD, chromium::Tab};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_password_is_refused_and_right_one_signs_in() {
    let (app, _database) = served().await;
    app.db_owner_with_password(0).await;
    let tab = Tab::open(app.origin()).await;
    sign_in(&tab, "owner0@example.com", "another walrus").await;
    tab.wait_until(
        "the message is shown",
        "document.querySelector('[role=alert]')?.textContent.length > 10",
    )
    .await;
    tab.expect_error("status of 401").await;
    let message = tab
        .eval("document.querySelector('[role=alert]').textContent")
        .await;
    sign_in(&tab, "nobody@example.com", "another walrus").await;
    tab.wait_until(
        "the message is shown",
        "document.querySelector('[role=alert]')?.textContent.length > 10",
    )
    .await;
    tab.expect_error("status of 401").await;
    assert_eq!(
        tab.eval("document.querySelector('[role=alert]').textContent")
            .await,
        message
    );
    tab.fill("E-mail", "owner0@example.com").await;
    tab.fill("Password", PASSWORD).await;
    tab.press("Enter").await;
    tab.wait_for_path("/").await;
    tab.close().await;
}

/// A form submitted before its script is loaded must not put the password into the URL.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_scripts_no_password_gets_into_a_url() {
    let (app, _database) = served().await;
    app.db_owner_with_password(0).await;
    let member = signed_in(&app).await;
    let stranger = Tab::open(app.origin()).await;
    let off = serde_json::json!({ "value": true });
    for (tab, page, fields, button) in [
        (
            &stranger,
            "/sign-in",
            vec![("E-mail", "owner0@example.com"), ("Password", PASSWORD)],
            "Sign in",
        ),
        (
            &member,
            "/settings/account",
            vec![("Now", PASSWORD), ("New", "fourteen damp otters")],
            "Change the password",
        ),
    ] {
        tab.command("Emulation.setScriptExecutionDisabled", off.clone())
            .await;
        tab.go(page).await;
        for (field, text) in fields {
            tab.fill(field, text).await;
        }
        tab.click("button", button).await;
        tab.wait_for("the form is sent without the script", || async {
            let sent = tab.requests().into_iter().rev();
            let mut documents = sent.filter(|it| it.kind == "Document" && it.method == "POST");
            documents.next()
        })
        .await;
        let leaked = tab
            .requests()
            .into_iter()
            .find(|it| it.url.contains("walrus"));
        assert!(leaked.is_none(), "{leaked:?}");
        tab.expect_error("status of 405").await;
    }
    member.close().await;
    stranger.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creating_a_token_requires_the_password_again() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    app.clock.advance(STALE);
    tab.go("/settings/api-tokens").await;
    tab.fill("Name", "ci").await;
    tab.click("button", "Make the token").await;
    tab.wait_for_text("Your password, once more").await;
    tab.expect_error("status of 403").await;
    assert_eq!(
        tab.focused().await,
        ("textbox".to_owned(), "Password".to_owned())
    );
    // Canceled: no token was created, and the focus returns.
    tab.press("Escape").await;
    tab.wait_until(
        "the dialog is gone",
        "document.querySelector('dialog') === null",
    )
    .await;
    assert_eq!(tab.focused().await.1, "Make the token");

    tab.click("button", "Make the token").await;
    tab.wait_for_text("Your password, once more").await;
    tab.expect_error("status of 403").await;
    tab.fill("Password", "another walrus").await;
    tab.press("Enter").await;
    tab.wait_until(
        "it is refused",
        "document.querySelector('dialog [role=alert]').textContent.length > 0",
    )
    .await;
    tab.expect_error("status of 422").await;
    tab.fill("Password", PASSWORD).await;
    tab.press("Enter").await;
    tab.wait_for_text("The token is made.").await;
    tab.wait_until(
        "the token is shown",
        "document.getElementById('token').textContent.length > 20",
    )
    .await;
    assert_eq!(
        tab.eval("document.querySelector('dialog') === null").await,
        true
    );

    // For ten minutes the password is not requested again.
    tab.reload().await;
    tab.fill("Name", "another").await;
    tab.click("button", "Make the token").await;
    tab.wait_for_text("The token is made.").await;
    tab.wait_until(
        "the token is shown",
        "document.getElementById('token').textContent.length > 20",
    )
    .await;
    tab.close().await;
}

/// After signing out in one window, another window reports it and keeps its input.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: signs out and in again in a second window"]
async fn input_is_kept_when_the_session_ends_elsewhere() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    tab.fill("Domain", "shop.example.com").await;
    let other = tab.new_tab().await;
    other.go("/").await;
    other.click("button", "Sign out").await;
    other.wait_for_path("/sign-in").await;
    tab.click("button", "Create the project").await;
    tab.wait_for_text("You are signed out.").await;
    tab.expect_error("status of 401").await;
    sign_in(&other, "owner0@example.com", PASSWORD).await;
    other.wait_for_path("/").await;
    tab.events().take_error("status of 401");
    tab.click("button", "Create the project").await;
    tab.wait_for_path_prefix("/projects/").await;
    tab.events().take_error("status of 401");
    tab.events().take_error("status of 403");
    other.close().await;
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: two signed-in browsers"]
async fn ending_another_session_requires_the_password_again() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let elsewhere = Tab::open(app.origin()).await;
    sign_in(&elsewhere, "owner0@example.com", PASSWORD).await;
    elsewhere.wait_for_path("/").await;
    app.clock.advance(STALE);
    tab.go("/settings/account").await;
    tab.click("button", "End it").await;
    tab.wait_for_text("Your password, once more").await;
    tab.expect_error("status of 403").await;
    elsewhere.go("/settings/account").await;
    elsewhere.wait_for_path("/settings/account").await;
    tab.fill("Password", PASSWORD).await;
    tab.press("Enter").await;
    tab.wait_until(
        "it is not listed any more",
        "![...document.querySelectorAll('button')].some((it) => it.textContent === 'End it')",
    )
    .await;
    elsewhere.go("/settings/account").await;
    elsewhere.wait_for_path("/sign-in").await;
    elsewhere.close().await;
    tab.wait_for_path("/settings/account").await;
    tab.close().await;
}
