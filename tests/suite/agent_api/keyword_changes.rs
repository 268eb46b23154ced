//! PATCH and DELETE /keywords/:id.

use chrono::TimeDelta;
use harness::{
    app::TestApp,
    callers::{Caller, id},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    values_replace_null_resets_and_the_same_changes_nothing,
    a_deactivated_keyword_is_reactivated,
];
harness::on_sqlite![
    read_only_members_are_refused,
    a_market_that_has_the_keyword_already_is_refused,
    keywords_of_a_deactivated_project_are_not_changed,
];

async fn begun(app: &TestApp) -> (Caller, i64, String, Value) {
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["kaffee"]).await;
    let before = agent
        .get(&format!("/projects/{project}/keywords"))
        .await
        .ok()["items"][0]
        .clone();
    app.clock.advance(TimeDelta::seconds(60));
    (agent, project, format!("/keywords/{}", keywords[0]), before)
}

async fn values_replace_null_resets_and_the_same_changes_nothing(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, path, before) = begun(&app).await;
    for same in [
        json!({}),
        before.clone(),
        json!({ "aiTracked": false, "tags": null, "targetUrl": null }),
    ] {
        assert_eq!(agent.patch(&path, same).await.ok(), before);
    }
    let patch = json!({ "aiTracked": true, "targetUrl": "https://shop.example.com/kaffee", "tags": ["a", "b", "a"], "market": { "device": "mobile", "location": "Wien" } });
    let after = agent.patch(&path, patch).await.ok();
    let mut expected = before.clone();
    expected["aiTracked"] = json!(true);
    expected["targetUrl"] = json!("https://shop.example.com/kaffee");
    expected["tags"] = json!(["a", "b"]);
    expected["market"]["device"] = json!("mobile");
    expected["market"]["location"] = json!("Wien");
    expected["updatedAt"] = json!("2026-09-21T14:14:20Z");
    assert_eq!(after, expected);
    assert_eq!(
        agent.get(&format!("/projects/{project}")).await.ok()["aiTrackedCount"],
        1
    );
    let reset = agent
        .patch(
            &path,
            json!({ "targetUrl": null, "tags": null, "market": { "location": null } }),
        )
        .await
        .ok();
    assert_eq!(
        (
            &reset["targetUrl"],
            &reset["tags"],
            &reset["market"]["location"]
        ),
        (&Value::Null, &json!([]), &Value::Null)
    );
}

async fn a_deactivated_keyword_is_reactivated(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, path, _) = begun(&app).await;
    agent.patch(&path, json!({ "aiTracked": true })).await.ok();
    let gone = agent.delete(&path).await.ok();
    assert_eq!(
        (&gone["status"], &gone["deactivatedAt"]),
        (&json!("deactivated"), &json!("2026-09-21T14:14:20Z"))
    );
    app.clock.advance(TimeDelta::seconds(60));
    assert_eq!(agent.delete(&path).await.ok(), gone);
    let counts = |project: Value| {
        (
            project["keywordCount"].clone(),
            project["aiTrackedCount"].clone(),
        )
    };
    assert_eq!(
        counts(agent.get(&format!("/projects/{project}")).await.ok()),
        (json!(0), json!(0))
    );
    let back = agent.patch(&path, json!({ "status": "active" })).await.ok();
    assert_eq!(
        (&back["status"], &back["aiTracked"], &back["deactivatedAt"]),
        (&json!("active"), &json!(true), &Value::Null)
    );
    assert_eq!(
        counts(agent.get(&format!("/projects/{project}")).await.ok()),
        (json!(1), json!(1))
    );
}

async fn read_only_members_are_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, _, path, before) = begun(&app).await;
    for (patch, place, code) in [
        (json!({ "aiTracked": null }), "/aiTracked", "not-nullable"),
        (json!({ "aiTracked": "yes" }), "/aiTracked", "invalid-type"),
        (json!({ "text": "tea" }), "/text", "read-only-field"),
        (json!({ "projectId": 7 }), "/projectId", "read-only-field"),
        (json!({ "latest": {} }), "/latest", "read-only-field"),
        (
            json!({ "targetUrl": "ftp://x" }),
            "/targetUrl",
            "invalid-value",
        ),
        (
            json!({ "targetUrl": "https://rival.example/shop.example.com" }),
            "/targetUrl",
            "foreign-site",
        ),
        (json!({ "status": "gone" }), "/status", "invalid-value"),
        (json!({ "market": null }), "/market", "not-nullable"),
        (
            json!({ "market": { "country": null } }),
            "/market/country",
            "not-nullable",
        ),
        (json!({ "aitracked": true }), "/aitracked", "unknown-field"),
    ] {
        assert_eq!(
            agent.patch(&path, patch).await.errors(),
            [(place.into(), code.into())]
        );
    }
    assert_eq!(agent.patch(&path, json!({})).await.ok(), before);
}

async fn a_market_that_has_the_keyword_already_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, path, before) = begun(&app).await;
    let body = json!({ "keywords": ["KAFFEE"], "market": { "device": "mobile" } });
    let twin = agent
        .post(&format!("/projects/{project}/keywords"), body)
        .await
        .created();
    let problem = agent
        .patch(&path, json!({ "market": { "device": "mobile" } }))
        .await
        .refused(409, "keyword-exists");
    assert_eq!(problem["existing"]["id"], id(&twin["created"][0]));
    assert_eq!(agent.patch(&path, json!({})).await.ok(), before);
}

async fn keywords_of_a_deactivated_project_are_not_changed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, path, before) = begun(&app).await;
    agent.delete(&format!("/projects/{project}")).await.ok();
    let problem = agent
        .patch(&path, json!({ "aiTracked": true }))
        .await
        .refused(409, "project-deactivated");
    assert_eq!(
        problem["nextActions"][0]["href"],
        format!("/api/agent/v1/projects/{project}")
    );
    agent
        .delete(&path)
        .await
        .refused(409, "project-deactivated");
    assert_eq!(agent.patch(&path, json!({})).await.ok(), before);
}
