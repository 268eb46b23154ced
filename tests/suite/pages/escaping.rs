//! Hostile text stays text, whatever its source.

use super::{pages, ranking, text};
use harness::{
    app::{Ranked, TestApp},
    callers::id,
    databases::TestDatabase,
    on_every_database,
};
use serde_json::json;
use std::{fs, path::Path};

on_every_database![hostile_text_is_escaped_on_every_page];

const HOSTILE: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>";

async fn hostile_text_is_escaped_on_every_page(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let body = json!({
        "domain": "shop.example.com",
        "name": HOSTILE,
        "clientName": HOSTILE,
        "category": HOSTILE,
        "assignedToName": HOSTILE,
        "tags": ["<b>tag</b>"],
        "keywords": [HOSTILE],
    });
    let created = agent.post("/projects", body).await.created();
    let (project, keyword) = (id(&created), id(&created["keywords"]["created"][0]));
    let job = agent.rank_check(project).await;
    let ranked = Ranked {
        keyword,
        position: Some(3),
        record: ranking(
            project,
            keyword,
            HOSTILE,
            3,
            "javascript:alert(1)//\"><script>",
        ),
    };
    let summary = json!({ "hostile": HOSTILE }).to_string();
    app.db_publish_rankings(project, job, &summary, &[ranked])
        .await;
    app.db_sign_in(0).await;
    let mut shown = 0;
    let search = format!("/?search={}", "%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
    let tag = "/?tag=%22%3E%3Cscript%3Ealert(1)%3C/script%3E".to_owned();
    for path in pages(project).into_iter().chain([search, tag]) {
        let page = text(&app, &path).await;
        assert!(!page.contains("<script>"), "{path}");
        assert!(!page.contains("<img src=x"), "{path}");
        assert!(!page.contains("<b>tag"), "{path}");
        assert!(!page.contains("href=\"javascript"), "{path}");
        shown += u32::from(page.contains("&lt;script&gt;alert(1)"));
    }
    assert!(shown > 10, "the text is shown, as text: {shown}");
}

/// `html!` escapes all text except `PreEscaped`.
#[test]
fn no_source_uses_preescaped() {
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/web/src");
    let mut folders = vec![Path::new(pages).to_path_buf()];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                assert!(!text.contains("PreEscaped"), "{}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 100, "only {read} sources were read");
}
