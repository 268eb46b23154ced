//! Periods and plans that are read or saved as a whole.

use harness::chromium::Tab;

/// An export of Search Console without days is one period of up to three months; parts of it are unknown.
pub async fn import_of_three_months(tab: &Tab) {
    tab.eval("document.querySelector('#gap-import').open = true")
        .await;
    tab.fill(
        "Or paste it",
        "Query,Clicks,Impressions,CTR,Position\ngreen tongs,9,900,1%,9.5\n",
    )
    .await;
    tab.eval("{ const [from, to] = document.querySelectorAll('#gap-import input[type=date]'); from.value = '2026-07-30'; to.value = '2026-10-29'; }")
        .await;
    tab.click_in("#gap-import", "button", "Import").await;
    tab.wait_until(
        "the days are those of the export",
        "['from', 'to'].map((it) => document.querySelector('#gap-controls').elements[it].value).join() === '2026-07-30,2026-10-29'",
    )
    .await;
    tab.wait_for_text("green tongs").await;
    tab.wait_for_text("1 rows imported.").await;
    tab.wait_until_idle().await;
    tab.assert_clean("an import of three months");
}

/// Delays responses to PATCH until they are released.
const DELAY_PATCH: &str = "(() => { const real = window.fetch; window.fetch = async (...it) => { const answer = await real(...it); if (it[1]?.method === 'PATCH') await new Promise((go) => { window.letGo = go; }); return answer; }; })()";
const RELEASE: &str = "window.letGo(); delete window.letGo;";

pub async fn edits_during_save_are_kept(tab: &Tab) {
    tab.eval(DELAY_PATCH).await;
    let name = "document.querySelector('#plan input[required]')";
    let typed = |text: &str| {
        format!(
            "{name}.value = '{text}'; {name}.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        )
    };
    let save = || async {
        tab.click_in("#plan", "button", "Save changes").await;
        tab.wait_until("it is sent", "typeof window.letGo === 'function'")
            .await;
    };
    tab.eval(&typed("marathon shoes, first")).await;
    save().await;
    tab.eval(&typed("marathon shoes, second")).await;
    tab.eval(RELEASE).await;
    tab.wait_for_text("Saved, but for what you have changed since.")
        .await;
    save().await;
    tab.eval(RELEASE).await;
    tab.wait_until(
        "all of it is saved",
        "[...document.querySelectorAll('#plan [role=status]')].some((it) => it.textContent === 'Saved.')",
    )
    .await;
    tab.reload().await;
    tab.wait_until(
        "the plan is there again",
        &format!("{name}?.value === 'marathon shoes, second'"),
    )
    .await;
    tab.wait_until_idle().await;
}
