//! Keyboard only: Tab, Enter, Space, Escape. The focus is always visible.

use super::{STALE, served, signed_in};
use harness::{app::PASSWORD, chromium::Tab};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: Tab is pressed through six pages"]
async fn sign_in_project_and_rank_check_by_keyboard() {
    let (app, _database) = served().await;
    app.db_owner_with_password(0).await;
    let tab = Tab::open(app.origin()).await;
    tab.go("/sign-in").await;
    // The first field has `autofocus`.
    tab.wait_until(
        "the first field has the focus",
        "document.activeElement?.name === 'email'",
    )
    .await;
    tab.type_text("owner0@example.com").await;
    tab.tab_to("field", "Password").await;
    tab.type_text(PASSWORD).await;
    tab.tab_to("button", "Sign in").await;
    tab.press("Enter").await;
    tab.wait_for_path("/").await;

    // The first Tab stop skips the navigation.
    tab.press("Tab").await;
    assert_eq!(
        tab.focused().await,
        ("link".to_owned(), "Skip to the content".to_owned())
    );
    tab.press("Enter").await;
    assert_eq!(tab.eval("document.activeElement.id").await, "content");
    tab.tab_to("field", "Domain").await;
    tab.type_text("shop.example.com").await;
    tab.tab_to("field", "First keywords").await;
    tab.type_text("running shoes").await;
    tab.press("Enter").await;
    tab.type_text("trail shoes").await;
    tab.tab_to("button", "Create the project").await;
    tab.press("Space").await;
    let project = tab.wait_for_path_prefix("/projects/").await;
    tab.tab_to("button", "Check rankings now").await;
    tab.press("Enter").await;
    tab.wait_for_text("Running now").await;
    tab.wait_until_idle().await;
    tab.tab_to("button", "Stop").await;
    tab.press("Enter").await;
    tab.wait_until(
        "the job has ended and the page is loaded",
        "document.querySelector('[data-job]') === null && document.readyState === 'complete'",
    )
    .await;
    let before_spending = "This measures 2 keywords; it costs at most 0.006 USD. Start?";
    let dialogs = tab.events().dialogs();
    assert_eq!((dialogs.len(), dialogs[0].as_str()), (2, before_spending));

    tab.go(&format!("{project}/keywords?sort=text")).await;
    tab.tab_to("checkbox", "Measure “running shoes” in AI answers")
        .await;
    tab.eval("window.isOld = true").await;
    tab.press("Space").await;
    tab.wait_until("the page comes again", "!window.isOld")
        .await;
    tab.wait_until_idle().await;
    assert_eq!(
        tab.evaluate_on(
            "checkbox",
            "Measure “running shoes” in AI answers",
            "function () { return this.checked; }"
        )
        .await,
        true
    );
    // After the reload the focus is where it was.
    tab.wait_until(
        "the switch has the focus",
        "document.activeElement.matches('[type=checkbox]')",
    )
    .await;
    assert_eq!(
        tab.focused().await.1,
        "Measure “running shoes” in AI answers"
    );
    tab.tab_back_to("link", "Skip to the content").await;
    tab.tab_to("link", "Settings").await;
    tab.press("Enter").await;
    tab.wait_for_path("/settings/account").await;
    tab.tab_to("link", "API tokens").await;
    tab.press("Enter").await;
    tab.wait_for_path("/settings/api-tokens").await;
    tab.tab_to("field", "Name").await;
    tab.type_text("ci").await;
    tab.tab_to("checkbox", "projects:write").await;
    tab.press("Space").await;
    tab.tab_to("button", "Make the token").await;
    tab.press("Enter").await;
    tab.wait_for_text("The token is made.").await;
    tab.wait_until(
        "the token is shown",
        "document.getElementById('token').textContent.length > 20",
    )
    .await;
    tab.tab_to("button", "Sign out").await;
    tab.press("Enter").await;
    tab.wait_for_path("/sign-in").await;
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn menu_opens_closes_and_returns_the_focus() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    tab.set_viewport(360, 740, 1.0).await;
    tab.reload().await;
    assert!(!tab.has("link", "Analyses").await, "the menu is shut");
    tab.tab_to("button", "Menu").await;
    tab.press("Enter").await;
    tab.wait_until(
        "the menu is open",
        "document.querySelector('#menu').matches(':popover-open')",
    )
    .await;
    tab.tab_to("link", "Analyses").await;
    tab.press("Escape").await;
    tab.wait_until(
        "the menu is shut",
        "!document.querySelector('#menu').matches(':popover-open')",
    )
    .await;
    assert_eq!(
        tab.focused().await,
        ("button".to_owned(), "Menu".to_owned())
    );
    tab.press("Space").await;
    tab.tab_to("link", "Analyses").await;
    tab.press("Enter").await;
    tab.wait_for_path("/analyses").await;
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dialog_traps_the_focus() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    app.clock.advance(STALE);
    tab.go("/settings/api-tokens").await;
    tab.fill("Name", "ci").await;
    tab.press("Enter").await;
    tab.wait_for_text("Your password, once more").await;
    tab.expect_error("status of 403").await;
    for key in [
        "Tab",
        "Tab",
        "Tab",
        "Tab",
        "Tab",
        "Shift+Tab",
        "Shift+Tab",
        "Shift+Tab",
        "Shift+Tab",
    ] {
        tab.press(key).await;
        // Outside the dialog only the browser's own controls have the focus, never the page.
        let place = tab.eval("document.activeElement === document.body || document.activeElement.closest('dialog') !== null").await;
        assert_eq!(place, true, "{:?}", tab.focused().await);
    }
    tab.tab_to("button", "Cancel").await;
    tab.press("Enter").await;
    tab.wait_until(
        "the dialog is gone",
        "document.querySelector('dialog') === null",
    )
    .await;
    let (_, focused) = tab.focused().await;
    assert!(focused.starts_with("Name"), "{focused}");
    tab.close().await;
}
