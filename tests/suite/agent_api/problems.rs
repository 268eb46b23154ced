//! Every problem code, reached by a request. `problems.golden` holds the documents, for readers and to detect changes.

use domain::{money::MicroUsd, scope::Scope};
use harness::{
    app::TestApp,
    callers::{Answer, Caller, UNKNOWN_ID},
    databases::TestDatabase,
};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use web::{limits::Rate, problem::Code};

harness::on_sqlite![every_problem_code_is_reachable_and_matches_golden];

/// Reached by other tests, which need a moving clock, a stalled body, a failing database or concurrent keys.
const ELSEWHERE: [(&str, &str); 27] = [
    ("role-insufficient", "../session/members.rs"),
    ("invitation-for-another", "../session/members.rs"),
    ("link-invalid", "../session/members.rs"),
    ("mail-not-configured", "../session/person_links.rs"),
    ("message-not-failed", "../session/mail.rs"),
    ("suppression-final", "../session/mail.rs"),
    ("already-member", "../session/members.rs"),
    ("last-owner", "../session/members.rs"),
    ("account-changed", "../session/members.rs"),
    ("token-expired", "health_docs.rs"),
    ("token-revoked", "health_docs.rs"),
    ("request-timeout", "http_edge_cases.rs"),
    ("idempotency-in-progress", "failures.rs"),
    ("concurrency-limited", "limits.rs"),
    ("internal-error", "failures.rs"),
    ("database-unavailable", "failures.rs"),
    ("queue-full", "analyses.rs"),
    ("overloaded", "limits.rs"),
    ("session-required", "../session/signing_in.rs"),
    ("sign-in-refused", "../session/signing_in.rs"),
    ("origin-not-allowed", "../mcp/access.rs"),
    ("csrf-rejected", "../session/csrf.rs"),
    ("reauthentication-required", "../session/sessions.rs"),
    ("welcome-over", "../session/first_run.rs"),
    ("email-taken", "../session/settings.rs"),
    ("content-plan-not-found", "../session/content_plans.rs"),
    ("supplier-unavailable", "../session/keyword_research.rs"),
];

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/suite/agent_api");

async fn every_problem_code_is_reachable_and_matches_golden(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.limits.anonymous = Rate::of(60, 3);
        config.limits.failed_tokens = Rate::of(60, 1);
    })
    .await;
    let agent = app.db_full_agent().await;
    let mut seen = refused_before_the_handler(&app).await;
    seen.extend(of_requests_that_cannot_be_read(&agent).await);
    seen.extend(of_what_is_not_there(&agent).await);
    seen.extend(of_what_is_in_the_way(&app, &agent).await);

    let mut reached: BTreeSet<&str> = ELSEWHERE.iter().map(|it| it.0).collect();
    let mut written = String::new();
    for answer in &seen {
        let document = answer.json();
        let code = document["code"].as_str().unwrap_or_default();
        let code = Code::named(code).unwrap_or_else(|| panic!("{}", answer.body));
        answer.refused(code.status(), code.name());
        let is_present = |member: &&str| !document[*member].is_null();
        assert!(
            ["hint", "nextActions"].iter().any(is_present),
            "what to do next is not told: {}",
            answer.body
        );
        reached.insert(code.name());
        written.push_str(&anonymised(document));
    }
    let missing: Vec<&str> = Code::ALL
        .iter()
        .map(|it| it.name())
        .filter(|name| !reached.contains(name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new(), "no request reaches these");
    for (code, file) in ELSEWHERE {
        let source = std::fs::read_to_string(format!("{HERE}/{file}")).unwrap();
        assert!(source.contains(code), "{code} in {file}");
    }
    let golden = format!("{HERE}/problems.golden");
    if std::fs::read_to_string(&golden).unwrap_or_default() != written {
        let fresh = format!("{}/problems.golden", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&fresh, written).unwrap();
        panic!("not as it is written; when that is meant: cp {fresh} {golden}");
    }
}

/// The document without values that vary per run.
fn anonymised(mut document: Value) -> String {
    for member in ["instance", "requestId"] {
        document[member] = "…".into();
    }
    if !document["currentEtag"].is_null() {
        document["currentEtag"] = "\"…\"".into();
    }
    let text = format!("{document:#}\n");
    let mut shown = String::new();
    let mut digits = String::new();
    for character in text.chars() {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        // Ids have sixteen digits.
        shown.push_str(if digits.len() > 12 { "<id>" } else { &digits });
        digits.clear();
        shown.push(character);
    }
    shown
}

async fn refused_before_the_handler(app: &TestApp) -> Vec<Answer> {
    let reader = app.db_agent([Scope::ProjectsRead]).await;
    let guess = app.bearer("sightline_agt_x");
    vec![
        app.anonymous().get("/projects").await,
        guess.get("/projects").await,
        guess.get("/projects").await,
        reader.get("/models").await,
        reader.get("/nothing").await,
        reader.delete("/projects").await,
    ]
}

fn with(agent: &Caller, method: Method, path: &str, header: (&str, &str)) -> RequestBuilder {
    agent.request(method, path).header(header.0, header.1)
}

async fn of_requests_that_cannot_be_read(agent: &Caller) -> Vec<Answer> {
    let post = |kind: &str, body: String| {
        with(agent, Method::POST, "/projects", ("content-type", kind)).body(body)
    };
    let html = with(agent, Method::GET, "/projects", ("accept", "text/html"));
    let tag = with(agent, Method::PATCH, "/projects/7", ("if-match", "bare"));
    let mut laden = agent.request(Method::GET, "/projects");
    for number in 0..81 {
        laden = laden.header(format!("x-{number}"), "1");
    }
    vec![
        agent.send(laden).await,
        agent.send(html).await,
        agent.send(post("application/json", "{".into())).await,
        agent.send(post("text/csv", "a,b".into())).await,
        agent
            .send(post("application/json", "x".repeat(300_000)))
            .await,
        agent
            .get(&format!("/projects?search={}", "x".repeat(9_000)))
            .await,
        agent.send(tag.json(&json!({}))).await,
        agent
            .post("/projects", json!({ "domian": "b.example.com" }))
            .await,
    ]
}

async fn of_what_is_not_there(agent: &Caller) -> Vec<Answer> {
    let tracked = json!({ "aiTracked": true });
    vec![
        agent.get(&format!("/projects/{UNKNOWN_ID}")).await,
        agent
            .patch(&format!("/keywords/{UNKNOWN_ID}"), tracked)
            .await,
        agent.get(&format!("/analyze?jobId={UNKNOWN_ID}")).await,
    ]
}

async fn of_what_is_in_the_way(app: &TestApp, agent: &Caller) -> Vec<Answer> {
    let (project, keywords) = agent.project("a.example.com", &["one"]).await;
    let (path, keyword) = (
        format!("/projects/{project}"),
        format!("/keywords/{}", keywords[0]),
    );
    let (over, _) = agent.project("over.example.com", &[]).await;
    agent.delete(&format!("/projects/{over}")).await.ok();
    let (empty, _) = agent.project("empty.example.com", &[]).await;
    let market = |country: &str| json!({ "market": { "country": country } });
    agent.patch(&keyword, market("de")).await.ok();
    let again = json!({ "keywords": ["one"] });
    agent
        .post(&format!("{path}/keywords"), again)
        .await
        .created();
    let keyed = |domain: &str| {
        let request = with(agent, Method::POST, "/projects", ("idempotency-key", "k1"));
        request.json(&json!({ "domain": domain }))
    };
    agent.send(keyed("k.example.com")).await.created();
    let create = async |domain: &str| agent.post("/projects", json!({ "domain": domain })).await;
    let analyse = async |kind: &str, project: i64| {
        let body = json!({ "type": kind, "projectId": project });
        agent.post("/analyze", body).await
    };
    let old = with(agent, Method::PATCH, &path, ("if-match", "\"old\""));
    let name = json!({ "name": "New" });
    let mut seen = vec![
        agent.send(old.json(&json!({}))).await,
        create("a.example.com").await,
        create("co.uk").await,
        agent.patch(&keyword, market("us")).await,
        agent.patch(&format!("/projects/{over}"), name).await,
        analyse("rankCheck", empty).await,
        analyse("full", project).await,
        agent.send(keyed("l.example.com")).await,
    ];
    app.db_limit(|limits| {
        (limits.projects, limits.monthly_budget) = (1, Some(MicroUsd(1)));
    })
    .await;
    seen.push(create("z.example.com").await);
    seen.push(analyse("rankCheck", project).await);
    seen
}
