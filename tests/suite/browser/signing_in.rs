//! Signing in, and confirming the password again.

use super::{STALE, served, sign_in, signed_in};
use harness::{app::PASSWORD, chromium::Tab};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_told_and_a_right_one_opens() {
    let (app, _database) = served().await;
    app.db_owner_with_password(0).await;
    let tab = Tab::open(app.origin()).await;
    sign_in(&tab, "owner0@example.com", "another walrus").await;
    tab.until(
        "it is told",
        "document.querySelector('[role=alert]')?.textContent.length > 10",
    )
    .await;
    tab.expect_trouble("status of 401").await;
    let told = tab
        .eval("document.querySelector('[role=alert]').textContent")
        .await;
    sign_in(&tab, "nobody@example.com", "another walrus").await;
    tab.until(
        "it is told",
        "document.querySelector('[role=alert]')?.textContent.length > 10",
    )
    .await;
    tab.expect_trouble("status of 401").await;
    assert_eq!(
        tab.eval("document.querySelector('[role=alert]').textContent")
            .await,
        told
    );
    tab.fill("E-mail", "owner0@example.com").await;
    tab.fill("Password", PASSWORD).await;
    tab.press("Enter").await;
    tab.at("/").await;
    tab.end().await;
}

/// A form submitted before its script is loaded must not put the password into the URL.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_scripts_no_password_gets_into_an_address() {
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
        tab.order("Emulation.setScriptExecutionDisabled", off.clone())
            .await;
        tab.go(page).await;
        for (field, text) in fields {
            tab.fill(field, text).await;
        }
        tab.click("button", button).await;
        tab.wait("the form is sent as it is", || async {
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
        tab.expect_trouble("status of 405").await;
    }
    member.end().await;
    stranger.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_password_is_asked_again_before_a_token_is_made() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    app.clock.advance(STALE);
    tab.go("/settings/api-tokens").await;
    tab.fill("Name", "ci").await;
    tab.click("button", "Make the token").await;
    tab.sees("Your password, once more").await;
    tab.expect_trouble("status of 403").await;
    assert_eq!(
        tab.focused().await,
        ("textbox".to_owned(), "Password".to_owned())
    );
    // Canceled: no token was created, and the focus returns.
    tab.press("Escape").await;
    tab.until(
        "the dialog is gone",
        "document.querySelector('dialog') === null",
    )
    .await;
    assert_eq!(tab.focused().await.1, "Make the token");

    tab.click("button", "Make the token").await;
    tab.sees("Your password, once more").await;
    tab.expect_trouble("status of 403").await;
    tab.fill("Password", "another walrus").await;
    tab.press("Enter").await;
    tab.until(
        "it is refused",
        "document.querySelector('dialog [role=alert]').textContent.length > 0",
    )
    .await;
    tab.expect_trouble("status of 422").await;
    tab.fill("Password", PASSWORD).await;
    tab.press("Enter").await;
    tab.sees("The token is made.").await;
    tab.until(
        "the token is shown",
        "document.getElementById('token').textContent.length > 20",
    )
    .await;
    assert_eq!(
        tab.eval("document.querySelector('dialog') === null").await,
        true
    );

    // For ten minutes the password is not asked again.
    tab.reload().await;
    tab.fill("Name", "another").await;
    tab.click("button", "Make the token").await;
    tab.sees("The token is made.").await;
    tab.until(
        "the token is shown",
        "document.getElementById('token').textContent.length > 20",
    )
    .await;
    tab.end().await;
}

/// After signing out in one window, another window reports it and keeps its input.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: signs out and in again in a second window"]
async fn a_session_that_ended_elsewhere_loses_nothing_that_was_typed() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    tab.fill("Domain", "shop.example.com").await;
    let other = tab.beside().await;
    other.go("/").await;
    other.click("button", "Sign out").await;
    other.at("/sign-in").await;
    tab.click("button", "Create the project").await;
    tab.sees("You are signed out.").await;
    tab.expect_trouble("status of 401").await;
    sign_in(&other, "owner0@example.com", PASSWORD).await;
    other.at("/").await;
    tab.heard().forgive("status of 401");
    tab.click("button", "Create the project").await;
    tab.under("/projects/").await;
    tab.heard().forgive("status of 401");
    tab.heard().forgive("status of 403");
    other.end().await;
    tab.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: two signed-in browsers"]
async fn the_password_is_asked_again_before_another_session_is_ended() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let elsewhere = Tab::open(app.origin()).await;
    sign_in(&elsewhere, "owner0@example.com", PASSWORD).await;
    elsewhere.at("/").await;
    app.clock.advance(STALE);
    tab.go("/settings/account").await;
    tab.click("button", "End it").await;
    tab.sees("Your password, once more").await;
    tab.expect_trouble("status of 403").await;
    elsewhere.go("/settings/account").await;
    elsewhere.at("/settings/account").await;
    tab.fill("Password", PASSWORD).await;
    tab.press("Enter").await;
    tab.until(
        "it is not listed any more",
        "![...document.querySelectorAll('button')].some((it) => it.textContent === 'End it')",
    )
    .await;
    elsewhere.go("/settings/account").await;
    elsewhere.at("/sign-in").await;
    elsewhere.end().await;
    tab.at("/settings/account").await;
    tab.end().await;
}
