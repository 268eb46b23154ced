//! PATCH /projects/:id as a merge patch.

use chrono::TimeDelta;
use harness::{app::TestApp, callers::Caller, databases::TestDatabase, on_every_database};
use serde_json::{Value, json};

on_every_database![
    absent_members_stay_and_values_replace,
    null_resets_nullable_members,
    a_read_project_can_be_sent_back,
    a_project_is_reactivated_only_within_the_quota,
];
harness::on_sqlite![
    null_is_refused_for_non_nullable_members,
    changed_read_only_members_are_refused,
    report_settings_are_merged,
    keywords_in_a_patch_are_refused_with_the_endpoint,
    a_deactivated_project_is_not_changed,
    both_media_types_mean_merge_patch,
];

async fn begun(app: &TestApp) -> (Caller, String, Value) {
    let agent = app.db_full_agent().await;
    let body = json!({
        "domain": "shop.example.com", "name": "Shop", "clientName": "Ann", "category": "retail", "tags": ["eu"], "favorite": true, "priority": "high",
        "workflowStatus": "review", "assignedToName": "Bob", "reportRecipients": ["ann@example.com"],
        "reportSettings": { "enabled": false, "frequency": "daily", "contentOverrides": { "vitals": false, "content": true } },
    });
    let id = agent.post("/projects", body).await.created()["id"].clone();
    let path = format!("/projects/{id}");
    let read = agent.get(&path).await.ok();
    app.clock.advance(TimeDelta::seconds(60));
    (agent, path, read)
}

/// The project with these members replaced and a new `updatedAt`.
fn with(before: &Value, members: &Value) -> Value {
    let mut after = before.clone();
    for (name, value) in members.as_object().unwrap() {
        after[name] = value.clone();
    }
    after["updatedAt"] = json!("2026-09-21T14:14:20Z");
    after
}

async fn absent_members_stay_and_values_replace(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, before) = begun(&app).await;
    let patch = json!({ "name": "Store", "clientName": "Cid", "category": "b2b", "tags": ["us", "ca"], "favorite": false, "priority": "low", "workflowStatus": "paused", "assignedToName": "Eve", "reportRecipients": ["b@example.com"] });
    let after = agent.patch(&path, patch.clone()).await.ok();
    assert_eq!(after, with(&before, &patch));
    assert_eq!(agent.get(&path).await.ok(), after);
    app.clock.advance(TimeDelta::seconds(60));
    for same in [
        json!({}),
        patch,
        json!({ "status": "active", "domain": "shop.example.com" }),
    ] {
        assert_eq!(agent.patch(&path, same).await.ok(), after);
    }
}

async fn null_resets_nullable_members(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, before) = begun(&app).await;
    let names = [
        "clientName",
        "category",
        "tags",
        "priority",
        "workflowStatus",
        "assignedToName",
        "reportRecipients",
        "reportSettings",
    ];
    let patch: serde_json::Map<String, Value> = names
        .iter()
        .map(|it| ((*it).to_owned(), Value::Null))
        .collect();
    let after = agent.patch(&path, patch.into()).await.ok();
    let reset = json!({ "clientName": null, "category": null, "tags": [], "priority": "normal", "workflowStatus": "onboarding", "assignedToName": null, "reportRecipients": [], "reportSettings": null, "effectiveReportSettings": after["effectiveReportSettings"] });
    assert_eq!(after, with(&before, &reset));
    assert_eq!(after["effectiveReportSettings"]["content"]["vitals"], true);
    assert_eq!(agent.get(&path).await.ok(), after);
}

async fn a_read_project_can_be_sent_back(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, before) = begun(&app).await;
    assert_eq!(agent.patch(&path, before.clone()).await.ok(), before);
    let mut changed = before.clone();
    changed["name"] = json!("Store");
    assert_eq!(
        agent.patch(&path, changed).await.ok(),
        with(&before, &json!({ "name": "Store" }))
    );
}

async fn a_project_is_reactivated_only_within_the_quota(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|limits| limits.keywords = 2).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a", "b"]).await;
    let path = format!("/projects/{project}");
    let gone = agent
        .patch(&path, json!({ "status": "deactivated" }))
        .await
        .ok();
    assert_eq!(
        (&gone["status"], &gone["deactivatedAt"]),
        (&json!("deactivated"), &json!("2026-09-21T14:13:20Z"))
    );
    let (other, _) = agent.project("blog.example.com", &["c"]).await;
    let problem = agent
        .patch(&path, json!({ "status": "active" }))
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        problem["allowance"],
        json!({ "name": "keywords", "used": 1, "limit": 2, "requested": 2 })
    );
    agent.delete(&format!("/projects/{other}")).await.ok();
    let back = agent.patch(&path, json!({ "status": "active" })).await.ok();
    assert_eq!(
        (
            &back["status"],
            &back["deactivatedAt"],
            &back["keywordCount"]
        ),
        (&json!("active"), &Value::Null, &json!(2))
    );
    let quotas = agent.get("/health").await.ok()["quotas"].clone();
    assert_eq!(
        (&quotas[0]["used"], &quotas[1]["used"]),
        (&json!(1), &json!(2))
    );
}

async fn null_is_refused_for_non_nullable_members(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, before) = begun(&app).await;
    for name in ["name", "favorite", "status"] {
        let answer = agent.patch(&path, json!({ name: null })).await;
        assert_eq!(
            answer.errors(),
            [(format!("/{name}"), "not-nullable".into())]
        );
    }
    let answer = agent.patch(&path, json!({ "domain": null })).await;
    assert_eq!(answer.errors()[0].0, "/domain");
    assert_eq!(agent.get(&path).await.ok(), before);
}

async fn changed_read_only_members_are_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, before) = begun(&app).await;
    for name in [
        "id",
        "domainUnicode",
        "effectiveReportSettings",
        "keywordCount",
        "aiTrackedCount",
        "lastAnalysisAt",
        "createdAt",
        "updatedAt",
        "deactivatedAt",
    ] {
        let answer = agent
            .patch(&path, json!({ name: "other", "name": "Store" }))
            .await;
        assert_eq!(
            answer.errors(),
            [(format!("/{name}"), "read-only-field".into())]
        );
    }
    let answer = agent
        .patch(&path, json!({ "domain": "blog.example.com" }))
        .await;
    assert_eq!(
        answer.errors(),
        [("/domain".into(), "immutable-field".into())]
    );
    let same = format!(
        "https://{}/",
        before["domain"].as_str().unwrap().to_uppercase()
    );
    assert_eq!(
        agent.patch(&path, json!({ "domain": same })).await.ok(),
        before
    );
    let answer = agent.patch(&path, json!({ "clientname": "Ann" })).await;
    assert_eq!(
        answer.errors(),
        [("/clientname".into(), "unknown-field".into())]
    );
    assert_eq!(answer.json()["errors"][0]["didYouMean"], "clientName");
    assert_eq!(agent.get(&path).await.ok(), before);
}

async fn report_settings_are_merged(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, _) = begun(&app).await;
    let patch = json!({ "reportSettings": { "enabled": null, "includePdf": "yes", "contentOverrides": { "vitals": null, "forecast": false } } });
    let after = agent.patch(&path, patch).await.ok();
    let merged = json!({ "enabled": null, "frequency": "daily", "includePdf": "yes", "contentOverrides": { "content": true, "forecast": false } });
    assert_eq!(after["reportSettings"], merged);
    let after = agent
        .patch(
            &path,
            json!({ "reportSettings": { "contentOverrides": null, "frequency": "inherit" } }),
        )
        .await
        .ok();
    assert_eq!(
        after["reportSettings"],
        json!({ "enabled": null, "frequency": "inherit", "includePdf": "yes", "contentOverrides": {} })
    );
}

async fn keywords_in_a_patch_are_refused_with_the_endpoint(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, _) = begun(&app).await;
    let answer = agent.patch(&path, json!({ "keywords": ["new"] })).await;
    assert_eq!(answer.errors()[0].0, "/keywords");
    assert!(answer.body.contains("POST /projects/:id/keywords"));
}

async fn a_deactivated_project_is_not_changed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, _) = begun(&app).await;
    let gone = agent.delete(&path).await.ok();
    let problem = agent
        .patch(&path, json!({ "name": "Store" }))
        .await
        .refused(409, "project-deactivated");
    assert_eq!(
        problem["nextActions"][0],
        json!({ "method": "PATCH", "href": format!("/api/agent/v1{path}"), "description": "Bring the project back", "body": { "status": "active" } })
    );
    assert_eq!(agent.patch(&path, json!({})).await.ok(), gone);
    let keywords = format!("{path}/keywords");
    let problem = agent
        .post(&keywords, json!({ "keywords": ["a"] }))
        .await
        .refused(409, "project-deactivated");
    assert_eq!(
        problem["nextActions"][0]["href"],
        format!("/api/agent/v1{path}")
    );
    agent.get(&keywords).await.ok();
    let back = agent
        .patch(&path, json!({ "status": "active", "name": "Store" }))
        .await
        .ok();
    assert_eq!(
        (&back["status"], &back["name"]),
        (&json!("active"), &json!("Store"))
    );
}

async fn both_media_types_mean_merge_patch(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, _) = begun(&app).await;
    for (kind, name) in [
        ("application/json; charset=UTF-8", "One"),
        ("application/merge-patch+json", "Two"),
    ] {
        let request = agent
            .request(reqwest::Method::PATCH, &path)
            .header("content-type", kind);
        let answer = agent
            .send(request.body(json!({ "name": name }).to_string()))
            .await;
        assert_eq!(answer.ok()["name"], name);
    }
    for body in ["[]", "null", "\"x\"", "7"] {
        let request = agent
            .request(reqwest::Method::PATCH, &path)
            .header("content-type", "application/json");
        agent
            .send(request.body(body))
            .await
            .refused(400, "malformed-json");
    }
}
