//! Requests repeated with an idempotency key are executed once.

use chrono::TimeDelta;
use futures_util::{StreamExt, stream};
use harness::{
    app::TestApp,
    callers::{Answer, Caller, UNKNOWN_ID, id, ids},
    databases::TestDatabase,
    on_every_database,
};
use reqwest::{Method, header::CONTENT_TYPE};
use serde_json::{Value, json};
use web::limits::Rate;

on_every_database![
    a_repeated_request_runs_once_with_the_same_response,
    keys_are_bound_to_their_request_and_account,
    a_key_expires_after_a_day,
    stored_responses_are_purged_without_a_repeat,
    only_refusals_that_depend_on_stored_data_are_stored,
    an_analysis_with_a_key_is_queued_once,
    forty_keys_sent_eight_times_concurrently_run_once_each,
    #[ignore = "slow: sends 8,000 requests"]
    thousand_keys_sent_eight_times_concurrently_run_once_each,
];
harness::on_sqlite![
    a_malformed_key_is_refused,
    stored_responses_have_a_separate_rate_limit,
];

async fn post(agent: &Caller, path: &str, key: &str, body: &str) -> Answer {
    let request = agent
        .request(Method::POST, path)
        .header("Idempotency-Key", key)
        .header(CONTENT_TYPE, "application/json")
        .body(body.to_owned());
    agent.send(request).await
}

fn is_replayed(answer: &Answer) -> bool {
    answer.header("idempotent-replayed") == "true"
}

async fn a_repeated_request_runs_once_with_the_same_response(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let body = r#"{"domain":"a.example.com","keywords":["one","two"]}"#;
    let first = post(&agent, "/projects", "k1", body).await;
    assert!(!is_replayed(&first));
    // Equivalent: order of members, spaces, a quoted key.
    let again = r#"{ "keywords": ["one", "two"], "domain": "a.example.com" }"#;
    let second = post(&agent, "/projects", "\"k1\"", again).await;
    assert!(is_replayed(&second));
    assert_eq!(first.created(), second.created());
    assert_eq!(first.header("location"), second.header("location"));
    assert_eq!(second.header("cache-control"), "no-store");
    // The stored response, not the current state.
    let path = format!("/projects/{}", id(&first.json()));
    agent.patch(&path, json!({ "favorite": true })).await.ok();
    let third = post(&agent, "/projects", "k1", body).await;
    assert_eq!(third.created()["favorite"], false);
    assert_eq!(ids(&agent.get("/projects").await.ok()).len(), 1);
}

async fn stored_responses_are_purged_without_a_repeat(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, account) = (app.db_full_agent().await, app.db_account().await);
    let body = r#"{"domain":"a.example.com"}"#;
    post(&agent, "/projects", "k1", body).await.created();
    let is_kept = async || {
        let mut read = app.storage.read().await.unwrap();
        let found = read.idempotency().find(account, "k1").await;
        found.unwrap().is_some()
    };
    for (hours, is_expected) in [(23, true), (1, false)] {
        app.clock.advance(TimeDelta::hours(hours));
        app.core().purge_expired().await.unwrap();
        assert_eq!(is_kept().await, is_expected, "{hours}");
    }
}

async fn keys_are_bound_to_their_request_and_account(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, other) = (app.db_full_agent().await, app.db_other_agent().await);
    let body = r#"{"domain":"a.example.com"}"#;
    let project = id(&post(&agent, "/projects", "k1", body).await.created());
    for (path, body) in [
        ("/projects".to_owned(), r#"{"domain":"b.example.com"}"#),
        (format!("/projects/{project}/keywords"), body),
    ] {
        let refused = post(&agent, &path, "k1", body).await;
        let problem = refused.refused(422, "idempotency-key-reused");
        assert_eq!(problem["firstUsedAt"], "2026-09-21T14:13:20Z");
        assert!(problem["hint"].as_str().unwrap().contains("new key"));
    }
    let theirs = post(&other, "/projects", "k1", body).await;
    assert!(!is_replayed(&theirs));
    assert_ne!(id(&theirs.created()), project);
}

async fn a_key_expires_after_a_day(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let body = r#"{"domain":"a.example.com"}"#;
    post(&agent, "/projects", "k1", body).await.created();
    app.clock
        .advance(TimeDelta::hours(24) - TimeDelta::seconds(1));
    assert!(is_replayed(&post(&agent, "/projects", "k1", body).await));
    app.clock.advance(TimeDelta::seconds(1));
    let fresh = post(&agent, "/projects", "k1", r#"{"domain":"b.example.com"}"#).await;
    assert!(!is_replayed(&fresh));
    fresh.created();
}

async fn only_refusals_that_depend_on_stored_data_are_stored(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &[]).await;

    let taken = r#"{"domain":"a.example.com"}"#;
    let first = post(&agent, "/projects", "taken", taken).await;
    first.refused(409, "project-exists");
    agent.delete(&format!("/projects/{project}")).await.ok();
    let second = post(&agent, "/projects", "taken", taken).await;
    assert!(is_replayed(&second), "{}", second.body);
    assert_eq!(first.body, second.body);
    assert_eq!(second.header("content-type"), "application/problem+json");

    let nobodys = format!("/projects/{UNKNOWN_ID}/keywords");
    let body = r#"{"keywords":["one"]}"#;
    let missing = post(&agent, &nobodys, "missing", body).await;
    missing.refused(404, "project-not-found");
    assert!(is_replayed(&post(&agent, &nobodys, "missing", body).await));

    // A corrected request may reuse the key.
    let wrong = post(&agent, "/projects", "mended", r#"{"domain":5}"#).await;
    wrong.refused(422, "validation-failed");
    let mended = post(
        &agent,
        "/projects",
        "mended",
        r#"{"domain":"c.example.com"}"#,
    )
    .await;
    mended.created();
}

async fn an_analysis_with_a_key_is_queued_once(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &["one"]).await;
    let wanted = json!({ "type": "rankCheck", "projectId": project });
    let dry = json!({ "type": "rankCheck", "projectId": project, "dryRun": true });
    for (key, body, status) in [("k1", &wanted, 202), ("k2", &dry, 200)] {
        let first = post(&agent, "/analyze", key, &body.to_string()).await;
        let second = post(&agent, "/analyze", key, &body.to_string()).await;
        assert_eq!(first.header("retry-after"), second.header("retry-after"));
        assert_eq!(
            (first.status.as_u16(), is_replayed(&second)),
            (status, true)
        );
        assert_eq!(first.body, second.body);
        assert_eq!(first.header("location"), second.header("location"));
    }
    // Without the key, the unfinished job is returned as deduplicated.
    let joined = agent.post("/analyze", wanted.clone()).await.accepted();
    assert_eq!(joined["deduplicated"], true);
    let under_a_key = post(&agent, "/analyze", "k3", &wanted.to_string()).await;
    assert_eq!(under_a_key.accepted(), joined);
    assert!(is_replayed(
        &post(&agent, "/analyze", "k3", &wanted.to_string()).await
    ));
}

async fn forty_keys_sent_eight_times_concurrently_run_once_each(db: TestDatabase) {
    each_key_sent_eight_times_in_parallel_has_one_effect(db, 40).await;
}

async fn thousand_keys_sent_eight_times_concurrently_run_once_each(db: TestDatabase) {
    each_key_sent_eight_times_in_parallel_has_one_effect(db, 1_000).await;
}

async fn each_key_sent_eight_times_in_parallel_has_one_effect(db: TestDatabase, keys: usize) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &[]).await;
    let path = &format!("/projects/{project}/keywords");
    let agent = &agent;
    let executed = stream::iter(0..keys).map(|number| async move {
        let body = &json!({ "keywords": [format!("keyword {number}")] }).to_string();
        let key = &format!("key-{number}");
        let sends = (0..8).map(|_| post(agent, path, key, body));
        let answers = futures_util::future::join_all(sends).await;
        let bodies: Vec<Value> = answers.iter().map(Answer::created).collect();
        assert!(bodies.iter().all(|it| *it == bodies[0]), "{bodies:?}");
        answers.iter().filter(|it| !is_replayed(it)).count()
    });
    let executed: Vec<usize> = executed.buffer_unordered(4).collect().await;
    assert_eq!(executed, vec![1; keys]);
    let kept = agent.get(&format!("/projects/{project}")).await.ok();
    assert_eq!(kept["keywordCount"], keys);
}

async fn a_malformed_key_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let body = r#"{"domain":"a.example.com"}"#;
    for key in ["", "\"\"", "a b", &"k".repeat(256)] {
        let problem = post(&agent, "/projects", key, body).await;
        assert_eq!(
            problem.refused(400, "invalid-header")["header"],
            "Idempotency-Key"
        );
    }
    let twice = agent
        .request(Method::POST, "/projects")
        .header("Idempotency-Key", "one")
        .header("Idempotency-Key", "two")
        .json(&json!({ "domain": "a.example.com" }));
    agent.send(twice).await.refused(400, "invalid-header");
    // Reads and changes are idempotent already: the key is ignored.
    let read = agent.request(Method::GET, "/projects");
    agent.send(read.header("Idempotency-Key", "a b")).await.ok();
}

async fn stored_responses_have_a_separate_rate_limit(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.limits.stored_responses = Rate::of(1, 64);
    })
    .await;
    let agent = app.db_full_agent().await;
    let domain = r#"{"domain":"a.example.com"}"#;
    let project = id(&post(&agent, "/projects", "first", domain).await.created());
    let list = format!("/projects/{project}/keywords");
    let words: Vec<String> = (0..200)
        .map(|it| format!("a cup with the number {it}"))
        .collect();
    let body = json!({ "keywords": words }).to_string();
    let mut refused = None;
    for number in 0..20 {
        let answer = post(&agent, &list, &format!("k{number}"), &body).await;
        if answer.status != 201 && answer.status != 200 {
            refused = Some((number, answer));
            break;
        }
    }
    let (number, answer) = refused.expect("64 KiB are soon full");
    let problem = answer.refused(429, "rate-limited");
    assert!(number > 0);
    assert_eq!(problem["violated-policies"], json!(["kept-answers"]));
    // Earlier keys are still replayed, and requests without a key are not counted.
    assert!(is_replayed(
        &post(&agent, "/projects", "first", domain).await
    ));
    agent
        .post(&list, json!({ "keywords": ["a plate"] }))
        .await
        .created();
    let other = app.db_full_agent().await;
    assert!(!is_replayed(
        &post(&other, "/projects", "theirs", domain).await
    ));
}
