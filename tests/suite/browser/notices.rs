//! Outcomes are shown where people look: errors of buttons, opened forms, refused lines.

use super::{
    accessibility::{assert_no_violations, check_part},
    dialogs::{focus_is, project},
    served, sign_in, signed_in,
};
use harness::{app::PASSWORD, chromium::Tab};
use serde_json::json;

/// Waits for a notice with this text, fully inside the window.
async fn notice(tab: &Tab, text: &str) {
    let shown = format!(
        "(() => {{ const it = document.querySelector('.notice[role=alert]'); if (!it?.textContent.includes({text:?})) return false; \
         const at = it.getBoundingClientRect(); return at.width > 100 && at.top >= 0 && at.left >= 0 && at.bottom <= innerHeight && at.right <= innerWidth; }})()"
    );
    tab.wait_until(&format!("“{text}” is shown"), &shown).await;
}

/// By keyboard, so that the notice is the next Tab stop.
async fn press(tab: &Tab, button: &str) {
    tab.tab_to("button", button).await;
    tab.press("Enter").await;
}

async fn offline(tab: &Tab, offline: bool) {
    let conditions = json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    tab.command("Network.emulateNetworkConditions", conditions)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: Tab is pressed to a button again and again, and axe-core"]
async fn failed_button_shows_reason_and_remedy() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = project(&tab).await;
    let mut faults = Vec::new();
    tab.go(&project).await;

    // Offline, at both widths.
    offline(&tab, true).await;
    press(&tab, "Audit the site").await;
    notice(
        &tab,
        "Cannot reach the server. Check your connection and try again.",
    )
    .await;
    tab.expect_error("ERR_INTERNET_DISCONNECTED").await;
    tab.set_viewport(390, 844, 1.0).await;
    notice(&tab, "Cannot reach the server.").await;
    tab.set_viewport(1440, 900, 1.0).await;
    check_part(&tab, ".notice", "offline", &mut faults).await;
    // The next Tab stop is the remedy; Escape returns to the button.
    tab.press("Tab").await;
    focus_is(&tab, "button", "Try again").await;
    tab.press("Escape").await;
    focus_is(&tab, "button", "Audit the site").await;
    tab.wait_until("it is gone", "document.querySelector('.notice') === null")
        .await;

    // Over a quota.
    offline(&tab, false).await;
    tab.eval("window.real = window.fetch; window.fetch = async (path, more) => (more.method === 'GET' || !more.method ? window.real(path, more) : new Response(JSON.stringify({ code: 'quota-exceeded', detail: 'The month’s budget is used up.' }), { status: 429 })); 0")
        .await;
    press(&tab, "Audit the site").await;
    notice(&tab, "The month’s budget is used up.").await;
    tab.press("Tab").await;
    focus_is(&tab, "link", "See usage").await;
    tab.eval("window.fetch = window.real; 0").await;

    // Signed out in another tab.
    let other = tab.new_tab().await;
    other.go("/").await;
    other.click("button", "Sign out").await;
    other.wait_for_path("/sign-in").await;
    press(&tab, "Audit the site").await;
    notice(&tab, "You are signed out.").await;
    tab.expect_error("status of 401").await;
    tab.press("Tab").await;
    focus_is(&tab, "link", "Sign in").await;
    let next = tab
        .eval("document.activeElement.getAttribute('href')")
        .await;
    assert_eq!(
        next,
        format!("/sign-in?next={}", project.replace('/', "%2F"))
    );
    sign_in(&other, "owner0@example.com", PASSWORD).await;
    other.wait_for_path("/").await;
    tab.click("button", "Try again").await;
    tab.wait_for_text("Site audit").await;
    tab.wait_for_text("queued").await;
    for words in [
        "status of 401",
        "status of 403",
        "ERR_INTERNET_DISCONNECTED",
    ] {
        while tab.events().take_error(words) {}
    }
    other.close().await;
    tab.close().await;
    assert_no_violations(&faults);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_to_a_form_open_it_and_focus_its_first_field() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = project(&tab).await;
    tab.go("/").await;
    let is_open = |id: &str, field: &str| {
        format!("document.getElementById('{id}').open && document.activeElement.name === '{field}'")
    };
    tab.click("link", "Create a project").await;
    tab.wait_until("the form is open", &is_open("new", "domain"))
        .await;
    // Closed manually, it opens again with the same link.
    tab.eval("document.getElementById('new').open = false; document.activeElement.blur(); 0")
        .await;
    tab.click("link", "Create a project").await;
    tab.wait_until("it is open again", &is_open("new", "domain"))
        .await;
    // Also from another page.
    tab.go(&format!("{project}/keywords#add")).await;
    tab.wait_until("the form is open", &is_open("add", "keywords"))
        .await;
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_country_is_chosen_by_its_name() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    tab.fill("Domain", "shop.example.com").await;
    tab.fill("First keywords", "laufschuhe").await;
    tab.fill("Country", "Germania").await;
    tab.fill("Language", "German").await;
    tab.click("button", "Create the project").await;
    tab.wait_for_text("No country is called “Germania”. Choose a country from the list. Did you mean Georgia, Germany")
        .await;
    tab.wait_until(
        "the field has the focus",
        "document.activeElement.name === 'also.market.country'",
    )
    .await;
    tab.fill("Country", "germany").await;
    tab.click("button", "Create the project").await;
    let project = tab.wait_for_path_prefix("/projects/").await;
    tab.go(&format!("{project}/keywords#add")).await;
    tab.wait_for_text("de, de, desktop").await;
    // The project's market is the default for further keywords.
    let fields = "['market.country', 'market.language'].map((it) => document.querySelector(`[name='${it}']`).value).join()";
    assert_eq!(tab.eval(fields).await, "Germany,German");
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: axe-core, and keywords are added twice"]
async fn invalid_line_is_reported_and_valid_ones_are_added() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = project(&tab).await;
    let mut faults = Vec::new();
    tab.go(&format!("{project}/keywords#add")).await;
    let long = "x".repeat(300);
    tab.fill(
        "Keywords",
        &format!("laces\n\n{long}\nwool socks\nLaces\nbuckles"),
    )
    .await;
    tab.fill("Tags", "spring").await;
    tab.click("button", "Add them").await;
    tab.wait_for_text("2 keywords added, 1 already tracked, 1 repeated in your list, 1 refused.")
        .await;
    tab.wait_for_text("Line 3, “xxxxx").await;
    tab.wait_for_text("It is longer than 200 characters.").await;
    check_part(&tab, "#add form", "a line refused", &mut faults).await;
    let left = "document.querySelector('[name=keywords]').value";
    assert_eq!(tab.eval(left).await, long);
    tab.click("button", "Show the new keywords").await;
    tab.wait_for_text("buckles").await;
    tab.go(&format!("{project}/keywords?tag=spring#add")).await;
    tab.wait_for_text("laces").await;
    // All lines valid: the page reloads and shows the outcome.
    tab.fill("Keywords", "gaiters\nwool socks").await;
    tab.click("button", "Add them").await;
    tab.wait_for_text("1 keyword added, 1 already tracked.")
        .await;
    tab.close().await;
    assert_no_violations(&faults);
}
