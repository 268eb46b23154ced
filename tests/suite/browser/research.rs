//! Keyword research: search, bulk save, gap check, content plan, exports.

use super::edge_cases;
use harness::chromium::Tab;

/// Keeps generated files for the test.
const KEEP_FILES: &str = "(() => { const make = URL.createObjectURL.bind(URL); URL.createObjectURL = (it) => { it.text().then((text) => { window.madeFile = text; }); return make(it); }; })()";

async fn look_up(tab: &Tab, keyword: &str) {
    tab.fill("Keyword", keyword).await;
    tab.click_in("#research", "button", "Look it up").await;
    tab.wait_until(
        "its ideas are there",
        "document.querySelector('#answer:not([hidden]) .ideas tbody tr') !== null && document.querySelector('#searching').hidden",
    )
    .await;
    tab.wait_until_idle().await;
}

pub async fn research(tab: &Tab, project: &str) {
    tab.go("/keyword-research").await;
    tab.choose("For the project", "The shop").await;
    look_up(tab, "marathon shoes").await;
    tab.wait_for_text("it took one search of the month").await;
    tab.assert_clean("a search");
    // A repeated search is free.
    let left = tab
        .eval("document.querySelector('#usage b').textContent")
        .await;
    look_up(tab, "Marathon  SHOES").await;
    tab.wait_for_text("it took nothing of the month").await;
    assert_eq!(
        tab.eval("document.querySelector('#usage b').textContent")
            .await,
        left
    );

    tab.click_in("#answer", "button", "All shown").await;
    tab.click_in("#answer", "button", "Save into a project")
        .await;
    tab.wait_until(
        "the dialog is open",
        "document.querySelector('dialog[open] #save-title') !== null",
    )
    .await;
    tab.wait_until_idle().await;
    tab.click_in("dialog", "button", "Save them").await;
    tab.wait_until(
        "they are saved",
        "document.querySelector('#save-title').textContent === 'Saved'",
    )
    .await;
    tab.click_in("dialog", "button", "Close").await;
    tab.wait_until_idle().await;
    tab.assert_clean("a bulk save");

    plan(tab, project).await;
    tab.go(&format!("{project}/keywords?search=marathon")).await;
    tab.wait_for_text("marathon").await;
    tab.go("/keyword-research").await;
    tab.wait_for_text("Your history").await;
    tab.click_in("#history", "button", "marathon shoes").await;
    tab.wait_for_text("it took nothing of the month").await;
    files(tab).await;
}

async fn plan(tab: &Tab, project: &str) {
    tab.click_in("#answer", "button", "Make a content plan")
        .await;
    tab.wait_until(
        "the dialog is open",
        "document.querySelector('dialog[open] #plan-title') !== null",
    )
    .await;
    tab.wait_until_idle().await;
    tab.click_in("dialog", "button", "Save the plan").await;
    tab.wait_until(
        "the plan is saved",
        "document.querySelector('#plan-title').textContent === 'The plan is saved'",
    )
    .await;
    tab.click_through("dialog", "link", "Open the plan").await;
    tab.wait_for_path_prefix(&format!("{project}/content-plans/"))
        .await;
    tab.wait_until(
        "its items are there",
        "document.querySelector('#plan .items li') !== null",
    )
    .await;
    tab.wait_until_idle().await;
    tab.eval("document.querySelector('#plan summary').click()")
        .await;
    tab.fill("Owner", "Bertha").await;
    tab.click_in("#plan", "button", "Save changes").await;
    tab.wait_for_text("Saved.").await;
    tab.reload().await;
    tab.wait_for_text("Bertha").await;
    tab.assert_clean("a content plan");
    edge_cases::edits_during_save_are_kept(tab).await;
    tab.go(&format!("{project}/content-plans")).await;
    tab.wait_for_text("marathon shoes").await;
}

/// No CSV cell starts a spreadsheet formula (OWASP).
async fn files(tab: &Tab) {
    tab.eval(KEEP_FILES).await;
    look_up(tab, "=HYPERLINK(\"https://evil.example\") shoes").await;
    tab.click_in("#answer", "button", "Export all as CSV").await;
    tab.wait_until("the file is made", "typeof window.madeFile === 'string'")
        .await;
    let file = tab.eval("window.madeFile").await;
    let file = file.as_str().unwrap();
    assert!(
        file.contains("evil.example"),
        "it is about what was looked up: {file}"
    );
    let cells = file
        .split(['\n', ',', ';'])
        .map(|it| it.trim_matches(['"', '\r', '\u{feff}']));
    for cell in cells {
        let is_formula =
            cell.starts_with(['=', '+', '-', '@', '\t']) && cell.parse::<f64>().is_err();
        assert!(!is_formula, "{cell}");
    }
}

/// Compares the Search Console import with the project's keywords.
pub async fn gaps(tab: &Tab, project: &str) {
    tab.go(&format!("{project}/gap-check")).await;
    tab.wait_until("it is checked", "document.querySelector('#gap tbody tr') !== null && document.querySelector('#gap-progress').hidden").await;
    tab.wait_until_idle().await;
    tab.wait_for_text("Searched, not followed").await;
    tab.wait_for_text("blue anvils").await;
    tab.assert_clean("the gap check");
    edge_cases::import_of_three_months(tab).await;
}
