//! Ideas are searched, saved and planned with the keyboard alone. Each dialog and state passes axe-core and reflows at
//! 400 % zoom.

use super::{
    accessibility::{assert_no_violations, check_page, check_part},
    served, signed_in,
};
use harness::chromium::Tab;

pub async fn focus_is(tab: &Tab, role: &str, name: &str) {
    tab.wait_for(&format!("{role} “{name}” has the focus"), || async {
        let (is, called) = tab.focused().await;
        (is == role && called == name).then_some(())
    })
    .await;
}

/// Presses the button, and waits for the dialog with that title.
pub async fn open(tab: &Tab, button: &str, title: &str) {
    tab.tab_to("button", button).await;
    tab.press("Enter").await;
    titled(tab, title).await;
    let inside = "document.querySelector('dialog[open]').contains(document.activeElement)";
    tab.wait_until("the focus is in the dialog", inside).await;
}

/// Waits for an open dialog with that title.
pub async fn titled(tab: &Tab, title: &str) {
    tab.wait_until(
        &format!("the dialog is called “{title}”"),
        &format!(
            "document.querySelector('dialog[open] h2')?.textContent.startsWith('{title}') === true"
        ),
    )
    .await;
    tab.wait_until_idle().await;
}

/// Closes the dialog with Escape; the focus returns to the button.
pub async fn escape(tab: &Tab, button: &str) {
    tab.press("Escape").await;
    gone(tab, button).await;
}

/// Waits until the dialog is closed and the focus is on the button.
pub async fn gone(tab: &Tab, button: &str) {
    tab.wait_until(
        "the dialog is gone",
        "document.querySelector('dialog') === null",
    )
    .await;
    tab.wait_until_idle().await;
    focus_is(tab, "button", button).await;
}

/// Replaces the field's text: Tab selects all of it.
pub async fn overwrite(tab: &Tab, label: &str, text: &str) {
    tab.tab_to("field", label).await;
    if text.is_empty() {
        tab.press("Delete").await;
    } else {
        tab.type_text(text).await;
    }
}

/// Creates a project with three keywords; returns its path.
pub async fn project(tab: &Tab) -> String {
    tab.fill("Domain", "shop.example.com").await;
    tab.fill("First keywords", "trail shoes\nracing flats\nwool socks")
        .await;
    tab.click("button", "Create the project").await;
    tab.wait_for_path_prefix("/projects/").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: axe-core in every state of three dialogs"]
async fn ideas_are_searched_saved_and_planned_by_keyboard() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    // The quota is too small for all ideas.
    app.db_limit(|it| it.keywords_per_project = 8).await;
    let project = project(&tab).await;
    let mut faults = Vec::new();
    look_up(&tab, &mut faults).await;
    choose(&tab, &mut faults).await;
    save(&tab, &mut faults).await;
    plan(&tab, &mut faults).await;
    tab.go(&format!("{project}/keywords")).await;
    tab.wait_for_text("8 of 8 used in this project").await;
    tab.close().await;
    assert_no_violations(&faults);
}

async fn look_up(tab: &Tab, faults: &mut Vec<String>) {
    tab.go("/keyword-research").await;
    overwrite(tab, "Keyword", "marathon shoes").await;
    overwrite(tab, "Country", "Atlantis").await;
    tab.press("Enter").await;
    tab.wait_until(
        "the country is refused, and has the focus",
        "document.activeElement.name === 'location' && document.activeElement.getAttribute('aria-invalid') === 'true'",
    )
    .await;
    tab.expect_error("status of 422").await;
    check_part(tab, "#research", "a country that is not known", faults).await;
    tab.press("Shift+Tab").await;
    overwrite(tab, "Country", "United States").await;
    tab.tab_to("choice", "For the project").await;
    tab.press("ArrowDown").await;
    tab.tab_to("button", "Look it up").await;
    tab.press("Enter").await;
    tab.wait_until(
        "the answer has the focus",
        "document.activeElement.matches('#answer h2') && document.querySelector('#searching').hidden",
    )
    .await;
    tab.wait_until_idle().await;
}

async fn choose(tab: &Tab, faults: &mut Vec<String>) {
    tab.tab_to("field", "Searches from").await;
    tab.type_text("999999999").await;
    tab.wait_for_text("Nothing fits what you chose").await;
    check_part(tab, "#answer", "ideas filtered away", faults).await;
    tab.press("Shift+Tab").await;
    overwrite(tab, "Searches from", "").await;
    // The sort button keeps the focus.
    tab.tab_to("button", "Difficulty").await;
    tab.press("Enter").await;
    focus_is(tab, "button", "Difficulty").await;
    tab.tab_to("button", "how its score of").await;
    tab.press("Enter").await;
    tab.wait_for_text("Visits to win a month").await;
    tab.tab_to("checkbox", "").await;
    tab.press("Space").await;
    tab.wait_for_text("1 chosen").await;
    check_page(tab, "ideas, one of them taken apart", faults).await;
    // Nothing is selected any more, and the focus stays.
    tab.tab_to("button", "None").await;
    tab.press("Enter").await;
    tab.wait_for_text("None chosen").await;
    focus_is(tab, "button", "None").await;
    tab.tab_back_to("button", "All shown").await;
    tab.press("Enter").await;
    tab.wait_until(
        "all of them are chosen",
        "document.querySelectorAll('.ideas tbody input:checked').length > 20",
    )
    .await;
}

async fn save(tab: &Tab, faults: &mut Vec<String>) {
    let button = "Save into a project";
    open(tab, button, "Save ").await;
    tab.wait_for_text("It does not all fit: nothing would be saved")
        .await;
    check_part(tab, "dialog", "ideas that do not all fit", faults).await;
    escape(tab, button).await;

    // 400 % zoom of 1280 × 1024: the focus is visible there too.
    tab.set_viewport(320, 256, 4.0).await;
    tab.press("Enter").await;
    titled(tab, "Save ").await;
    tab.tab_to("button", "None").await;
    tab.press("Enter").await;
    tab.tab_to("checkbox", "Measure “").await;
    tab.press("Space").await;
    tab.tab_to("radio", "Save nothing").await;
    tab.press("ArrowDown").await;
    tab.wait_for_text("what fits is saved").await;
    tab.tab_to("button", "Save them").await;
    tab.set_viewport(1440, 900, 1.0).await;
    tab.press("Enter").await;
    titled(tab, "Saved in part").await;
    assert_eq!(
        tab.eval("document.activeElement.id").await,
        "save-title",
        "what came of it is read first"
    );
    check_part(tab, "dialog", "ideas saved in part", faults).await;
    tab.tab_to("button", "Close").await;
    tab.press("Enter").await;
    gone(tab, button).await;
}

async fn plan(tab: &Tab, faults: &mut Vec<String>) {
    let button = "Make a content plan";
    open(tab, button, button).await;
    check_part(tab, "dialog", "a plan of ideas", faults).await;
    escape(tab, button).await;
    tab.set_viewport(320, 256, 4.0).await;
    tab.press("Enter").await;
    titled(tab, button).await;
    // Its default name is the keyword; a plan without a name is not sent.
    tab.tab_back_to("field", "Name").await;
    tab.press("Delete").await;
    tab.tab_to("button", "Save the plan").await;
    tab.press("Enter").await;
    focus_is(tab, "textbox", "Name").await;
    tab.type_text("Spring").await;
    tab.tab_to("radio", "One for each cluster").await;
    tab.press("ArrowDown").await;
    tab.wait_until(
        "each keyword is an item",
        "Number.parseInt(document.querySelector('dialog [role=status]').textContent, 10) > 20",
    )
    .await;
    tab.tab_to("button", "Save the plan").await;
    tab.set_viewport(1440, 900, 1.0).await;
    tab.press("Enter").await;
    titled(tab, "The plan is saved").await;
    assert_eq!(tab.eval("document.activeElement.id").await, "plan-title");
    check_part(tab, "dialog", "a plan of ideas is saved", faults).await;
    escape(tab, button).await;
}
