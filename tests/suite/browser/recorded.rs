//! Compares what every page shows and exposes to assistive technology, on a database of an earlier version, with a
//! recording.

use super::{pages, sign_in};
use harness::{
    app::{PASSWORD, TestApp},
    assert_recorded,
    chromium::Tab,
    recorded::{self, NOW, Normalizer, OWNER},
};
use serde_json::json;
use std::fmt::Write;
use storage::DatabaseKind;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_match_the_recording() {
    let database = recorded::database(DatabaseKind::Sqlite).await.unwrap();
    let app = TestApp::for_browsers(&database, |_| {}).await;
    recorded::serve(&app).await;
    app.db_owner_with_password(0).await;
    let tab = Tab::open(app.origin()).await;
    tab.command(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": the_time_is(NOW) }),
    )
    .await;
    let mut recording = String::new();
    let mut normal = Normalizer::default();
    for page in ["/sign-in", "/nowhere"] {
        shown(&tab, page, &mut normal, &mut recording).await;
    }
    tab.expect_error("404").await;
    sign_in(&tab, OWNER, PASSWORD).await;
    tab.wait_for_path("/").await;
    let projects = "[...document.querySelectorAll('a[href^=\"/projects/\"]')].map((it) => it.getAttribute('href'))";
    let mut projects: Vec<String> = serde_json::from_value(tab.eval(projects).await).unwrap();
    projects.retain(|it| it.matches('/').count() == 2);
    projects.sort();
    projects.dedup();
    assert_eq!(projects.len(), 2);
    for page in pages(&projects) {
        shown(&tab, &page, &mut normal, &mut recording).await;
    }
    assert_recorded!("pages.txt", &recording);
    tab.close().await;
}

/// Shifts the scripts' clock.
fn the_time_is(now: &str) -> String {
    format!(
        "{{ const real = Date; const ahead = real.parse('{now}') - real.now(); \
         globalThis.Date = class extends real {{ \
         constructor(...it) {{ if (it.length) super(...it); else super(real.now() + ahead); }} \
         static now() {{ return real.now() + ahead; }} }}; }}"
    )
}

async fn shown(tab: &Tab, page: &str, normal: &mut Normalizer, recording: &mut String) {
    tab.go(page).await;
    tab.wait_until_idle().await;
    let text = tab.text().await;
    let mut shown = format!("=== {page}\n{}\n\n", text.trim());
    for node in tab.ax_nodes().await {
        writeln!(shown, "{} {:?}", node.role, node.name).unwrap();
    }
    shown.push('\n');
    recording.push_str(&normal.normalize(&shown));
}
