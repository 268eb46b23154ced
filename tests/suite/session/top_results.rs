//! Top-ranking pages, from stored data.

use analysis::{document::Document, provenance::Provenance, result_type::ResultType};
use domain::{
    ids::{JobId, KeywordId, ProjectId},
    ports::clock::Clock,
    results::{Coverage, ResultHead, StagedFinding},
};
use harness::{
    app::TestApp,
    callers::{id, ids},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    pages_are_returned_best_first,
    omitted_keywords_can_be_requested_next,
];

async fn publish(app: &TestApp, project: i64, job: i64, records: &[(i64, Value)]) {
    let (account, now) = (app.db_account().await, app.clock.now());
    let (project, job) = (ProjectId(project), JobId(job));
    let staged = |(ordinal, (keyword, record)): (i64, &(i64, Value))| StagedFinding {
        result_type: ResultType::Serp,
        ordinal,
        keyword: Some(KeywordId(*keyword)),
        url: None,
        sort_value: None,
        measured_at: now,
        record: Document::of(record),
    };
    let staged: Vec<StagedFinding> = (0..).zip(records).map(staged).collect();
    let count = records.len() as u64;
    let head = ResultHead {
        account,
        project,
        result_type: ResultType::Serp,
        job,
        generated_at: now,
        measured_at: now,
        method_version: "serp/1".into(),
        provider: "sandbox".into(),
        provenance: Provenance::Simulated,
        coverage: Coverage::new(count, count, 0),
        item_count: count,
        summary: Document::from_stored("{}".to_owned()),
        warnings: vec![],
    };
    let mut work = app.storage.write().await.unwrap();
    let measurements = work.measurements();
    measurements.stage(account, job, &staged).await.unwrap();
    work.results()
        .publish(account, project, job, &[head], &[])
        .await
        .unwrap();
    work.commit().await.unwrap();
}

fn found(position: u32, url: &str) -> Value {
    json!({ "organicPosition": position, "url": url, "title": "A page" })
}

async fn pages_are_returned_best_first(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (owner, other) = (app.db_member(0).await, app.db_member(1).await);
    let body = json!({ "domain": "shop.example.com", "keywords": ["one", "two", "three"] });
    let created = owner.post("/api/projects", body).await.created();
    let project = id(&created);
    let keywords = ids(&json!({ "items": created["keywords"]["created"] }));
    let [one, two, three] = keywords[..] else {
        panic!("{keywords:?}");
    };
    let path = format!("/api/projects/{project}/top-results");
    let path_of_three = format!("{path}?keywordIds={three},{one},{two}");
    let before = owner.get(&path_of_three).await.ok();
    assert_eq!(
        (&before["measuredAt"], &before["items"]),
        (&Value::Null, &json!([])),
        "nothing was measured yet"
    );

    let wish = json!({ "type": "rankCheck", "projectId": project });
    let job = id(&owner.post("/api/analyses", wish).await.accepted());
    let of_one = json!([
        found(11, "https://late.example/"),
        found(2, "https://b.example/x?utm_source=y#z"),
        { "organicPosition": null, "url": "https://ad.example/" },
        found(1, "http://www.a.example/"),
        found(3, "https://a.example/"),
    ]);
    let records = [
        (one, json!({ "keywordId": one, "items": of_one })),
        // An empty record, and one in another format.
        (two, json!({ "keywordId": two, "items": [] })),
        (three, json!({ "keywordId": "three", "items": 3 })),
    ];
    publish(&app, project, job, &records).await;

    let results = owner.get(&path_of_three).await.ok();
    assert_eq!(
        results["items"],
        json!([
            { "keywordId": one, "pages": ["a.example/", "b.example/x"] },
            { "keywordId": two, "pages": [] },
        ])
    );
    assert_eq!(
        (&results["truncated"], results["measuredAt"].is_string()),
        (&json!(false), true)
    );
    let of_two = owner.get(&format!("{path}?keywordIds={two}")).await.ok();
    assert_eq!(ids_of(&of_two), [two]);
    let many = vec![one.to_string(); 201].join(",");
    for wrong in [
        "",
        "?keywordIds=",
        "?keywordIds=1,x",
        &format!("?keywordIds={many}"),
    ] {
        let refused = owner.get(&format!("{path}{wrong}")).await;
        refused.refused(422, "validation-failed");
    }
    other
        .get(&path_of_three)
        .await
        .refused(404, "project-not-found");
}

fn ids_of(body: &Value) -> Vec<i64> {
    let items = body["items"].as_array().unwrap();
    items
        .iter()
        .map(|it| it["keywordId"].as_i64().unwrap())
        .collect()
}

async fn omitted_keywords_can_be_requested_next(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let texts: Vec<String> = (0..40).map(|it| format!("keyword {it}")).collect();
    let body = json!({ "domain": "shop.example.com", "keywords": texts });
    let created = owner.post("/api/projects", body).await.created();
    let project = id(&created);
    let mut keywords = ids(&json!({ "items": created["keywords"]["created"] }));
    keywords.sort_unstable();
    let wish = json!({ "type": "rankCheck", "projectId": project });
    let job = id(&owner.post("/api/analyses", wish).await.accepted());
    let long = |position: u32| {
        let url = format!("https://long.example/{position}/{}", "x".repeat(1_900));
        found(position, &url)
    };
    let items: Vec<Value> = (1..=10).map(long).collect();
    let records: Vec<(i64, Value)> = { keywords.iter() }
        .map(|it| (*it, json!({ "keywordId": it, "items": items })))
        .collect();
    publish(&app, project, job, &records).await;

    let mut seen = vec![];
    let mut left = keywords.clone();
    while !left.is_empty() {
        let named: Vec<String> = left.iter().map(ToString::to_string).collect();
        let path = format!(
            "/api/projects/{project}/top-results?keywordIds={}",
            named.join(",")
        );
        let results = owner.get(&path).await.ok();
        assert!(results.to_string().len() <= 256 * 1024);
        let these = ids_of(&results);
        assert_eq!(results["truncated"], json!(these.len() < left.len()));
        left.retain(|it| !these.contains(it));
        seen.extend(these);
    }
    assert_eq!(seen, keywords);
}
