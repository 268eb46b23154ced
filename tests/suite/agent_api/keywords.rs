//! Adding and listing keywords.

use chrono::TimeDelta;
use harness::{
    app::TestApp,
    callers::{id, ids},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    added_keywords_are_created_existing_or_reactivated,
    all_keywords_are_added_or_none,
    the_ai_quota_can_be_used_up_exactly,
    lists_are_filtered_by_every_filter,
];
harness::on_sqlite![
    a_keyword_carries_its_market_and_tags,
    an_invalid_body_is_refused_with_all_errors,
    a_request_beyond_the_project_quota_is_refused,
];

async fn added_keywords_are_created_existing_or_reactivated(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, known) = agent.project("shop.example.com", &["one", "two"]).await;
    let path = format!("/projects/{project}/keywords");
    agent.delete(&format!("/keywords/{}", known[1])).await.ok();

    let answer = agent
        .post(
            &path,
            json!({ "keywords": ["ONE", "two", "three", "Three "] }),
        )
        .await;
    let added = answer.created();
    assert_eq!(
        added["counts"],
        json!({ "created": 1, "existing": 1, "reactivated": 1, "repeated": 1 })
    );
    assert_eq!(
        (id(&added["existing"][0]), id(&added["reactivated"][0])),
        (known[0], known[1])
    );
    assert_eq!(
        (
            &added["created"][0]["text"],
            &added["reactivated"][0]["status"]
        ),
        (&json!("three"), &json!("active"))
    );
    assert_eq!(
        added["allowance"],
        json!({ "keywords": { "limit": 10_000, "used": 3 }, "aiTracked": { "limit": 100, "used": 0 } })
    );
    assert_eq!(
        agent.get(&format!("/projects/{project}")).await.ok()["keywordCount"],
        3
    );
    let again = agent.post(&path, json!({ "keywords": ["one"] })).await.ok();
    assert_eq!(again["counts"]["existing"], 1);
}

async fn all_keywords_are_added_or_none(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|limits| limits.keywords = 3).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["one"]).await;
    let path = format!("/projects/{project}/keywords");
    let problem = agent
        .post(
            &path,
            json!({ "keywords": ["one", "two", "three", "four"] }),
        )
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        problem["allowance"],
        json!({ "name": "keywords", "used": 1, "limit": 3, "requested": 3 })
    );
    assert_eq!(
        agent.get(&path).await.ok()["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    agent
        .post(&path, json!({ "keywords": ["two", "three"] }))
        .await
        .created();
}

async fn the_ai_quota_can_be_used_up_exactly(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|limits| limits.ai_tracked = 2).await;
    let agent = app.db_full_agent().await;
    let (project, plain) = agent.project("shop.example.com", &["plain"]).await;
    let path = format!("/projects/{project}/keywords");
    let added = agent
        .post(&path, json!({ "keywords": ["a", "b"], "aiTracked": true }))
        .await
        .created();
    assert_eq!(
        added["allowance"]["aiTracked"],
        json!({ "limit": 2, "used": 2 })
    );
    let keyword = format!("/keywords/{}", plain[0]);
    let problem = agent
        .patch(&keyword, json!({ "aiTracked": true }))
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        problem["allowance"],
        json!({ "name": "aiTracked", "used": 2, "limit": 2, "requested": 1 })
    );
    agent
        .post(&path, json!({ "keywords": ["c"], "aiTracked": true }))
        .await
        .refused(409, "allowance-exceeded");
    agent
        .delete(&format!("/keywords/{}", id(&added["created"][0])))
        .await
        .ok();
    assert_eq!(
        agent
            .patch(&keyword, json!({ "aiTracked": true }))
            .await
            .ok()["aiTracked"],
        true
    );
    assert_eq!(
        agent.get("/models").await.ok()["allowance"]["aiTracked"]["used"],
        2
    );
}

async fn lists_are_filtered_by_every_filter(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, plain) = agent.project("shop.example.com", &["plain one"]).await;
    let path = format!("/projects/{project}/keywords");
    let added = agent
        .post(
            &path,
            json!({ "keywords": ["Žluť kůň"], "aiTracked": true, "tags": ["eu"] }),
        )
        .await
        .created();
    let tagged = id(&added["created"][0]);
    for (filter, found) in [
        ("aiTracked=true", vec![tagged]),
        ("aiTracked=false", vec![plain[0]]),
        ("tag=eu", vec![tagged]),
        ("search=%C5%BDLU%C5%A4", vec![tagged]),
        ("search=one", vec![plain[0]]),
        ("search=%25", vec![]),
        ("status=deactivated", vec![]),
    ] {
        assert_eq!(
            ids(&agent.get(&format!("{path}?{filter}")).await.ok()),
            found,
            "{filter}"
        );
    }
    agent.delete(&format!("/keywords/{tagged}")).await.ok();
    assert_eq!(
        ids(&agent.get(&format!("{path}?status=deactivated")).await.ok()),
        [tagged]
    );
    assert_eq!(
        ids(&agent
            .get(&format!("{path}?status=all&fields=text"))
            .await
            .ok())
        .len(),
        2
    );
    assert_eq!(
        agent
            .get(&format!("{path}?aiTracked=1&limit=0&sort=size"))
            .await
            .errors()
            .len(),
        3
    );
}

async fn a_keyword_carries_its_market_and_tags(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["kaffee"]).await;
    let path = format!("/projects/{project}/keywords");
    app.clock.advance(TimeDelta::seconds(1));
    let market =
        json!({ "country": "DE", "language": "de", "device": "mobile", "location": "Berlin" });
    let added = agent
        .post(
            &path,
            json!({ "keywords": ["kaffee"], "market": market, "tags": ["a", "a"] }),
        )
        .await
        .created();
    let keyword = &added["created"][0];
    assert_eq!(
        keyword["market"],
        json!({ "country": "de", "language": "de", "device": "mobile", "location": "Berlin" })
    );
    assert_eq!(
        (&keyword["tags"], &keyword["latest"], &keyword["projectId"]),
        (&json!(["a"]), &Value::Null, &json!(project))
    );
    let plain = agent.get(&path).await.ok()["items"][0].clone();
    assert_eq!(
        plain["market"],
        json!({ "country": "us", "language": "en", "device": "desktop", "location": null })
    );
}

async fn an_invalid_body_is_refused_with_all_errors(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &[]).await;
    let path = format!("/projects/{project}/keywords");
    let describe_errors = |errors: Vec<(String, String)>| {
        errors
            .into_iter()
            .map(|(place, code)| format!("{place} {code}"))
            .collect::<Vec<_>>()
    };
    for (body, errors) in [
        (json!({}), vec!["/keywords required"]),
        (json!({ "keywords": [] }), vec!["/keywords too-few"]),
        (json!({ "keywords": "one" }), vec!["/keywords invalid-type"]),
        (
            json!({ "keywords": ["a"], "aiTracked": null }),
            vec!["/aiTracked not-nullable"],
        ),
        (
            json!({ "keywords": ["a"], "market": { "country": "usa", "device": "tablet", "city": "x" } }),
            vec![
                "/market/city unknown-field",
                "/market/country invalid-value",
                "/market/device invalid-value",
            ],
        ),
        (
            json!({ "keyword": ["a"], "tags": [""] }),
            vec![
                "/keyword unknown-field",
                "/keywords required",
                "/tags/0 invalid-value",
            ],
        ),
    ] {
        assert_eq!(
            describe_errors(agent.post(&path, body).await.errors()),
            errors
        );
    }
    assert_eq!(
        agent
            .post(&format!("{path}?dryRun=true"), json!({ "keywords": ["a"] }))
            .await
            .errors(),
        [("dryRun".into(), "unknown-parameter".into())]
    );
    assert_eq!(agent.get(&path).await.ok()["items"], json!([]));
}

async fn a_request_beyond_the_project_quota_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|limits| limits.keywords_per_project = 2).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    let problem = agent
        .post(
            &format!("/projects/{project}/keywords"),
            json!({ "keywords": ["b", "c"] }),
        )
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        (
            &problem["allowance"]["used"],
            &problem["allowance"]["limit"],
            &problem["allowance"]["requested"]
        ),
        (&json!(1), &json!(2), &json!(2))
    );
}
