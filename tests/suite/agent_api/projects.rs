//! Creating, reading, listing and deactivating projects.

use chrono::TimeDelta;
use harness::{
    app::TestApp,
    callers::{id, ids},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    a_project_with_every_field_is_read_back_as_it_was_created,
    a_project_needs_a_domain_alone,
    the_project_quota_can_be_used_up_exactly,
    a_domain_is_unique_among_active_projects,
    deactivating_twice_changes_nothing_more,
    lists_are_filtered_by_every_filter,
];
harness::on_sqlite![
    a_domain_is_normalized_with_warnings_of_removed_parts,
    a_domain_that_cannot_be_monitored_is_refused,
    tags_and_recipients_are_folded,
    all_errors_of_a_body_are_reported_together,
    an_unknown_report_section_is_refused_with_a_correction,
    only_selected_fields_are_returned,
    an_invalid_keyword_creates_no_project,
];

fn whole() -> Value {
    json!({
        "domain": "shop.example.com",
        "name": "Shop",
        "keywords": ["rank tracker", "seo audit"],
        "clientName": "Ann & Co",
        "category": "retail",
        "tags": ["eu", "žluť"],
        "favorite": true,
        "priority": "high",
        "workflowStatus": "review",
        "assignedToName": "Bob",
        "reportRecipients": ["ann@example.com"],
        "reportSettings": { "enabled": false, "frequency": "quarterly", "includePdf": "inherit", "contentOverrides": { "vitals": false } },
    })
}

async fn a_project_with_every_field_is_read_back_as_it_was_created(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let answer = agent.post("/projects", whole()).await;
    let created = answer.created();
    let path = format!("/projects/{}", id(&created));
    assert_eq!(answer.header("location"), format!("/api/agent/v1{path}"));
    assert_eq!(
        created["keywords"]["counts"],
        json!({ "created": 2, "existing": 0, "reactivated": 0, "repeated": 0 })
    );
    assert_eq!(created["warnings"], json!([]));

    let read = agent.get(&path).await.ok();
    let listed = agent.get("/projects").await.ok()["items"][0].clone();
    assert_eq!(read, listed);
    for (name, value) in whole().as_object().unwrap() {
        if name != "keywords" {
            assert_eq!((name, &read[name]), (name, value));
        }
        if !["keywords", "warnings"].contains(&name.as_str()) {
            assert_eq!(read[name], created[name]);
        }
    }
    assert_eq!(
        (&read["keywordCount"], &read["aiTrackedCount"]),
        (&json!(2), &json!(0))
    );
    let effective = &read["effectiveReportSettings"];
    assert_eq!(
        (&effective["enabled"], &effective["frequency"]),
        (&json!(false), &json!("quarterly"))
    );
    assert_eq!(
        (
            &effective["content"]["vitals"],
            &effective["content"]["rankings"]
        ),
        (&json!(false), &json!(true))
    );
    let head = agent.head(&path).await;
    assert_eq!(head.status, 200);
}

async fn a_project_needs_a_domain_alone(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let created = agent
        .post("/projects", json!({ "domain": "shop.example.com" }))
        .await
        .created();
    for (name, value) in [
        ("name", json!("shop.example.com")),
        ("status", json!("active")),
        ("clientName", Value::Null),
        ("category", Value::Null),
        ("tags", json!([])),
        ("favorite", json!(false)),
        ("priority", json!("normal")),
        ("workflowStatus", json!("onboarding")),
        ("assignedToName", Value::Null),
        ("reportRecipients", json!([])),
        ("reportSettings", Value::Null),
        ("keywords", Value::Null),
        ("lastAnalysisAt", Value::Null),
        ("deactivatedAt", Value::Null),
    ] {
        assert_eq!((name, &created[name]), (name, &value));
    }
}

async fn the_project_quota_can_be_used_up_exactly(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|limits| (limits.projects, limits.keywords) = (2, 3))
        .await;
    let agent = app.db_full_agent().await;
    agent.project("a.example.com", &["a", "b"]).await;
    let body = json!({ "domain": "b.example.com", "keywords": ["a", "b"] });
    let problem = agent
        .post("/projects", body)
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        problem["allowance"],
        json!({ "name": "keywords", "used": 2, "limit": 3, "requested": 2 })
    );
    let (last, _) = agent.project("b.example.com", &["a"]).await;
    let third = json!({ "domain": "c.example.com" });
    let problem = agent
        .post("/projects", third.clone())
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        problem["allowance"],
        json!({ "name": "projects", "used": 2, "limit": 2, "requested": 1 })
    );
    agent.delete(&format!("/projects/{last}")).await.ok();
    agent.post("/projects", third).await.created();
}

async fn a_domain_is_unique_among_active_projects(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (first, _) = agent.project("shop.example.com", &[]).await;
    let again = json!({ "domain": "HTTPS://Shop.Example.com./x" });
    let problem = agent
        .post("/projects", again.clone())
        .await
        .refused(409, "project-exists");
    let href = format!("/api/agent/v1/projects/{first}");
    assert_eq!(problem["existing"], json!({ "id": first, "href": href }));
    assert_eq!(problem["nextActions"][0]["href"], href);
    app.db_other_agent()
        .await
        .project("shop.example.com", &[])
        .await;

    agent.delete(&format!("/projects/{first}")).await.ok();
    let second = id(&agent.post("/projects", again).await.created());
    let back = json!({ "status": "active" });
    let problem = agent
        .patch(&format!("/projects/{first}"), back)
        .await
        .refused(409, "project-exists");
    assert_eq!(problem["existing"]["id"], second);
}

async fn deactivating_twice_changes_nothing_more(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    let path = format!("/projects/{project}");
    let job = agent.rank_check(project).await;
    app.clock.advance(TimeDelta::seconds(5));
    let first = agent.delete(&path).await.ok();
    assert_eq!(
        (&first["status"], &first["deactivatedAt"]),
        (&json!("deactivated"), &json!("2026-09-21T14:13:25Z"))
    );
    app.clock.advance(TimeDelta::seconds(5));
    assert_eq!(agent.delete(&path).await.ok(), first);
    assert_eq!(agent.get(&path).await.ok(), first);
    let stopped = agent.get(&format!("/analyze?jobId={job}")).await.ok();
    assert_eq!(stopped["items"][0]["status"], "canceled");
    for stage in stopped["items"][0]["stages"].as_array().unwrap() {
        assert_eq!(
            stage["status"], "skipped",
            "nothing waits in a job that is over"
        );
    }
    assert_eq!(agent.get("/projects").await.ok()["items"], json!([]));
    assert_eq!(
        ids(&agent.get("/projects?status=deactivated").await.ok()),
        [project]
    );
}

async fn lists_are_filtered_by_every_filter(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let shop = id(&agent.post("/projects", whole()).await.created());
    let (blog, _) = agent.project("blog.example.com", &[]).await;
    for filter in [
        "tag=eu",
        "tag=%C5%BElu%C5%A5",
        "category=retail",
        "priority=high",
        "workflowStatus=review",
        "favorite=true",
        "search=ANN",
        "search=shop",
        "search=hop.exam",
    ] {
        let found = agent.get(&format!("/projects?{filter}")).await.ok();
        assert_eq!(ids(&found), [shop], "{filter}");
    }
    for filter in ["favorite=false", "workflowStatus=onboarding", "search=blog"] {
        let found = agent.get(&format!("/projects?{filter}")).await.ok();
        assert_eq!(ids(&found), [blog], "{filter}");
    }
    for filter in ["tag=none", "search=%25", "search=_"] {
        assert_eq!(
            ids(&agent.get(&format!("/projects?{filter}")).await.ok()),
            [0; 0],
            "{filter}"
        );
    }
    let wrong = agent
        .get("/projects?priority=hihg&favorite=1&status=gone&search=%00&limt=1")
        .await;
    assert_eq!(wrong.errors().len(), 5, "{}", wrong.body);
}

async fn a_domain_is_normalized_with_warnings_of_removed_parts(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for (given, ascii, unicode, warnings) in [
        ("example.com", "example.com", "example.com", 0),
        (
            "https://www.Example.com/path?x#y",
            "www.example.com",
            "www.example.com",
            2,
        ),
        (
            "shop.example.com:8080",
            "shop.example.com",
            "shop.example.com",
            1,
        ),
        ("dot.example.com.", "dot.example.com", "dot.example.com", 1),
        (
            "bücher.example.com",
            "xn--bcher-kva.example.com",
            "bücher.example.com",
            0,
        ),
        (
            "xn--bcher-kva.example.org",
            "xn--bcher-kva.example.org",
            "bücher.example.org",
            0,
        ),
    ] {
        let created = agent
            .post("/projects", json!({ "domain": given }))
            .await
            .created();
        let warning_count = created["warnings"].as_array().unwrap().len();
        assert_eq!(
            (&created["domain"], &created["domainUnicode"], warning_count),
            (&json!(ascii), &json!(unicode), warnings),
            "{given}"
        );
    }
}

async fn a_domain_that_cannot_be_monitored_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for (given, reason) in [
        ("co.uk", "publicSuffix"),
        ("printer.local", "reserved"),
        ("metadata.google.internal", "reserved"),
    ] {
        let answer = agent.post("/projects", json!({ "domain": given })).await;
        assert_eq!(
            answer.refused(409, "domain-not-monitorable")["reason"],
            reason,
            "{given}"
        );
    }
    for given in [
        json!("localhost"),
        json!("127.0.0.1"),
        json!("http://[::1]/"),
        json!("0x7f.1"),
        json!("2130706433"),
        json!("a..b.com"),
        json!("ftp://example.com"),
        json!("user:pass@example.com"),
        json!("exa mple.com"),
        json!(""),
        json!("  "),
        json!(7),
        Value::Null,
        json!("a".repeat(2_049)),
    ] {
        let answer = agent.post("/projects", json!({ "domain": given })).await;
        assert_eq!(answer.errors()[0].0, "/domain", "{given}");
        assert!(!answer.body.contains("pass@"), "a password is not repeated");
    }
    assert_eq!(
        agent.get("/projects?status=all").await.ok()["items"],
        json!([])
    );
}

async fn tags_and_recipients_are_folded(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let body = json!({ "domain": "shop.example.com", "keywords": ["Rank  Tracker", "rank tracker"], "tags": ["eu", " eu ", "us"], "reportRecipients": ["ann@example.com", "ann@example.com"] });
    let created = agent.post("/projects", body).await.created();
    assert_eq!(created["tags"], json!(["eu", "us"]));
    assert_eq!(created["reportRecipients"], json!(["ann@example.com"]));
    assert_eq!(
        created["keywords"]["counts"],
        json!({ "created": 1, "existing": 0, "reactivated": 0, "repeated": 1 })
    );
    let path = format!("/projects/{}", id(&created));
    let changed = agent
        .patch(&path, json!({ "tags": ["b", "b", "a"] }))
        .await
        .ok();
    assert_eq!(changed["tags"], json!(["b", "a"]));
}

async fn all_errors_of_a_body_are_reported_together(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let body = json!({
        "domian": "shop.example.com",
        "name": "",
        "keywords": ["ok", "", 7],
        "favorite": null,
        "priority": "hihg",
        "reportRecipients": ["ann@example.com", "nobody"],
        "reportSettings": { "frequency": "hourly", "pdf": true },
    });
    let answer = agent.post("/projects", body).await;
    let mut places: Vec<String> = answer
        .errors()
        .into_iter()
        .map(|(place, _)| place)
        .collect();
    places.sort();
    assert_eq!(
        places,
        [
            "/domain",
            "/domian",
            "/favorite",
            "/keywords/1",
            "/keywords/2",
            "/name",
            "/priority",
            "/reportRecipients/1",
            "/reportSettings/frequency",
            "/reportSettings/pdf"
        ]
    );
    let problem = answer.json();
    let meant: Vec<&Value> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it.get("didYouMean"))
        .collect();
    assert!(
        meant.contains(&&json!("domain")) && meant.contains(&&json!("high")),
        "{problem:#}"
    );
    let many: Vec<String> = vec![String::new(); 1_000];
    let problem = agent
        .post(
            "/projects",
            json!({ "domain": "shop.example.com", "keywords": many }),
        )
        .await
        .refused(422, "validation-failed");
    let shown = problem["errors"].as_array().unwrap().len() as u64;
    assert_eq!(problem["moreErrors"], 1_000 - shown);
}

async fn an_unknown_report_section_is_refused_with_a_correction(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let body = json!({ "domain": "shop.example.com", "reportSettings": { "contentOverrides": { "ranking": true } } });
    let answer = agent.post("/projects", body).await;
    assert_eq!(
        answer.errors(),
        [(
            "/reportSettings/contentOverrides/ranking".into(),
            "unknown-field".into()
        )]
    );
    assert_eq!(answer.json()["errors"][0]["didYouMean"], "rankings");
    let long = "x".repeat(20_000);
    let body = json!({ "domain": "shop.example.com", "reportSettings": { "contentOverrides": { long: true } } });
    agent
        .post("/projects", body)
        .await
        .refused(422, "validation-failed");
}

async fn only_selected_fields_are_returned(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let project = id(&agent.post("/projects", whole()).await.created());
    let list = agent
        .get("/projects?fields=name,reportSettings.frequency,tags")
        .await
        .ok();
    let expected = json!({ "id": project, "name": "Shop", "reportSettings": { "frequency": "quarterly" }, "tags": ["eu", "žluť"] });
    assert_eq!(list["items"], json!([expected]));
    let one = agent
        .get(&format!(
            "/projects/{project}?fields=name,reportSettings.frequency,tags"
        ))
        .await
        .ok();
    assert_eq!(one, expected);
    let wrong = agent.get(&format!("/projects/{project}?fields=nmae")).await;
    assert_eq!(wrong.errors(), [("fields".into(), "unknown-field".into())]);
    assert_eq!(wrong.json()["errors"][0]["didYouMean"], "name");
}

async fn an_invalid_keyword_creates_no_project(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for wrong in ["", "  ", "a\u{7}b", &"x".repeat(201), &"w ".repeat(21)] {
        let body = json!({ "domain": "shop.example.com", "keywords": ["fine", wrong] });
        let answer = agent.post("/projects", body).await;
        assert_eq!(answer.errors()[0].0, "/keywords/1", "{wrong:?}");
    }
    let too_many: Vec<String> = (0..1_001).map(|n| n.to_string()).collect();
    let answer = agent
        .post(
            "/projects",
            json!({ "domain": "shop.example.com", "keywords": too_many }),
        )
        .await;
    assert_eq!(answer.errors(), [("/keywords".into(), "too-many".into())]);
    assert_eq!(answer.json()["errors"][0]["max"], 1_000);
    assert_eq!(agent.get("/projects").await.ok()["items"], json!([]));
}
