//! Keywords: adding, folding, markets, AI tracking, deactivation.

use domain::account::AccountLimits;
use harness::{app::TestApp, callers::Agent, databases::TestDatabase, on_every_database};
use serde_json::{Value, json};

on_every_database![
    keywords_are_created_folded_and_told,
    markets_tell_keywords_apart,
    ai_tracking_takes_and_frees_places,
    a_deactivated_keyword_comes_back_with_its_id,
    a_keyword_is_changed_by_a_merge_patch,
    a_thousand_keywords_are_added_at_once_and_no_more,
    keywords_are_listed_filtered_and_paged,
];

async fn project(agent: &Agent) -> String {
    let created = agent
        .post("/projects", json!({ "domain": "shop.example.com" }))
        .await
        .is(201);
    format!("/projects/{}/keywords", created["id"])
}

async fn add(agent: &Agent, path: &str, body: Value) -> Value {
    let answer = agent.post(path, body).await;
    assert!([200, 201].contains(&answer.status), "{}", answer.text);
    answer.body
}

async fn keywords_are_created_folded_and_told(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let path = project(&agent).await;
    let first = agent.post(&path, json!({ "keywords": ["Rust SEO", "rust  seo ", "actix"], "aiTracked": true, "tags": ["x", "x"] })).await.is(201);
    assert_eq!(
        first["counts"],
        json!({ "created": 2, "existing": 0, "reactivated": 0, "repeated": 1 })
    );
    assert_eq!(
        first["allowance"],
        json!({ "keywords": { "limit": 10_000, "used": 2 }, "aiTracked": { "limit": 100, "used": 2 } })
    );
    assert_eq!(
        (
            &first["created"][0]["aiTracked"],
            &first["created"][0]["tags"]
        ),
        (&json!(true), &json!(["x"]))
    );
    let second = agent
        .post(&path, json!({ "keywords": ["ACTIX", "RUST seo"] }))
        .await
        .is(200);
    assert_eq!(
        second["counts"],
        json!({ "created": 0, "existing": 2, "reactivated": 0, "repeated": 0 })
    );
    assert_eq!(
        second["existing"][0]["aiTracked"], true,
        "what is tracked stays as it is"
    );
    for (body, place, code) in [
        (json!({}), "/keywords", "required"),
        (json!({ "keywords": [] }), "/keywords", "too-few"),
        (json!({ "keywords": "rust" }), "/keywords", "invalid-type"),
        (json!({ "keywords": [""] }), "/keywords/0", "invalid-value"),
        (
            json!({ "keywords": ["x"], "market": { "country": "deu" } }),
            "/market/country",
            "invalid-value",
        ),
        (
            json!({ "keywords": ["x"], "market": { "devise": "mobile" } }),
            "/market/devise",
            "unknown-field",
        ),
    ] {
        assert_eq!(
            agent.post(&path, body).await.invalid(),
            [(place.to_owned(), code.to_owned())]
        );
    }
}

async fn markets_tell_keywords_apart(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let path = project(&agent).await;
    for market in [
        json!({}),
        json!({ "country": "DE" }),
        json!({ "country": "de", "language": "de" }),
        json!({ "device": "mobile" }),
        json!({ "location": "Berlin" }),
    ] {
        let added = agent
            .post(&path, json!({ "keywords": ["rust"], "market": market }))
            .await
            .is(201);
        assert_eq!(added["counts"]["created"], 1, "{market}");
    }
    let again = agent
        .post(
            &path,
            json!({ "keywords": ["rust"], "market": { "country": "de" } }),
        )
        .await
        .is(200);
    assert_eq!(
        again["existing"][0]["market"],
        json!({ "country": "de", "language": "en", "device": "desktop", "location": null })
    );
}

async fn ai_tracking_takes_and_frees_places(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    app.db_limit(
        &agent,
        AccountLimits {
            ai_tracked: 1,
            ..AccountLimits::default()
        },
    )
    .await;
    let path = project(&agent).await;
    let added = add(&agent, &path, json!({ "keywords": ["a", "b"] })).await;
    let [first, second] = [0, 1].map(|n| format!("/keywords/{}", added["created"][n]["id"]));
    agent
        .patch(&first, json!({ "aiTracked": true }))
        .await
        .is(200);
    let refused = agent
        .patch(&second, json!({ "aiTracked": true }))
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        refused["allowance"],
        json!({ "name": "aiTracked", "used": 1, "limit": 1, "requested": 1 })
    );
    agent.delete(&first).await.is(200);
    agent
        .patch(&second, json!({ "aiTracked": true }))
        .await
        .is(200);
    agent
        .patch(&first, json!({ "status": "active" }))
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        agent.get("/models").await.is(200)["allowance"],
        json!({ "aiTracked": { "limit": 1, "used": 1 } })
    );
    agent
        .post(&path, json!({ "keywords": ["c"], "aiTracked": true }))
        .await
        .refused(409, "allowance-exceeded");
}

async fn a_deactivated_keyword_comes_back_with_its_id(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let path = project(&agent).await;
    let id = add(&agent, &path, json!({ "keywords": ["rust"] })).await["created"][0]["id"].clone();
    let gone = agent.delete(&format!("/keywords/{id}")).await.is(200);
    assert_eq!(
        (
            &gone["status"],
            agent.delete(&format!("/keywords/{id}")).await.is(200)
        ),
        (&json!("deactivated"), gone.clone())
    );
    assert_eq!(agent.get(&path).await.is(200)["items"], json!([]));
    let back = agent
        .post(&path, json!({ "keywords": ["RUST"], "aiTracked": true }))
        .await
        .is(200);
    assert_eq!(
        (
            &back["reactivated"][0]["id"],
            &back["reactivated"][0]["aiTracked"]
        ),
        (&id, &json!(true))
    );
}

async fn a_keyword_is_changed_by_a_merge_patch(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let path = project(&agent).await;
    let added = add(
        &agent,
        &path,
        json!({ "keywords": ["a", "b"], "market": { "country": "de", "location": "Berlin" } }),
    )
    .await;
    let keyword = format!("/keywords/{}", added["created"][0]["id"]);
    let changed = agent.patch(&keyword, json!({ "targetUrl": "https://shop.example.com/a", "tags": ["t"], "market": { "location": null, "device": "mobile" } })).await.is(200);
    assert_eq!(
        changed["market"],
        json!({ "country": "de", "language": "en", "device": "mobile", "location": null })
    );
    assert_eq!(
        agent.patch(&keyword, changed.clone()).await.is(200),
        changed,
        "what was read can be sent back"
    );
    let cleared = agent
        .patch(&keyword, json!({ "targetUrl": null, "tags": null }))
        .await
        .is(200);
    assert_eq!(
        (&cleared["targetUrl"], &cleared["tags"]),
        (&Value::Null, &json!([]))
    );
    for (patch, place, code) in [
        (json!({ "text": "other" }), "/text", "read-only-field"),
        (json!({ "aiTracked": null }), "/aiTracked", "not-nullable"),
        (
            json!({ "targetUrl": "ftp://x" }),
            "/targetUrl",
            "invalid-value",
        ),
        (json!({ "aiTraked": true }), "/aiTraked", "unknown-field"),
    ] {
        assert_eq!(
            agent.patch(&keyword, patch).await.invalid(),
            [(place.to_owned(), code.to_owned())]
        );
    }
    let twin = add(
        &agent,
        &path,
        json!({ "keywords": ["a"], "market": { "country": "fr" } }),
    )
    .await["created"][0]["id"]
        .clone();
    let market = json!({ "market": { "country": "fr", "device": "desktop" } });
    assert_eq!(
        agent
            .patch(&keyword, market)
            .await
            .refused(409, "keyword-exists")["existing"]["id"],
        twin
    );
}

async fn a_thousand_keywords_are_added_at_once_and_no_more(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let path = project(&agent).await;
    let keywords = |count: usize| {
        (0..count)
            .map(|n| format!("keyword {n}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        agent
            .post(&path, json!({ "keywords": keywords(1_001) }))
            .await
            .invalid(),
        [("/keywords".to_owned(), "too-many".to_owned())]
    );
    let added = agent
        .post(&path, json!({ "keywords": keywords(1_000) }))
        .await
        .is(201);
    assert_eq!(added["counts"]["created"], 1_000);
}

async fn keywords_are_listed_filtered_and_paged(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let path = project(&agent).await;
    add(
        &agent,
        &path,
        json!({ "keywords": ["b rust", "a rust", "c"], "tags": ["t"] }),
    )
    .await;
    add(
        &agent,
        &path,
        json!({ "keywords": ["d"], "aiTracked": true }),
    )
    .await;
    for (filter, texts) in [
        ("sort=text", vec!["a rust", "b rust", "c", "d"]),
        ("sort=-text", vec!["d", "c", "b rust", "a rust"]),
        ("aiTracked=true", vec!["d"]),
        ("tag=t&sort=text&search=RUST", vec!["a rust", "b rust"]),
        ("status=deactivated", vec![]),
        ("sort=text&limit=2", vec!["a rust", "b rust"]),
    ] {
        let page = agent.get(&format!("{path}?{filter}")).await.is(200);
        let found: Vec<&str> = page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["text"].as_str().unwrap())
            .collect();
        assert_eq!(found, texts, "{filter}");
    }
    let cursor = agent
        .get(&format!("{path}?sort=text&limit=2"))
        .await
        .is(200)["nextCursor"]
        .as_str()
        .unwrap()
        .to_owned();
    let rest = agent
        .get(&format!("{path}?sort=text&limit=2&cursor={cursor}"))
        .await
        .is(200);
    assert_eq!(
        (&rest["items"][0]["text"], &rest["nextCursor"]),
        (&json!("c"), &Value::Null)
    );
}
