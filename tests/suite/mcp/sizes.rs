//! No result exceeds the requested size.

use analysis::result_type::ResultType;
use harness::{
    app::{Ranked, TestApp},
    callers::{Caller, ids},
    databases::TestDatabase,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

harness::on_sqlite![
    #[ignore = "slow: an account as full as it may be"]
    results_of_a_full_account_fit_and_pages_lose_no_rows,
    the_largest_records_are_truncated_with_a_report,
];

const DEFAULT: usize = 16 * 1024;
const MAX: usize = 64 * 1024;

/// Every read tool, with the largest possible request.
fn readings(project: i64) -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("service_list_projects", json!({ "limit": 200 })),
        ("service_list_projects", json!({ "projectId": project })),
        (
            "service_list_projects",
            json!({ "projectId": project, "include": "keywords", "limit": 500 }),
        ),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "all" }),
        ),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "rankings", "history": true, "limit": 1_000 }),
        ),
    ];
    for result_type in ResultType::ALL {
        all.push((
            "service_get_results",
            json!({ "projectId": project, "type": result_type.name(), "limit": 1_000 }),
        ));
    }
    all
}

async fn stays_small(agent: &Caller, project: i64) {
    for (tool, arguments) in readings(project) {
        let answer = agent.call(tool, arguments.clone()).await;
        assert!(
            answer.bytes <= DEFAULT,
            "{tool} {arguments}: {}",
            answer.bytes
        );
        answer.ok();
        let mut larger = arguments.clone();
        larger["maxBytes"] = MAX.into();
        let answer = agent.call(tool, larger).await;
        assert!(answer.bytes <= MAX, "{tool} {arguments}: {}", answer.bytes);
        let mut smallest = arguments.clone();
        smallest["maxBytes"] = json!(4_096);
        let answer = agent.call(tool, smallest).await;
        assert!(
            answer.bytes <= 4_096,
            "{tool} {arguments}: {}",
            answer.bytes
        );
    }
    for tool in ["service_run_analysis", "service_get_models"] {
        let answer = agent.call(tool, json!({})).await;
        assert!(answer.bytes <= DEFAULT, "{tool}: {}", answer.bytes);
    }
}

async fn results_of_a_full_account_fit_and_pages_lose_no_rows(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|limits| {
        limits.keywords = 10_000;
        limits.keywords_per_project = 10_000;
    })
    .await;
    let agent = app.db_full_agent().await;
    let (project, mut keywords) = agent.project("example.com", &[]).await;
    for part in 0..10 {
        let texts: Vec<String> = (0..1_000)
            .map(|n| format!("a keyword of some length {part} {n}"))
            .collect();
        let answer = agent
            .call(
                "service_add_keywords",
                json!({ "projectId": project, "keywords": texts }),
            )
            .await;
        assert!(answer.bytes <= DEFAULT, "{}", answer.bytes);
        let report = answer.ok();
        assert_eq!(report["counts"]["created"], 1_000);
        assert_eq!(report["truncated"], true);
    }
    let mut cursor = Value::Null;
    let mut seen = BTreeSet::new();
    let mut pages = 0;
    loop {
        let arguments = json!({ "projectId": project, "include": "keywords", "limit": 500, "cursor": cursor, "maxBytes": MAX });
        let page = agent.call("service_list_projects", arguments).await;
        assert!(page.bytes <= MAX, "{}", page.bytes);
        let page = page.ok();
        let found = ids(&page);
        keywords.extend(&found);
        seen.extend(found);
        pages += 1;
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    // No page skips or repeats a row.
    assert_eq!((seen.len(), keywords.len()), (10_000, 10_000));
    assert!(pages < 120, "{pages} pages");
    let job = agent.rank_check(project).await;
    let ranked: Vec<Ranked> = keywords
        .iter()
        .map(|keyword| Ranked {
            keyword: *keyword,
            position: Some(3),
            record: json!({ "keywordId": keyword, "keyword": "a keyword of some length", "position": 3, "url": "https://example.com/a/page", "history": [1, 2, 3, 4], "note": "\"quoted\"" }).to_string(),
        })
        .collect();
    app.db_publish_rankings(
        project,
        job,
        &json!({ "byKeyword": keywords }).to_string(),
        &ranked,
    )
    .await;
    stays_small(&agent, project).await;
}

async fn the_largest_records_are_truncated_with_a_report(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("example.com", &["a"]).await;
    let job = agent.rank_check(project).await;
    // Larger than any real record: 100 results with long texts.
    let results: Vec<Value> = (0..100)
        .map(|n| json!({ "position": n, "url": format!("https://example.com/{n}"), "title": "t".repeat(70), "snippet": "\"s\" ".repeat(70) }))
        .collect();
    let record = json!({ "keywordId": 1, "url": "https://example.com/", "results": results, "text": "w".repeat(20_000) });
    let summary = json!({ "top": results, "figure": 7, "nothing": null });
    for result_type in ResultType::ALL {
        let records: Vec<String> = (0..3).map(|_| record.to_string()).collect();
        app.db_publish(project, job, result_type, &summary.to_string(), &records)
            .await;
    }
    stays_small(&agent, project).await;
    let serp = agent
        .call(
            "service_get_results",
            json!({ "projectId": project, "type": "serp" }),
        )
        .await
        .ok();
    assert_eq!(serp["truncated"], true);
    assert_eq!(serp["summary"]["figure"], 7);
    let cut = serp["cut"].as_array().unwrap();
    assert!(
        cut.iter()
            .any(|it| it["at"] == "/items/0/results" && it["of"] == 100),
        "{cut:?}"
    );
    // A narrower request returns what was cut.
    let narrow = json!({ "projectId": project, "type": "serp", "fields": "url", "limit": 3 });
    let narrowed = agent.call("service_get_results", narrow).await.ok();
    assert_eq!(narrowed["items"].as_array().map(Vec::len), Some(3));
}
