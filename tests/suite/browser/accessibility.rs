//! Accessibility (axe-core) of every page and state: light and dark, wide and narrow, empty and full, with collapsed
//! parts, errors and dialogs open. At 320 pixels, which is 400 % zoom of 1280, nothing is lost.

use super::{RESULTS, STALE, demo::Demo, pages, reflow, served, sign_in, signed_in};
use harness::chromium::Tab;
use std::collections::BTreeSet;

const UNFOLD: &str = "document.querySelectorAll('details').forEach((it) => { it.open = true; })";

/// Checks the current page at both widths; in dark mode only colors, since nothing else differs.
pub async fn check_page(tab: &Tab, label: &str, faults: &mut Vec<String>) {
    tab.set_viewport(1440, 900, 1.0).await;
    tab.set_dark(true).await;
    let broken = tab.axe_colors().await.into_iter();
    faults.extend(broken.map(|it| format!("{label}, dark: {it}")));
    tab.set_dark(false).await;
    for (width, height) in [(1440, 900), (360, 740)] {
        tab.set_viewport(width, height, 1.0).await;
        // Content scrolled behind the top bar is not a violation.
        tab.eval("scrollTo(0, 0)").await;
        let broken = tab.axe().await.into_iter();
        faults.extend(broken.map(|it| format!("{label}, {width} px: {it}")));
    }
    tab.set_viewport(320, 640, 4.0).await;
    let lost = reflow::reflow_violations(tab).await.into_iter();
    faults.extend(lost.map(|it| format!("{label}, 400 %: {it}")));
    tab.set_viewport(1440, 900, 1.0).await;
}

/// Checks a part that opened or changed, of a page that is checked elsewhere.
pub async fn check_part(tab: &Tab, part: &str, label: &str, faults: &mut Vec<String>) {
    let mut record = |broken: Vec<String>, mode: &str| {
        faults.extend(broken.into_iter().map(|it| format!("{label}{mode}: {it}")));
    };
    record(tab.axe_in(part).await, "");
    tab.set_dark(true).await;
    record(tab.axe_colors_in(part).await, ", dark");
    tab.set_dark(false).await;
    // 400 % zoom of 1280 × 1024.
    tab.set_viewport(320, 256, 4.0).await;
    record(tab.axe_in(part).await, ", 320 px");
    record(reflow::reflow_violations(tab).await, ", 400 %");
    tab.set_viewport(1440, 900, 1.0).await;
}

pub fn assert_no_violations(faults: &[String]) {
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signed_out_pages_are_accessible() {
    let (app, _database) = served().await;
    let mut faults = Vec::new();
    let stranger = Tab::open(app.origin()).await;
    stranger.go("/welcome").await;
    check_page(&stranger, "welcome", &mut faults).await;
    app.db_owner_with_password(0).await;
    stranger.go("/sign-in").await;
    check_page(&stranger, "sign-in", &mut faults).await;
    sign_in(&stranger, "owner0@example.com", "another walrus").await;
    stranger
        .wait_until(
            "the error is shown",
            "document.querySelector('[role=alert]') !== null",
        )
        .await;
    stranger.expect_error("status of 401").await;
    check_page(&stranger, "sign-in refused", &mut faults).await;
    stranger.go("/docs").await;
    check_page(&stranger, "docs of a stranger", &mut faults).await;
    stranger.close().await;
    assert_no_violations(&faults);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: axe-core over every page without results"]
async fn empty_pages_are_accessible() {
    let (app, _database) = served().await;
    let mut faults = Vec::new();
    let tab = signed_in(&app).await;
    check_page(&tab, "/ without a project", &mut faults).await;
    tab.fill("Domain", "none").await;
    tab.click("button", "Create the project").await;
    tab.wait_until(
        "it is refused",
        "document.querySelector('[aria-invalid]') !== null",
    )
    .await;
    tab.expect_error("status of 422").await;
    check_page(&tab, "a refused project", &mut faults).await;
    tab.fill("Domain", "shop.example.com").await;
    tab.click("button", "Create the project").await;
    let project = tab.wait_for_path_prefix("/projects/").await;
    for path in pages(std::slice::from_ref(&project)) {
        tab.go(&path).await;
        let label = path.replace(&project, "/projects/empty");
        check_page(&tab, &label, &mut faults).await;
        tab.assert_clean(&label);
    }
    tab.go("/analyses?status=failed").await;
    check_page(&tab, "no analyses", &mut faults).await;
    tab.go("/?search=zzz").await;
    check_page(&tab, "a search without results", &mut faults).await;
    tab.go("/projects/7").await;
    tab.expect_error("status of 404").await;
    check_page(&tab, "nothing there", &mut faults).await;

    tab.go("/settings/api-tokens").await;
    tab.fill("Name", "ci").await;
    tab.click("button", "Make the token").await;
    tab.wait_for_text("The token is made.").await;
    tab.wait_until(
        "the token is shown",
        "document.getElementById('token').textContent.length > 20",
    )
    .await;
    check_page(&tab, "a made token", &mut faults).await;
    app.clock.advance(STALE);
    tab.reload().await;
    tab.fill("Name", "ci").await;
    tab.click("button", "Make the token").await;
    tab.wait_for_text("Your password, once more").await;
    tab.expect_error("status of 403").await;
    check_page(&tab, "the password again", &mut faults).await;
    tab.press("Escape").await;

    tab.set_viewport(360, 740, 1.0).await;
    tab.go("/").await;
    tab.click("button", "Menu").await;
    tab.wait_until(
        "the menu is open",
        "document.querySelector('#menu').matches(':popover-open')",
    )
    .await;
    for dark in [false, true] {
        tab.set_dark(dark).await;
        faults.extend(
            tab.axe()
                .await
                .into_iter()
                .map(|it| format!("the menu, dark {dark}: {it}")),
        );
    }
    tab.close().await;
    assert_no_violations(&faults);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: axe-core over every page with results"]
async fn full_pages_are_accessible() {
    let (_demo, tab) = Demo::start_and_sign_in().await;
    let projects = Demo::projects(&tab).await;
    let mut faults = Vec::new();
    let mut filled = BTreeSet::new();
    for path in pages(&projects) {
        tab.go(&path).await;
        if tab
            .eval("document.querySelector('.measured') !== null")
            .await
            == true
        {
            filled.extend(path.split_once("/results/").map(|it| it.1.to_owned()));
        }
        tab.eval(UNFOLD).await;
        let label = path
            .replace(&projects[0], "/projects/market")
            .replace(&projects[1], "/projects/audited");
        check_page(&tab, &label, &mut faults).await;
        tab.assert_clean(&label);
    }
    // Web vitals are checked in user_flows.rs, where they are measured.
    let bare = RESULTS
        .map(|it| it.0)
        .into_iter()
        .filter(|it| !filled.contains(*it));
    assert_eq!(
        bare.collect::<Vec<_>>(),
        ["vitals"],
        "pages without results"
    );
    let [market, audited] = [&projects[0], &projects[1]];
    for path in [
        format!("{market}/results/rankings?range=30"),
        format!("{market}/results/rankings?range=all"),
        format!("{market}/keywords?aiTracked=true&sort=-position"),
        format!("{audited}/results/broken-links?sort=value"),
        "/analyses?status=succeeded".to_owned(),
    ] {
        tab.go(&path).await;
        tab.eval(UNFOLD).await;
        check_part(&tab, "main", &path, &mut faults).await;
        tab.assert_clean(&path);
    }
    tab.close().await;
    assert_no_violations(&faults);
}
