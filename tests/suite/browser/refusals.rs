//! Validation errors are shown beside their field, which has the focus; filtered lists say when nothing matches. Both
//! pass axe-core and reflow at 400 % zoom.

use super::{
    accessibility::{assert_no_violations, check_part},
    dialogs::project,
    served, signed_in,
};
use harness::chromium::Tab;

/// Submits the form, and waits for the error.
async fn refuse(tab: &Tab, form: &str, button: &str, faults: &mut Vec<String>) {
    tab.click_in(form, "button", button).await;
    tab.wait_until(
        "the error is shown",
        &format!("document.querySelector('{form} [data-outcome][role=alert]') !== null"),
    )
    .await;
    tab.expect_error("status of 422").await;
    check_part(tab, form, &format!("{form} refused"), faults).await;
}

/// The first invalid field has the focus, and its description is the error.
async fn beside_its_field(tab: &Tab, name: &str) {
    let described_field = "document.activeElement.getAttribute('aria-invalid') === 'true' && document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent.length > 3 && document.activeElement.name";
    assert_eq!(tab.eval(described_field).await, name);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn validation_error_is_shown_beside_its_field() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = project(&tab).await;
    tab.go(&format!("{project}/keywords#add")).await;
    tab.fill("Keywords", "laces").await;
    tab.fill("Country", "zz").await;
    tab.click_in("#add form", "button", "Add them").await;
    tab.wait_for_text("No country is called “zz”.").await;
    beside_its_field(&tab, "market.country").await;
    let mut faults = Vec::new();
    check_part(&tab, "#add form", "a country refused", &mut faults).await;
    tab.close().await;
    assert_no_violations(&faults);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: axe-core in six states"]
async fn every_form_shows_its_validation_errors() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = project(&tab).await;
    let mut faults = Vec::new();
    tab.go(&format!("{project}/settings")).await;
    tab.fill("Recipients", "nobody").await;
    let form = "form:has([name=reportRecipients])";
    refuse(&tab, form, "Save", &mut faults).await;
    beside_its_field(&tab, "reportRecipients").await;
    tab.fill("Or its text", "nothing of the kind").await;
    refuse(&tab, "form:has([name=content])", "Import", &mut faults).await;

    tab.go("/settings/account").await;
    tab.fill("Now", "another walrus").await;
    tab.fill("New", "password1234").await;
    let form = "form:has([name=newPassword])";
    refuse(&tab, form, "Change the password", &mut faults).await;

    tab.go("/settings/api-tokens").await;
    tab.fill("Name", "ci").await;
    tab.eval("document.querySelectorAll('[name=scopes]').forEach((it) => { it.checked = false; })")
        .await;
    let form = "form:has([name=scopes])";
    refuse(&tab, form, "Make the token", &mut faults).await;

    tab.go(&format!("{project}/keywords?search=zzz")).await;
    tab.wait_for_text("Nothing fits").await;
    check_part(&tab, "main", "no keyword fits", &mut faults).await;
    tab.go(&format!("{project}/keywords?search=shoes&sort=-text"))
        .await;
    tab.click("button", "Measure in AI answers").await;
    tab.wait_for_text("Choose rows first").await;
    check_part(&tab, "main", "keywords filtered", &mut faults).await;
    tab.close().await;
    assert_no_violations(&faults);
}
