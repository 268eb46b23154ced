//! Projects: every field, merge patches line by line, paging, deactivation.

use domain::account::AccountLimits;
use harness::{app::TestApp, databases::TestDatabase, on_every_database};
use serde_json::{Value, json};
use std::collections::BTreeSet;

on_every_database![
    a_project_is_created_with_every_field_and_read_back,
    a_project_needs_a_domain_alone,
    domains_are_shortened_with_a_warning_or_refused_with_a_reason,
    everything_that_is_wrong_is_told_at_once,
    a_merge_patch_changes_what_it_names_and_nothing_else,
    a_merge_patch_refuses_what_cannot_be_changed,
    a_deactivated_project_keeps_everything_and_comes_back,
    a_domain_is_monitored_once,
    the_last_place_is_granted_and_the_next_refused,
    a_walk_through_the_pages_shows_each_project_once,
    lists_are_filtered_and_sorted,
];

fn every_field() -> Value {
    json!({
        "domain": "shop.example.com",
        "name": "Shop",
        "keywords": ["rust seo", "Rust  SEO", "actix"],
        "clientName": "ACME",
        "category": "retail",
        "tags": ["a", "b", "a"],
        "favorite": true,
        "priority": "critical",
        "workflowStatus": "review",
        "assignedToName": "Ann",
        "reportRecipients": ["Ann@example.com", "ann@example.com", "bob@example.com"],
        "reportSettings": { "enabled": true, "frequency": "weekly", "includePdf": "no", "contentOverrides": { "vitals": false } },
    })
}

async fn a_project_is_created_with_every_field_and_read_back(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let answer = agent.post("/projects", every_field()).await;
    let location = answer.header("location");
    let created = answer.is(201);
    assert_eq!(
        location,
        format!("/api/agent/v1/projects/{}", created["id"])
    );
    assert_eq!(
        created["keywords"]["counts"],
        json!({ "created": 2, "existing": 0, "reactivated": 0, "repeated": 1 })
    );
    let read = agent
        .get(&format!("/projects/{}", created["id"]))
        .await
        .is(200);
    for (member, expected) in [
        ("domain", json!("shop.example.com")),
        ("name", json!("Shop")),
        ("clientName", json!("ACME")),
        ("category", json!("retail")),
        ("tags", json!(["a", "b"])),
        ("favorite", json!(true)),
        ("priority", json!("critical")),
        ("workflowStatus", json!("review")),
        ("assignedToName", json!("Ann")),
        (
            "reportRecipients",
            json!(["ann@example.com", "bob@example.com"]),
        ),
        ("keywordCount", json!(2)),
        ("status", json!("active")),
        ("lastAnalysisAt", Value::Null),
    ] {
        assert_eq!(
            (&read[member], &created[member]),
            (&expected, &expected),
            "{member}"
        );
    }
    assert_eq!(
        read["reportSettings"],
        json!({ "enabled": true, "frequency": "weekly", "includePdf": "no", "contentOverrides": { "vitals": false } })
    );
    assert_eq!(read["effectiveReportSettings"]["content"]["vitals"], false);
    assert_eq!(read["effectiveReportSettings"]["content"]["rankings"], true);
}

async fn a_project_needs_a_domain_alone(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let created = app
        .db_agent()
        .await
        .post("/projects", json!({ "domain": "example.com" }))
        .await
        .is(201);
    for (member, expected) in [
        ("name", json!("example.com")),
        ("priority", json!("normal")),
        ("workflowStatus", json!("onboarding")),
        ("favorite", json!(false)),
        ("tags", json!([])),
        ("reportSettings", Value::Null),
        ("keywords", Value::Null),
        ("warnings", json!([])),
    ] {
        assert_eq!(created[member], expected, "{member}");
    }
    assert_eq!(created["effectiveReportSettings"]["frequency"], "monthly");
}

async fn domains_are_shortened_with_a_warning_or_refused_with_a_reason(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    for (given, kept) in [
        ("https://www.Example.com/path?x", "www.example.com"),
        ("example.org.", "example.org"),
        ("example.net:443", "example.net"),
        ("žluťoučký.cz", "xn--luouk-yva3mpa87a.cz"),
    ] {
        let created = agent
            .post("/projects", json!({ "domain": given }))
            .await
            .is(201);
        assert!(
            created["domain"]
                .as_str()
                .is_some_and(|it| it == kept || given.starts_with('ž')),
            "{created}"
        );
        assert_eq!(
            created["warnings"].as_array().unwrap().is_empty(),
            given.starts_with('ž'),
            "{created}"
        );
    }
    for refused in [
        "localhost",
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "http://user@example.com",
        "com",
        "printer.local",
        "db.internal",
        "metadata.google.internal",
        "[::1]",
    ] {
        let problem = agent
            .post("/projects", json!({ "domain": refused }))
            .await
            .refused(409, "domain-not-monitorable");
        assert!(
            problem["reason"].is_string() && problem["hint"].is_string(),
            "{problem}"
        );
    }
}

async fn everything_that_is_wrong_is_told_at_once(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let body = json!({
        "nmae": "x",
        "clientName": "",
        "tags": ["ok", 3],
        "favorite": null,
        "priority": "urgent",
        "reportRecipients": ["nobody"],
        "reportSettings": { "frequency": "hourly", "contentOverrides": { "ranking": true } },
        "keywords": ["a\u{7}"],
    });
    let answer = app.db_agent().await.post("/projects", body).await;
    let meant: Vec<Value> = answer.body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["didYouMean"].clone())
        .collect();
    assert!(
        meant.contains(&json!("name")) && meant.contains(&json!("rankings")),
        "{meant:?}"
    );
    let told: BTreeSet<(String, String)> = answer.invalid().into_iter().collect();
    let expected = [
        ("/nmae", "unknown-field"),
        ("/domain", "required"),
        ("/clientName", "invalid-value"),
        ("/tags/1", "invalid-type"),
        ("/favorite", "not-nullable"),
        ("/priority", "invalid-value"),
        ("/reportRecipients/0", "invalid-value"),
        ("/reportSettings/frequency", "invalid-value"),
        ("/reportSettings/contentOverrides/ranking", "unknown-field"),
        ("/keywords/0", "invalid-value"),
    ];
    assert_eq!(
        told,
        expected
            .map(|(place, code)| (place.to_owned(), code.to_owned()))
            .into()
    );
}

async fn a_merge_patch_changes_what_it_names_and_nothing_else(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let created = agent.post("/projects", every_field()).await.is(201);
    let path = format!("/projects/{}", created["id"]);
    let before = agent.get(&path).await.is(200);

    app.clock.advance(chrono::TimeDelta::hours(1));
    for same in [
        json!({}),
        json!({ "name": "Shop", "tags": ["a", "b"] }),
        before.clone(),
    ] {
        assert_eq!(
            agent.patch(&path, same).await.is(200),
            before,
            "nothing new changes nothing, updatedAt included"
        );
    }
    for (patch, member, expected) in [
        (json!({ "clientName": null }), "clientName", Value::Null),
        (json!({ "category": "b2b" }), "category", json!("b2b")),
        (json!({ "priority": null }), "priority", json!("normal")),
        (
            json!({ "workflowStatus": null }),
            "workflowStatus",
            json!("onboarding"),
        ),
        (
            json!({ "assignedToName": null }),
            "assignedToName",
            Value::Null,
        ),
        (json!({ "tags": null }), "tags", json!([])),
        (
            json!({ "reportRecipients": null }),
            "reportRecipients",
            json!([]),
        ),
        (json!({ "favorite": false }), "favorite", json!(false)),
        (
            json!({ "reportSettings": { "frequency": "inherit", "contentOverrides": { "vitals": null, "content": false } } }),
            "reportSettings",
            json!({ "enabled": true, "frequency": "inherit", "includePdf": "no", "contentOverrides": { "content": false } }),
        ),
        (
            json!({ "reportSettings": null }),
            "reportSettings",
            Value::Null,
        ),
    ] {
        let previous = agent.get(&path).await.is(200);
        let changed = agent.patch(&path, patch.clone()).await.is(200);
        assert_eq!(changed[member], expected, "{patch}");
        for (name, value) in previous.as_object().unwrap() {
            let may_differ =
                [member, "updatedAt", "effectiveReportSettings"].contains(&name.as_str());
            assert!(
                may_differ || changed[name] == *value,
                "{patch} changed {name}"
            );
        }
    }
    let merge_patch = agent
        .request(reqwest::Method::PATCH, &path)
        .header("content-type", "application/merge-patch+json")
        .body(r#"{"name":"New"}"#);
    assert_eq!(agent.send(merge_patch).await.is(200)["name"], "New");
}

async fn a_merge_patch_refuses_what_cannot_be_changed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let created = agent.post("/projects", every_field()).await.is(201);
    let path = format!("/projects/{}", created["id"]);
    for (patch, place, code) in [
        (
            json!({ "domain": "other.example.com" }),
            "/domain",
            "immutable-field",
        ),
        (json!({ "id": 1 }), "/id", "read-only-field"),
        (
            json!({ "keywordCount": 9 }),
            "/keywordCount",
            "read-only-field",
        ),
        (json!({ "keywords": ["x"] }), "/keywords", "unknown-field"),
        (json!({ "name": null }), "/name", "not-nullable"),
        (json!({ "favorite": null }), "/favorite", "not-nullable"),
        (json!({ "status": "gone" }), "/status", "invalid-value"),
        (json!({ "naem": "x" }), "/naem", "unknown-field"),
    ] {
        assert_eq!(
            agent.patch(&path, patch).await.invalid(),
            [(place.to_owned(), code.to_owned())]
        );
    }
    assert_eq!(
        agent.get(&path).await.is(200)["updatedAt"],
        created["updatedAt"]
    );
}

async fn a_deactivated_project_keeps_everything_and_comes_back(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let created = agent.post("/projects", every_field()).await.is(201);
    let path = format!("/projects/{}", created["id"]);
    let gone = agent.delete(&path).await.is(200);
    assert_eq!(gone["status"], "deactivated");
    app.clock.advance(chrono::TimeDelta::hours(1));
    assert_eq!(
        agent.delete(&path).await.is(200),
        gone,
        "a second time changes nothing"
    );
    assert_eq!(agent.get(&path).await.is(200), gone);
    assert_eq!(agent.get("/projects").await.is(200)["items"], json!([]));
    assert_eq!(
        agent.get("/projects?status=all").await.is(200)["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    agent
        .patch(&path, json!({ "favorite": false }))
        .await
        .refused(409, "project-deactivated");
    agent
        .post(&format!("{path}/keywords"), json!({ "keywords": ["new"] }))
        .await
        .refused(409, "project-deactivated");
    let problem = agent
        .post(
            "/analyze",
            json!({ "type": "rankCheck", "projectId": created["id"] }),
        )
        .await
        .refused(409, "project-deactivated");
    let action = problem["nextActions"][0].clone();
    assert_eq!(
        (&action["method"], &action["body"]),
        (&json!("PATCH"), &json!({ "status": "active" }))
    );
    let quota = |health: Value| {
        health["quotas"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["used"].clone())
            .take(2)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        quota(agent.get("/health").await.is(200)),
        [json!(0), json!(0)]
    );

    let back = agent
        .patch(&path, json!({ "status": "active" }))
        .await
        .is(200);
    assert_eq!(
        (
            &back["status"],
            &back["deactivatedAt"],
            &back["keywordCount"]
        ),
        (&json!("active"), &Value::Null, &json!(2))
    );
    assert_eq!(
        quota(agent.get("/health").await.is(200)),
        [json!(1), json!(2)]
    );
}

async fn a_domain_is_monitored_once(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let first = agent
        .post("/projects", json!({ "domain": "example.com" }))
        .await
        .is(201);
    let problem = agent
        .post("/projects", json!({ "domain": "http://EXAMPLE.com/" }))
        .await
        .refused(409, "project-exists");
    assert_eq!(problem["existing"]["id"], first["id"]);
    let path = format!("/projects/{}", first["id"]);
    agent.delete(&path).await.is(200);
    agent
        .post("/projects", json!({ "domain": "example.com" }))
        .await
        .is(201);
    agent
        .patch(&path, json!({ "status": "active" }))
        .await
        .refused(409, "project-exists");
    app.db_agent()
        .await
        .post("/projects", json!({ "domain": "example.com" }))
        .await
        .is(201);
}

async fn the_last_place_is_granted_and_the_next_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    app.db_limit(
        &agent,
        AccountLimits {
            projects: 1,
            keywords: 2,
            ..AccountLimits::default()
        },
    )
    .await;
    let refused = agent
        .post(
            "/projects",
            json!({ "domain": "a.example.com", "keywords": ["a", "b", "c"] }),
        )
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(
        refused["allowance"],
        json!({ "name": "keywords", "used": 0, "limit": 2, "requested": 3 })
    );
    assert_eq!(
        agent.get("/projects").await.is(200)["items"],
        json!([]),
        "all or nothing"
    );
    agent
        .post(
            "/projects",
            json!({ "domain": "a.example.com", "keywords": ["a", "b"] }),
        )
        .await
        .is(201);
    let refused = agent
        .post("/projects", json!({ "domain": "b.example.com" }))
        .await
        .refused(409, "allowance-exceeded");
    assert_eq!(refused["allowance"]["name"], "projects");
}

async fn a_walk_through_the_pages_shows_each_project_once(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    for n in 0..7 {
        let name = format!("n{}", n % 3);
        agent
            .post(
                "/projects",
                json!({ "domain": format!("p{n}.example.com"), "name": name }),
            )
            .await
            .is(201);
        app.clock.advance(chrono::TimeDelta::seconds(1));
    }
    for sort in [
        "createdAt",
        "-createdAt",
        "name",
        "-name",
        "domain",
        "-domain",
        "lastAnalysisAt",
        "-lastAnalysisAt",
        "priority",
        "-priority",
    ] {
        let mut seen = Vec::new();
        let mut path = format!("/projects?limit=3&sort={sort}");
        loop {
            let answer = agent.get(&path).await;
            let next = answer
                .headers
                .get_all("link")
                .iter()
                .any(|it| it.to_str().unwrap().contains("rel=\"next\""));
            let page = answer.is(200);
            seen.extend(
                page["items"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|it| it["id"].as_i64().unwrap()),
            );
            assert_eq!(next, page["nextCursor"].is_string());
            if seen.len() == 3 {
                let late = agent.post("/projects", json!({ "domain": format!("late{}.example.com", sort.replace('-', "x").to_lowercase()) })).await.is(201);
                agent
                    .delete(&format!("/projects/{}", late["id"]))
                    .await
                    .is(200);
            }
            match page["nextCursor"].as_str() {
                Some(cursor) => path = format!("/projects?limit=3&sort={sort}&cursor={cursor}"),
                None => break,
            }
        }
        let distinct: BTreeSet<i64> = seen.iter().copied().collect();
        assert_eq!((seen.len(), distinct.len()), (7, 7), "{sort}");
    }
    let cursor = agent.get("/projects?limit=3").await.is(200)["nextCursor"]
        .as_str()
        .unwrap()
        .to_owned();
    for other in [
        format!("/projects?sort=name&cursor={cursor}"),
        format!("/projects?tag=x&cursor={cursor}"),
        format!("/projects?cursor={cursor}x"),
    ] {
        assert_eq!(
            agent.get(&other).await.invalid(),
            [("cursor".to_owned(), "invalid-cursor".to_owned())]
        );
    }
    let stranger = app.db_agent().await;
    assert_eq!(
        stranger
            .get(&format!("/projects?limit=3&cursor={cursor}"))
            .await
            .invalid(),
        [("cursor".to_owned(), "invalid-cursor".to_owned())]
    );
    assert_eq!(
        agent.get("/projects?limit=100000").await.is(200)["limit"],
        200
    );
}

async fn lists_are_filtered_and_sorted(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    agent.post("/projects", every_field()).await.is(201);
    agent
        .post(
            "/projects",
            json!({ "domain": "other.example.org", "name": "Žižkov" }),
        )
        .await
        .is(201);
    for (filter, domains) in [
        ("tag=a", vec!["shop.example.com"]),
        ("tag=A", vec![]),
        ("category=retail", vec!["shop.example.com"]),
        ("priority=normal", vec!["other.example.org"]),
        ("workflowStatus=review", vec!["shop.example.com"]),
        ("favorite=false", vec!["other.example.org"]),
        ("search=SHOP", vec!["shop.example.com"]),
        ("search=acme", vec!["shop.example.com"]),
        ("search=%C5%BEi%C5%BEkov", vec!["other.example.org"]),
        ("search=100%25", vec![]),
        (
            "sort=-domain",
            vec!["shop.example.com", "other.example.org"],
        ),
        (
            "fields=domain,reportSettings.enabled&tag=a",
            vec!["shop.example.com"],
        ),
    ] {
        let page = agent.get(&format!("/projects?{filter}")).await.is(200);
        let found: Vec<&str> = page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["domain"].as_str().unwrap())
            .collect();
        assert_eq!(found, domains, "{filter}");
    }
    assert_eq!(
        agent.get("/projects?favourite=true").await.invalid(),
        [("favourite".to_owned(), "unknown-parameter".to_owned())]
    );
    assert_eq!(
        agent.get("/projects?fields=domian").await.invalid(),
        [("fields".to_owned(), "unknown-field".to_owned())]
    );
}
