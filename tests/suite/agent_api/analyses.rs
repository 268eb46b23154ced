//! Starting and following analyses.

use chrono::TimeDelta;
use domain::{job::JobState, money::MicroUsd, ports::search_results::PaidCallRefusal};
use harness::{
    app::TestApp,
    callers::{UNKNOWN_ID, id, ids},
    databases::TestDatabase,
    on_every_database,
};
use reqwest::{Method, header::CONTENT_TYPE};
use serde_json::{Value, json};
use std::time::Duration;

on_every_database![
    an_analysis_is_stored_when_it_is_accepted,
    starting_an_unfinished_analysis_again_returns_that_job,
    a_dry_run_returns_the_plan_and_stores_nothing,
    analyses_are_listed_and_filtered,
    waiting_for_a_job_returns_when_it_ends,
    waiting_requests_use_no_shared_resource,
];
harness::on_sqlite![
    unimplemented_analysis_types_are_refused,
    an_invalid_request_is_refused_with_all_errors,
    empty_or_deactivated_projects_are_not_analyzed,
    a_full_queue_or_a_spent_budget_refuses_analyses,
    a_spent_day_budget_is_refused_with_resets_at,
    paid_analyses_are_refused_if_paid_calls_are_off,
];

async fn an_analysis_is_stored_when_it_is_accepted(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a", "b"]).await;
    let answer = agent
        .post(
            "/analyze",
            json!({ "type": "rankCheck", "projectId": project, "priority": "high" }),
        )
        .await;
    let job = answer.accepted();
    assert_eq!(
        answer.header("location"),
        format!("/api/agent/v1/analyze?jobId={}", id(&job))
    );
    assert_eq!(answer.header("retry-after"), "2");
    for (name, value) in [
        ("projectId", json!(project)),
        ("type", json!("rankCheck")),
        ("status", json!("queued")),
        ("priority", json!("high")),
        ("trigger", json!("api")),
        (
            "results",
            json!([
                "rankings",
                "serp",
                "sov",
                "forecast",
                "competitors",
                "cannibalization",
                "suggestions"
            ]),
        ),
        ("deduplicated", json!(false)),
        ("error", Value::Null),
        ("finishedAt", Value::Null),
    ] {
        assert_eq!((name, &job[name]), (name, &value));
    }
    assert_eq!(
        job["progress"],
        json!({ "done": 0, "total": 2, "unit": "keywords", "percent": 0, "etaSeconds": null })
    );
    app.clock.advance(TimeDelta::seconds(90));
    let followed = agent.get(&format!("/analyze?jobId={}", id(&job))).await;
    assert_eq!(followed.header("retry-after"), "2");
    let followed = followed.ok();
    assert_eq!(
        followed["queue"],
        json!({ "queued": 1, "running": 0, "oldestQueuedSeconds": 90 })
    );
    assert_eq!(
        (
            &followed["items"][0]["queuePosition"],
            id(&followed["items"][0])
        ),
        (&json!(0), id(&job))
    );
    let audit = agent
        .post(
            "/analyze",
            json!({ "type": "siteAudit", "projectId": project }),
        )
        .await
        .accepted();
    assert_eq!(
        (&audit["results"], &audit["progress"]["unit"]),
        (
            &json!([
                "broken-links",
                "schema",
                "content",
                "content-changes",
                "geo-score",
                "eeat",
                "suggestions"
            ]),
            &json!("urls")
        )
    );
}

async fn starting_an_unfinished_analysis_again_returns_that_job(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["a", "b"]).await;
    let start = json!({ "type": "rankCheck", "projectId": project });
    let first = agent.rank_check(project).await;
    let again = agent.post("/analyze", start.clone()).await.accepted();
    assert_eq!((id(&again), &again["deduplicated"]), (first, &json!(true)));
    let named = json!({ "type": "rankCheck", "projectId": project, "keywordIds": [keywords[0], keywords[0]] });
    let other = agent.post("/analyze", named).await.accepted();
    assert_ne!(id(&other), first);
    assert_eq!(other["progress"]["total"], 1);
    app.db_job(first, |job| job.state = JobState::Failed).await;
    let next = agent.post("/analyze", start).await.accepted();
    assert!(id(&next) != first && next["deduplicated"] == false);
}

async fn a_dry_run_returns_the_plan_and_stores_nothing(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|limits| limits.monthly_budget = Some(MicroUsd(1_000_000)))
        .await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a", "b"]).await;
    let body = json!({ "type": "rankCheck", "projectId": project, "dryRun": true });
    let plan = agent.post("/analyze", body.clone()).await.ok();
    assert_eq!(
        (&plan["units"], &plan["unit"], &plan["wouldJoinJobId"]),
        (&json!(2), &json!("keywords"), &Value::Null)
    );
    assert_eq!(
        plan["expectedCost"],
        json!({ "amount": "0.006", "currency": "USD", "calls": 20 })
    );
    assert_eq!(
        plan["budget"],
        json!({
            "limit": "1.00", "usedBefore": "0.00", "usedAfter": "0.006", "currency": "USD",
            "today": { "limit": null, "usedBefore": "0.00", "usedAfter": "0.006", "currency": "USD" },
        })
    );
    assert_eq!(plan["wouldExceed"], Value::Null);
    app.db_limit(|limits| limits.daily_budget = Some(MicroUsd(5_999)))
        .await;
    let refused = agent.post("/analyze", body.clone()).await.ok();
    assert_eq!(refused["wouldExceed"], "dailyBudget");
    app.db_limit(|limits| limits.daily_budget = None).await;
    assert_eq!(agent.get("/analyze").await.ok()["items"], json!([]));
    let job = agent.rank_check(project).await;
    assert_eq!(
        agent.post("/analyze", body).await.ok()["wouldJoinJobId"],
        job
    );
    let audit = agent
        .post(
            "/analyze",
            json!({ "type": "siteAudit", "projectId": project, "dryRun": true }),
        )
        .await
        .ok();
    assert_eq!(audit["units"], Value::Null);
    let speed = agent
        .post(
            "/analyze",
            json!({ "type": "webVitals", "projectId": project, "dryRun": true }),
        )
        .await
        .ok();
    assert_eq!(
        (&speed["units"], &speed["unit"], &speed["results"]),
        (
            &json!(1),
            &json!("pages"),
            &json!(["vitals", "suggestions"])
        )
    );
}

async fn analyses_are_listed_and_filtered(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (shop, _) = agent.project("shop.example.com", &["a"]).await;
    let (blog, _) = agent.project("blog.example.com", &["a"]).await;
    let rank = agent.rank_check(shop).await;
    app.clock.advance(TimeDelta::seconds(1));
    let audit = id(&agent
        .post(
            "/analyze",
            json!({ "type": "siteAudit", "projectId": blog }),
        )
        .await
        .accepted());
    app.db_job(rank, |job| job.state = JobState::Partial).await;
    for (filter, found) in [
        ("", vec![audit, rank]),
        ("?sort=createdAt", vec![rank, audit]),
        ("?type=rankCheck", vec![rank]),
        ("?status=queued", vec![audit]),
        ("?status=partial", vec![rank]),
        ("?status=failed", vec![]),
        (&format!("?projectId={blog}"), vec![audit]),
        (&format!("?jobId={rank}&projectId={shop}"), vec![rank]),
    ] {
        assert_eq!(
            ids(&agent.get(&format!("/analyze{filter}")).await.ok()),
            found,
            "{filter}"
        );
    }
    agent
        .get(&format!("/analyze?jobId={rank}&projectId={blog}"))
        .await
        .refused(404, "job-not-found");
    agent
        .get(&format!("/analyze?jobId={UNKNOWN_ID}&status=gone"))
        .await
        .refused(404, "job-not-found");
    let narrowed = format!("/analyze?jobId={rank}&type=rankCheck");
    assert_eq!(
        agent.get(&narrowed).await.errors(),
        [("type".into(), "not-applicable".into())]
    );
    let answer = agent.get("/analyze?wait=5").await;
    assert_eq!(answer.errors(), [("wait".into(), "not-applicable".into())]);
    for malformed in ["status=%zz", "status=queued%", "status=%ff"] {
        let answer = agent.get(&format!("/analyze?{malformed}")).await;
        let (place, code) = answer.errors()[0].clone();
        assert_eq!(
            (place.as_str(), code.as_str()),
            ("status", "malformed-encoding")
        );
    }
    agent
        .get("/analyze?projectId=x&status=gone")
        .await
        .refused(404, "project-not-found");
    for wrong in [
        "wait=21",
        "wait=-1",
        "wait=x",
        "status=gone",
        "type=rankcheck",
        "limit=0",
        "fields=id",
    ] {
        let name = wrong.split('=').next().unwrap();
        assert_eq!(
            agent.get(&format!("/analyze?{wrong}")).await.errors()[0].0,
            name
        );
        assert_eq!(
            agent
                .get(&format!("/analyze?{wrong}&jobId={rank}"))
                .await
                .errors()[0]
                .0,
            name
        );
    }
}

async fn waiting_for_a_job_returns_when_it_ends(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    let job = agent.rank_check(project).await;
    let waiting = {
        let agent = agent.clone();
        tokio::spawn(async move { agent.get(&format!("/analyze?jobId={job}&wait=20")).await })
    };
    app.db_job(job, |job| job.state = JobState::Succeeded).await;
    let answer = tokio::time::timeout(Duration::from_secs(10), waiting)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (
            answer.ok()["items"][0]["status"].clone(),
            answer.header("retry-after")
        ),
        (json!("succeeded"), "")
    );
}

async fn waiting_requests_use_no_shared_resource(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.limits.in_flight_per_token = 40;
        config.limits.in_flight_per_account = 40;
    })
    .await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    let job = agent.rank_check(project).await;
    // More than there are database connections.
    let polls: Vec<_> = (0..24)
        .map(|_| {
            let agent = agent.clone();
            tokio::spawn(async move { agent.get(&format!("/analyze?jobId={job}&wait=20")).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let other = app.db_other_agent().await;
    let (project, _) = other.project("other.example.com", &["a"]).await;
    other.get(&format!("/projects/{project}")).await.ok();
    other.get("/projects").await.ok();
    let ready = other.send(other.request_path(reqwest::Method::GET, "/readyz"));
    assert_eq!(ready.await.status, 200);
    assert!(
        polls.iter().any(|poll| !poll.is_finished()),
        "they were held"
    );
    for poll in polls {
        poll.abort();
    }
}

async fn unimplemented_analysis_types_are_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    for kind in ["full"] {
        for dry_run in [false, true] {
            let body = json!({ "type": kind, "projectId": project, "dryRun": dry_run });
            let problem = agent
                .post("/analyze", body)
                .await
                .refused(409, "feature-disabled");
            assert_eq!(
                problem["available"],
                json!(["rankCheck", "aiVisibility", "siteAudit", "webVitals"])
            );
        }
    }
    assert_eq!(agent.get("/analyze").await.ok()["items"], json!([]));
}

async fn an_invalid_request_is_refused_with_all_errors(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["a"]).await;
    let describe_errors = |errors: Vec<(String, String)>| {
        errors
            .into_iter()
            .map(|(place, code)| format!("{place} {code}"))
            .collect::<Vec<_>>()
    };
    for (body, errors) in [
        (json!({}), vec!["/type required", "/projectId required"]),
        (
            json!({ "type": "rankcheck", "projectId": project }),
            vec!["/type invalid-value"],
        ),
        (
            json!({ "type": "rankCheck", "projectId": "7" }),
            vec!["/projectId invalid-type"],
        ),
        (
            json!({ "type": "rankCheck", "projectId": 7.5 }),
            vec!["/projectId invalid-type"],
        ),
        (
            json!({ "type": "rankCheck", "projectId": project, "keywordIds": [] }),
            vec!["/keywordIds too-few"],
        ),
        (
            json!({ "type": "siteAudit", "projectId": project, "keywordIds": [keywords[0]] }),
            vec!["/keywordIds not-applicable"],
        ),
        (
            json!({ "type": "webVitals", "projectId": project, "keywordIds": [keywords[0]] }),
            vec!["/keywordIds not-applicable"],
        ),
        (
            json!({ "type": "rankCheck", "projectId": project, "dryrun": true, "priority": "urgent" }),
            vec!["/dryrun unknown-field", "/priority invalid-value"],
        ),
    ] {
        assert_eq!(
            describe_errors(agent.post("/analyze", body).await.errors()),
            errors
        );
    }
    let problem = agent
        .post(
            "/analyze",
            json!({ "type": "rankcheck", "projectId": project }),
        )
        .await
        .json();
    assert_eq!(problem["errors"][0]["didYouMean"], "rankCheck");
}

async fn empty_or_deactivated_projects_are_not_analyzed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &[]).await;
    let start = json!({ "type": "rankCheck", "projectId": project });
    let problem = agent
        .post("/analyze", start.clone())
        .await
        .refused(409, "nothing-to-measure");
    assert_eq!(
        problem["nextActions"][0]["href"],
        format!("/api/agent/v1/projects/{project}/keywords")
    );
    let added = agent
        .post(
            &format!("/projects/{project}/keywords"),
            json!({ "keywords": ["a", "b"] }),
        )
        .await
        .created();
    let gone = id(&added["created"][0]);
    agent.delete(&format!("/keywords/{gone}")).await.ok();
    let named = json!({ "type": "rankCheck", "projectId": project, "keywordIds": [gone] });
    agent
        .post("/analyze", named)
        .await
        .refused(404, "keyword-not-found");
    agent.delete(&format!("/projects/{project}")).await.ok();
    let problem = agent
        .post("/analyze", start)
        .await
        .refused(409, "project-deactivated");
    assert_eq!(
        problem["nextActions"][0]["body"],
        json!({ "status": "active" })
    );
}

async fn a_full_queue_or_a_spent_budget_refuses_analyses(db: TestDatabase) {
    let app =
        TestApp::with_settings(&db, |config| config.policies.queue.queued_per_account = 1).await;
    app.db_limit(|limits| limits.monthly_budget = Some(MicroUsd(5_999)))
        .await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["a", "b"]).await;
    let start = json!({ "type": "rankCheck", "projectId": project });
    let problem = agent
        .post("/analyze", start)
        .await
        .refused(429, "quota-exceeded");
    assert_eq!(problem["quota"]["name"], "monthlyBudget");
    let named = |keyword: i64| json!({ "type": "rankCheck", "projectId": project, "keywordIds": [keyword] });
    agent.post("/analyze", named(keywords[0])).await.accepted();
    let full = agent.post("/analyze", named(keywords[1])).await;
    assert_eq!(
        full.refused(429, "quota-exceeded")["quota"]["name"],
        "unfinishedAnalyses"
    );
    assert_eq!(full.header("retry-after"), "60");
    let other = TestApp::with_settings(&db, |config| config.policies.queue.queued_total = 1).await;
    let (site, found) = agent.project("blog.example.com", &["a"]).await;
    let elsewhere = harness::callers::Caller::new(other.address, agent.token());
    let full = elsewhere
        .post(
            "/analyze",
            json!({ "type": "rankCheck", "projectId": site, "keywordIds": found }),
        )
        .await;
    full.refused(503, "queue-full");
    assert_eq!(full.header("retry-after"), "60");
}

async fn a_spent_day_budget_is_refused_with_resets_at(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.policies.prices.max_per_day = Some(MicroUsd(11_999));
    })
    .await;
    app.db_limit(|limits| limits.daily_budget = Some(MicroUsd(5_999)))
        .await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["a", "b"]).await;
    let start = json!({ "type": "rankCheck", "projectId": project });
    let one = |at: usize| json!({ "type": "rankCheck", "projectId": project, "keywordIds": [keywords[at]] });
    let answer = agent.post("/analyze", start.clone()).await;
    let problem = answer.refused(429, "quota-exceeded");
    assert_eq!(problem["quota"]["name"], "dailyBudget", "{problem}");
    assert_eq!(problem["quota"]["limit"], "0.005999");
    let until = problem["quota"]["resetsAt"].as_str().unwrap();
    assert!(until.ends_with("T00:00:00Z"), "{until}");
    // Half of it fits; the other half needs a higher budget.
    agent.post("/analyze", one(0)).await.accepted();
    agent
        .post("/analyze", one(1))
        .await
        .refused(429, "quota-exceeded");
    app.db_limit(|limits| limits.daily_budget = None).await;
    agent.post("/analyze", one(1)).await.accepted();
    let used = agent.get("/health").await.ok();
    let quotas = used["quotas"].as_array().unwrap();
    let day = quotas.iter().find(|it| it["name"] == "dailyBudget");
    assert_eq!(day.unwrap()["reserved"], "0.006");
    // At the server-wide limit; spending of others is not revealed.
    let answer = agent.post("/analyze", start.clone()).await;
    let problem = answer.refused(429, "quota-exceeded");
    assert_eq!(
        (&problem["quota"]["name"], &problem["quota"]["used"]),
        (&json!("serverDailyBudget"), &Value::Null)
    );
    // The same with an idempotency key.
    let with_key = agent
        .request(Method::POST, "/analyze")
        .header("Idempotency-Key", "at-the-bound")
        .header(CONTENT_TYPE, "application/json")
        .body(start.to_string());
    let answer = agent.send(with_key).await;
    answer.refused(429, "quota-exceeded");
}

async fn paid_analyses_are_refused_if_paid_calls_are_off(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.policies.prices.paid_call_refusal = Some(PaidCallRefusal::SwitchedOff);
    })
    .await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    for dry_run in [false, true] {
        let start = json!({ "type": "rankCheck", "projectId": project, "dryRun": dry_run });
        let answer = agent.post("/analyze", start).await;
        let problem = answer.refused(409, "feature-disabled");
        assert!(
            problem["hint"]
                .as_str()
                .unwrap()
                .contains("search.paid_calls")
        );
    }
    // Free analyses still start.
    let audit = json!({ "type": "siteAudit", "projectId": project });
    agent.post("/analyze", audit).await.accepted();
}
