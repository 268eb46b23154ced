//! Starting and following analyses.

use domain::{account::AccountLimits, money::MicroUsd, use_cases::request_analysis::Prices};
use harness::{app::TestApp, callers::Agent, databases::TestDatabase, on_every_database};
use serde_json::{Value, json};

on_every_database![
    an_analysis_is_accepted_stored_and_found,
    the_same_analysis_is_answered_instead_of_a_second_one,
    a_dry_run_tells_and_stores_nothing,
    what_cannot_be_started_is_refused_with_what_to_do,
    analyses_are_listed_and_filtered,
    a_budget_bounds_what_is_started,
];

async fn project(agent: &Agent, domain: &str, keywords: &[&str]) -> (i64, Vec<i64>) {
    let created = agent
        .post(
            "/projects",
            json!({ "domain": domain, "keywords": keywords }),
        )
        .await
        .is(201);
    let ids = created["keywords"]["created"]
        .as_array()
        .map(|it| it.iter().map(|it| it["id"].as_i64().unwrap()).collect());
    (created["id"].as_i64().unwrap(), ids.unwrap_or_default())
}

async fn an_analysis_is_accepted_stored_and_found(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let (id, _) = project(&agent, "a.example.com", &["rust", "actix"]).await;
    let answer = agent
        .post(
            "/analyze",
            json!({ "type": "rankCheck", "projectId": id, "priority": "high" }),
        )
        .await;
    let (location, retry_after) = (answer.header("location"), answer.header("retry-after"));
    let job = answer.is(202);
    assert_eq!(
        (location, retry_after.as_str()),
        (format!("/api/agent/v1/analyze?jobId={}", job["id"]), "2")
    );
    for (member, expected) in [
        ("type", json!("rankCheck")),
        ("status", json!("queued")),
        ("projectId", json!(id)),
        ("priority", json!("high")),
        ("trigger", json!("api")),
        ("attempts", json!(0)),
        ("results", json!(["rankings", "serp"])),
        ("deduplicated", json!(false)),
        (
            "progress",
            json!({ "done": 0, "total": 2, "unit": "keywords", "percent": 0, "etaSeconds": null }),
        ),
        ("error", Value::Null),
    ] {
        assert_eq!(job[member], expected, "{member}");
    }
    let found = agent
        .get(&format!("/analyze?jobId={}&wait=0", job["id"]))
        .await
        .is(200);
    assert_eq!(
        (
            &found["items"][0]["id"],
            &found["items"][0]["queuePosition"]
        ),
        (&job["id"], &json!(0))
    );
    assert_eq!(
        (&found["queue"]["queued"], &found["queue"]["running"]),
        (&json!(1), &json!(0))
    );
    let began = std::time::Instant::now();
    agent
        .get(&format!("/analyze?jobId={}&wait=1", job["id"]))
        .await
        .is(200);
    assert!(began.elapsed().as_millis() >= 900, "the answer is held");
}

async fn the_same_analysis_is_answered_instead_of_a_second_one(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let (id, keywords) = project(&agent, "a.example.com", &["rust", "actix"]).await;
    let ask = json!({ "type": "rankCheck", "projectId": id });
    let first = agent.post("/analyze", ask.clone()).await.is(202);
    let second = agent.post("/analyze", ask).await.is(202);
    assert_eq!(
        (&second["id"], &second["deduplicated"]),
        (&first["id"], &json!(true))
    );
    let some = agent
        .post(
            "/analyze",
            json!({ "type": "rankCheck", "projectId": id, "keywordIds": [keywords[0]] }),
        )
        .await
        .is(202);
    assert_ne!(some["id"], first["id"]);
    agent.delete(&format!("/projects/{id}")).await.is(200);
    for job in [first, some] {
        let found = agent
            .get(&format!("/analyze?jobId={}", job["id"]))
            .await
            .is(200);
        assert_eq!(found["items"][0]["status"], "canceled");
    }
}

async fn a_dry_run_tells_and_stores_nothing(db: TestDatabase) {
    let prices = Prices {
        calls_per_keyword: 10,
        per_call: MicroUsd(300),
    };
    let app = TestApp::start_with(&db, |config| config.prices = prices).await;
    let agent = app.db_agent().await;
    let (id, _) = project(&agent, "a.example.com", &["rust", "actix"]).await;
    let plan = agent
        .post(
            "/analyze",
            json!({ "type": "rankCheck", "projectId": id, "dryRun": true }),
        )
        .await
        .is(200);
    assert_eq!(
        (&plan["units"], &plan["wouldJoinJobId"]),
        (&json!(2), &Value::Null)
    );
    assert_eq!(
        plan["expectedCost"],
        json!({ "amount": "0.006", "currency": "USD", "calls": 20 })
    );
    assert_eq!(
        (&plan["budget"]["usedBefore"], &plan["budget"]["usedAfter"]),
        (&json!("0.00"), &json!("0.006"))
    );
    assert_eq!(agent.get("/analyze").await.is(200)["items"], json!([]));
}

async fn what_cannot_be_started_is_refused_with_what_to_do(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let (id, _) = project(&agent, "a.example.com", &[]).await;
    for kind in ["aiVisibility", "webVitals", "full"] {
        let problem = agent
            .post("/analyze", json!({ "type": kind, "projectId": id }))
            .await
            .refused(409, "feature-disabled");
        assert_eq!(problem["available"], json!(["rankCheck", "siteAudit"]));
    }
    let problem = agent
        .post("/analyze", json!({ "type": "rankCheck", "projectId": id }))
        .await
        .refused(409, "nothing-to-measure");
    assert_eq!(
        problem["nextActions"][0]["href"],
        format!("/api/agent/v1/projects/{id}/keywords")
    );
    for (body, place, code) in [
        (json!({ "projectId": id }), "/type", "required"),
        (json!({ "type": "siteAudit" }), "/projectId", "required"),
        (
            json!({ "type": "rankChek", "projectId": id }),
            "/type",
            "invalid-value",
        ),
        (
            json!({ "type": "siteAudit", "projectId": "1" }),
            "/projectId",
            "invalid-type",
        ),
        (
            json!({ "type": "siteAudit", "projectId": id, "keywordIds": [1] }),
            "/keywordIds",
            "not-applicable",
        ),
        (
            json!({ "type": "rankCheck", "projectId": id, "keywordIds": [] }),
            "/keywordIds",
            "too-few",
        ),
    ] {
        assert_eq!(
            agent.post("/analyze", body).await.invalid(),
            [(place.to_owned(), code.to_owned())]
        );
    }
}

async fn analyses_are_listed_and_filtered(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let (a, _) = project(&agent, "a.example.com", &["rust"]).await;
    let (b, _) = project(&agent, "b.example.com", &["rust"]).await;
    for (id, kind) in [(a, "rankCheck"), (b, "rankCheck"), (a, "siteAudit")] {
        agent
            .post("/analyze", json!({ "type": kind, "projectId": id }))
            .await
            .is(202);
        app.clock.advance(chrono::TimeDelta::seconds(1));
    }
    for (filter, count) in [
        ("", 3),
        ("projectId=", 2),
        ("type=siteAudit", 1),
        ("status=queued", 3),
        ("status=failed", 0),
        ("limit=2", 2),
    ] {
        let filter = if filter == "projectId=" {
            format!("projectId={a}")
        } else {
            filter.to_owned()
        };
        let page = agent.get(&format!("/analyze?{filter}")).await.is(200);
        assert_eq!(page["items"].as_array().unwrap().len(), count, "{filter}");
    }
    let newest = agent.get("/analyze?limit=1").await.is(200);
    assert_eq!(newest["items"][0]["type"], "siteAudit");
    assert_eq!(
        newest["queue"],
        json!({ "queued": 3, "running": 0, "oldestQueuedSeconds": 3 })
    );
    assert_eq!(
        agent
            .get("/analyze?jobId=x")
            .await
            .refused(404, "job-not-found")["retryable"],
        false
    );
    assert_eq!(
        agent
            .get("/analyze?wait=21&jobId=1")
            .await
            .refused(404, "job-not-found")["status"],
        404
    );
}

async fn a_budget_bounds_what_is_started(db: TestDatabase) {
    let prices = Prices {
        calls_per_keyword: 1,
        per_call: MicroUsd(1_000_000),
    };
    let app = TestApp::start_with(&db, |config| config.prices = prices).await;
    let agent = app.db_agent().await;
    app.db_limit(
        &agent,
        AccountLimits {
            monthly_budget: Some(MicroUsd(2_000_000)),
            ..AccountLimits::default()
        },
    )
    .await;
    let (a, _) = project(&agent, "a.example.com", &["rust", "actix"]).await;
    let (b, _) = project(&agent, "b.example.com", &["rust"]).await;
    agent
        .post("/analyze", json!({ "type": "rankCheck", "projectId": a }))
        .await
        .is(202);
    let problem = agent
        .post("/analyze", json!({ "type": "rankCheck", "projectId": b }))
        .await
        .refused(429, "quota-exceeded");
    assert_eq!(
        problem["quota"],
        json!({ "name": "monthlyBudget", "used": "2.00", "limit": "2.00", "currency": "USD" })
    );
    agent.delete(&format!("/projects/{a}")).await.is(200);
    agent
        .post("/analyze", json!({ "type": "rankCheck", "projectId": b }))
        .await
        .is(202);
}
