//! SQL statements per request.

use domain::{
    job::{JobState, kind::AnalysisKind},
    money::MicroUsd,
};
use harness::{
    app::TestApp,
    callers::{Caller, id},
    databases::TestDatabase,
    engines, on_every_database,
    postgres_server::Lane,
    recorded::is_boundary,
    sql_rules,
};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

on_every_database![an_analysis_costs_at_most_eleven_statements];

const MAX: usize = 11;

/// Statements sent while the request is processed.
async fn statements_of(
    agent: &Caller,
    db: &TestDatabase,
    body: &Value,
    key: Option<&str>,
) -> Vec<String> {
    let mut request = agent.request(Method::POST, "/analyze").json(body);
    if let Some(key) = key {
        request = request.header("Idempotency-Key", key);
    }
    let _ = sql_rules::recorded(&db.url);
    let answer = agent.send(request).await;
    let mut sent = sql_rules::recorded(&db.url);
    assert!(answer.status.is_success(), "{}", answer.body);
    sent.retain(|it| !is_boundary(it));
    sent
}

/// For every kind: with and without a key, new, joined and as a dry run, on an account with budgets. The first analysis
/// is excluded, since it also creates the account's queue row.
async fn an_analysis_costs_at_most_eleven_statements(db: TestDatabase) {
    if Lane::from_env() != Lane::Plain {
        return;
    }
    let app = TestApp::with_settings(&db, |config| {
        config.policies.engines = engines::idle(&[("gemini", 2_000), ("perplexity", 0)]);
    })
    .await;
    app.db_limit(|limits| {
        limits.monthly_budget = Some(MicroUsd(1_000_000_000));
        limits.daily_budget = Some(MicroUsd(100_000_000));
    })
    .await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["a", "b"]).await;
    let tracked = json!({ "keywords": ["c", "d"], "aiTracked": true });
    {
        agent
            .post(&format!("/projects/{project}/keywords"), tracked)
            .await
    }
    .created();
    let end = async |job| app.db_job(job, |it| it.state = JobState::Failed).await;
    let first = json!({ "type": "siteAudit", "projectId": project });
    end(id(&agent.post("/analyze", first).await.accepted())).await;
    // The first use of a token is recorded after the response.
    tokio::time::sleep(Duration::from_secs(1)).await;

    let bodies = { AnalysisKind::IMPLEMENTED.into_iter() }
        .map(|kind| json!({ "type": kind.name(), "projectId": project }))
        .chain([json!({ "type": "rankCheck", "projectId": project, "keywordIds": keywords })]);
    for (number, body) in bodies.enumerate() {
        let spends = ["rankCheck", "aiVisibility"].contains(&body["type"].as_str().unwrap());
        let mut dry = body.clone();
        dry["dryRun"] = json!(true);
        for key in [None, Some("key")] {
            for (kind, body) in [("new", &body), ("joined", &body), ("dry", &dry)] {
                let key = key.map(|it| format!("{it}-{number}-{kind}"));
                let sent = statements_of(&agent, &db, body, key.as_deref()).await;
                assert!(
                    sent.len() <= MAX,
                    "{kind} {key:?} {body}: {} of {sent:#?}",
                    sent.len()
                );
                let reserves =
                    { sent.iter() }.any(|it| it.starts_with("INSERT INTO \"server_spending\""));
                assert_eq!(reserves, kind == "new" && spends, "{kind} {key:?} {body}");
                // The project is read once, the account twice: with the token and under the lock.
                let naming = |column: &str| sent.iter().filter(|it| it.contains(column)).count();
                let read = (
                    naming("\"projects\".\"search_text\""),
                    naming("\"accounts\".\"report_defaults\""),
                );
                let of_accounts = if kind == "dry" { 1 } else { 2 };
                assert_eq!(read, (1, of_accounts), "{kind} {key:?} {body}");
            }
            let listed = agent.get("/analyze?status=queued").await.ok();
            for job in listed["items"].as_array().unwrap() {
                end(id(job)).await;
            }
        }
    }
}
