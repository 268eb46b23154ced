//! Content plans and the gap check with the keyboard alone; each dialog and state passes axe-core and reflows at 400 %
//! zoom.

use super::{
    accessibility::{assert_no_violations, check_page, check_part},
    dialogs::{escape, focus_is, gone, open, overwrite, project, titled},
    served, signed_in,
};
use harness::chromium::Tab;

/// A Search Console export with days and pages.
const ROWS: &str = "Date,Query,Page,Clicks,Impressions,CTR,Position\n\
2026-09-01,blue anvils,https://shop.example.com/anvils,1,400,0.25%,11.5\n\
2026-09-01,green anvils,https://shop.example.com/anvils,2,300,0.6%,15\n\
2026-09-01,trail shoes,https://shop.example.com/sale,3,300,1%,9\n\
2026-09-02,trail shoes,https://shop.example.com/trail-shoes,1,40,2.5%,12\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: axe-core in every state"]
async fn gaps_are_tracked_by_keyboard() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = project(&tab).await;
    let mut faults = Vec::new();
    tab.go(&format!("{project}/gap-check")).await;
    overwrite(&tab, "Or paste it", "nothing of the kind").await;
    tab.tab_to("button", "Import").await;
    tab.press("Enter").await;
    tab.wait_until(
        "it is refused",
        "document.querySelector('#gap-import [role=alert]') !== null",
    )
    .await;
    tab.expect_error("status of 422").await;
    check_part(&tab, "#gap-import", "rows that are none", &mut faults).await;
    tab.fill("Or paste it", ROWS).await;
    tab.tab_to("button", "Import").await;
    tab.press("Enter").await;
    tab.wait_until(
        "it is checked",
        "document.querySelector('#gap tbody tr') !== null && document.querySelector('#gap-progress').hidden",
    )
    .await;
    tab.wait_until_idle().await;
    tab.assert_clean("an import");
    check_page(&tab, "gaps", &mut faults).await;

    // Arrow keys switch tabs.
    tab.tab_back_to("tab", "Searched, not followed").await;
    for name in ["Followed, never seen", "Right query, wrong page"] {
        tab.press("ArrowRight").await;
        let (role, called) = tab.focused().await;
        assert!(role == "tab" && called.starts_with(name), "{role} {called}");
        check_part(&tab, "#gap", name, &mut faults).await;
    }
    tab.press("Home").await;
    tab.tab_to("checkbox", "blue anvils").await;
    tab.press("Space").await;
    open(&tab, "Follow them", "Save a keyword").await;
    check_part(&tab, "dialog", "a gap to follow", &mut faults).await;
    tab.tab_to("button", "Save them").await;
    tab.press("Enter").await;
    titled(&tab, "Saved").await;
    tab.tab_to("button", "Close").await;
    tab.press("Enter").await;
    // It is tracked now, so nothing is selected; the button keeps the focus.
    gone(&tab, "Follow them").await;
    assert!(!tab.has("checkbox", "blue anvils").await);
    tab.tab_back_to("checkbox", "green anvils").await;
    tab.press("Space").await;
    open(&tab, "Make a content plan", "Make a content plan").await;
    check_part(&tab, "dialog", "a plan of gaps", &mut faults).await;
    escape(&tab, "Make a content plan").await;
    tab.close().await;
    assert_no_violations(&faults);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: axe-core in every state"]
async fn plan_is_created_edited_and_deleted_by_keyboard() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = project(&tab).await;
    let mut faults = Vec::new();
    tab.go(&format!("{project}/content-plans")).await;
    let button = "From this project’s keywords";
    open(&tab, button, "Make a content plan").await;
    check_part(&tab, "dialog", "a plan of what is followed", &mut faults).await;
    escape(&tab, button).await;
    open_again(&tab, "Make a content plan").await;
    tab.tab_back_to("field", "Name").await;
    tab.type_text("Autumn").await;
    tab.tab_to("button", "Save the plan").await;
    tab.press("Enter").await;
    titled(&tab, "The plan is saved").await;
    tab.tab_to("button", "Close").await;
    tab.press("Enter").await;
    gone(&tab, button).await;
    tab.wait_for_text("Autumn").await;
    check_page(&tab, "plans", &mut faults).await;

    // Canceling deletes nothing.
    tab.events().answer_dialogs(false);
    tab.tab_to("button", "Delete “Autumn”").await;
    tab.press("Enter").await;
    tab.wait_for("it asks", || async {
        (tab.events().dialogs().len() == 1).then_some(())
    })
    .await;
    focus_is(&tab, "button", "Delete “Autumn”").await;
    tab.events().answer_dialogs(true);
    tab.tab_back_to("link", "Autumn").await;
    tab.press("Enter").await;
    let plan = tab
        .wait_for_path_prefix(&format!("{project}/content-plans/"))
        .await;
    edit(&tab, &mut faults).await;
    refused(&tab, &mut faults).await;
    resolve_edit_conflict(&tab, &plan, &mut faults).await;

    tab.go(&format!("{project}/content-plans")).await;
    tab.tab_to("button", "Delete “").await;
    tab.press("Enter").await;
    tab.wait_for_text("No content plan yet").await;
    focus_is(&tab, "button", button).await;
    tab.go(&plan).await;
    tab.expect_error("status of 404").await;
    tab.wait_for_text("Nothing is here").await;
    check_part(&tab, "main", "a plan that is gone", &mut faults).await;
    tab.close().await;
    assert_no_violations(&faults);
}

async fn open_again(tab: &Tab, title: &str) {
    tab.press("Enter").await;
    titled(tab, title).await;
}

/// Edits an item at 400 % zoom, and saves the plan.
async fn edit(tab: &Tab, faults: &mut Vec<String>) {
    tab.wait_for_text("0 of ").await;
    tab.set_viewport(320, 256, 4.0).await;
    tab.tab_to("summary", "Trail shoes").await;
    tab.press("Enter").await;
    overwrite(tab, "Title", "Which trail shoes?").await;
    tab.tab_to("choice", "Status").await;
    tab.press("ArrowDown").await;
    overwrite(tab, "Owner", "Ann").await;
    tab.tab_to("field", "Outline").await;
    tab.type_text("Grip\nDrop").await;
    tab.wait_for_text("Changes are not saved yet").await;
    tab.set_viewport(1440, 900, 1.0).await;
    check_page(tab, "a plan with an item open", faults).await;
    tab.set_viewport(320, 256, 4.0).await;
    tab.tab_to("button", "Save changes").await;
    tab.set_viewport(1440, 900, 1.0).await;
    tab.press("Enter").await;
    tab.wait_for_text("Saved.").await;
    focus_is(tab, "button", "Save changes").await;
    tab.reload().await;
    tab.wait_for_text("Which trail shoes?").await;
    tab.wait_for_text("In progress").await;

    tab.tab_to("button", "Export Markdown").await;
    tab.press("Enter").await;
    tab.wait_until(
        "the file is made",
        "document.getElementById('announcements').textContent === 'The file is made.'",
    )
    .await;
    focus_is(tab, "button", "Export Markdown").await;
    overwrite(tab, "Filter items", "zzz").await;
    tab.wait_for_text("No item fits").await;
    check_part(tab, "#plan", "no item fits", faults).await;
    tab.tab_to("choice", "Status").await;
    overwrite_back(tab, "Filter items").await;
    tab.wait_for_text("Which trail shoes?").await;
}

async fn overwrite_back(tab: &Tab, label: &str) {
    tab.tab_back_to("field", label).await;
    tab.press("Delete").await;
}

/// A refused change is reported, and no input is lost.
async fn refused(tab: &Tab, faults: &mut Vec<String>) {
    tab.tab_to("summary", "Which trail shoes?").await;
    tab.press("Enter").await;
    overwrite(tab, "Page", "javascript:alert(1)").await;
    tab.tab_to("button", "Save changes").await;
    tab.press("Enter").await;
    tab.wait_until(
        "it is refused",
        "document.querySelector('.chosen [role=alert]') !== null",
    )
    .await;
    tab.expect_error("status of 422").await;
    check_part(tab, "#plan", "a plan that is refused", faults).await;
    focus_is(tab, "button", "Save changes").await;
    tab.tab_back_to("field", "Page").await;
    tab.type_text("https://shop.example.com/trail").await;
    tab.tab_to("button", "Save changes").await;
    tab.press("Enter").await;
    tab.wait_for_text("Saved.").await;
    // Open items have their form immediately after a redraw.
    let redrawn = "(() => { document.querySelector('#plan [type=search]').dispatchEvent(new Event('input')); return document.querySelectorAll('#plan details[open] > .page').length; })()";
    assert_eq!(tab.eval(redrawn).await, 1);
}

/// Another tab saves the same plan in the meantime.
async fn resolve_edit_conflict(tab: &Tab, plan: &str, faults: &mut Vec<String>) {
    let other = tab.new_tab().await;
    other.go(plan).await;
    other.fill("Name", "Winter").await;
    other.click("button", "Save changes").await;
    other.wait_for_text("Saved.").await;
    other.close().await;
    tab.tab_back_to("field", "Name").await;
    tab.type_text("Summer").await;
    tab.tab_to("button", "Save changes").await;
    tab.press("Enter").await;
    focus_is(tab, "button", "Save mine over it").await;
    tab.expect_error("status of 412").await;
    check_part(tab, "#plan", "a plan that another has changed", faults).await;
    tab.press("Enter").await;
    tab.wait_until(
        "it is saved",
        "document.querySelector('h1').textContent === 'Summer'",
    )
    .await;
    focus_is(tab, "button", "Save changes").await;
}
