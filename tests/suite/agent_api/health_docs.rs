//! GET /health and GET /docs.

use chrono::TimeDelta;
use domain::{scope::Scope, text::Label, token::RevokeReason, use_cases::tokens::NewToken};
use harness::{app::TestApp, databases::TestDatabase, on_every_database};
use serde_json::{Value, json};

on_every_database![
    health_reports_scopes_and_usage_of_the_token,
    expired_and_revoked_tokens_have_different_problems,
];
harness::on_sqlite![
    an_unsupported_auth_scheme_returns_a_challenge,
    docs_need_no_token_and_ignore_a_bad_one,
    the_guide_is_small_and_names_every_endpoint,
    every_step_of_the_guide_works,
    every_example_of_a_body_is_accepted,
];

async fn health_reports_scopes_and_usage_of_the_token(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app
        .db_agent([Scope::ProjectsRead, Scope::ProjectsWrite])
        .await;
    agent.project("shop.example.com", &["a", "b"]).await;
    let health = agent.get("/health").await.ok();
    assert_eq!(health["status"], "ok");
    assert_eq!(health["account"]["name"], "Account 0");
    assert_eq!(
        health["token"]["scopes"],
        json!(["projects:read", "projects:write"])
    );
    let granted = |name: &str| {
        let all = health["capabilities"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap()["granted"].clone()
    };
    assert_eq!(
        (
            granted("createProject"),
            granted("listModels"),
            granted("getDocs")
        ),
        (json!(true), json!(false), json!(true))
    );
    let used = |name: &str| {
        let all = health["quotas"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap()["used"].clone()
    };
    assert_eq!(
        (used("projects"), used("keywords"), used("aiTracked")),
        (json!(1), json!(2), json!(0))
    );
    assert_eq!(health["limits"]["bodyBytes"], 262_144);
    assert_eq!(health["serverTime"], "2026-09-21T14:13:20Z");
}

async fn expired_and_revoked_tokens_have_different_problems(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_owner(0).await;
    let new = NewToken {
        name: Label::parse("short").unwrap(),
        scopes: domain::scope::Scopes::all(),
        lifetime: Some(TimeDelta::hours(1)),
    };
    let (expiring, _) = app.db_issue(&owner, &new).await;
    let (revoked, token) = app.db_issue(&owner, &new).await;
    expiring.get("/health").await.ok();
    let mut work = app.storage.write().await.unwrap();
    let now = domain::ports::clock::Clock::now(app.clock.as_ref());
    assert!(
        work.tokens()
            .revoke(owner.account, token.id, now, RevokeReason::Owner)
            .await
            .unwrap()
    );
    work.commit().await.unwrap();
    let answer = revoked.get("/health").await;
    answer.refused(401, "token-revoked");
    assert!(
        answer
            .header("www-authenticate")
            .contains("error=\"invalid_token\"")
    );
    app.clock.advance(TimeDelta::hours(1));
    let problem = expiring.get("/health").await.refused(401, "token-expired");
    assert_eq!(problem["expiredAt"], "2026-09-21T15:13:20Z");
}

async fn an_unsupported_auth_scheme_returns_a_challenge(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let missing = app.anonymous().get("/health").await;
    missing.refused(401, "token-missing");
    let challenge = missing.header("www-authenticate");
    assert_eq!(
        challenge,
        "Bearer realm=\"agent-api\", resource_metadata=\"https://seo.example/.well-known/oauth-protected-resource/api/agent/v1\", scope=\"projects:read\""
    );
    for text in [
        "Basic dXNlcjpwYXNz",
        "Bearer",
        "Bearer  ",
        "sightline_agt_x",
    ] {
        let anonymous = app.anonymous();
        let request = anonymous
            .request(reqwest::Method::GET, "/health")
            .header("authorization", text);
        anonymous.send(request).await.refused(401, "token-missing");
    }
    let unknown = app.bearer("sightline_agt_x").get("/health").await;
    unknown.refused(401, "token-invalid");
    assert!(
        unknown
            .header("www-authenticate")
            .contains("error=\"invalid_token\"")
    );
    let reader = app.db_agent([Scope::ModelsRead]).await.get("/health").await;
    let problem = reader.refused(403, "insufficient-scope");
    assert_eq!(problem["requiredScopes"], json!(["projects:read"]));
    assert_eq!(problem["grantedScopes"], json!(["models:read"]));
    assert!(
        reader
            .header("www-authenticate")
            .contains("error=\"insufficient_scope\"")
    );
    let anonymous = app.anonymous();
    let in_query = anonymous.get("/health?access_token=sightline_agt_x").await;
    in_query.refused(401, "token-missing");
}

async fn docs_need_no_token_and_ignore_a_bad_one(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let document = app.bearer("nonsense").get("/docs").await;
    assert_eq!(document.header("cache-control"), "public, max-age=300");
    assert!(document.links().contains("rel=\"service-desc\""));
    assert_eq!(document.ok()["openapi"], "3.1.0");
    let head = app.anonymous().head("/docs").await;
    assert_eq!(
        head.header("content-length"),
        document.body.len().to_string()
    );
    let wrong = app.anonymous().get("/docs?format=guid").await;
    let problem = wrong.refused(422, "validation-failed");
    assert_eq!(problem["errors"][0]["didYouMean"], "guide");
    app.anonymous()
        .delete("/docs")
        .await
        .refused(405, "method-not-allowed");
}

async fn the_guide_is_small_and_names_every_endpoint(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let guide = app.anonymous().get("/docs?format=guide").await;
    assert!(guide.body.len() <= 16 * 1024);
    assert_eq!(guide.ok()["endpoints"].as_array().unwrap().len(), 15);
}

async fn every_step_of_the_guide_works(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let guide = app.anonymous().get("/docs?format=guide").await.ok();
    let (mut project, mut job) = (Value::Null, Value::Null);
    let steps = guide["firstSteps"].as_array().unwrap();
    assert!(steps.len() >= 7);
    for step in steps {
        let path = step["path"].as_str().unwrap();
        let path = path
            .replace("<id of the project>", &project.to_string())
            .replace("<id of the job>", &job.to_string())
            // No worker runs, so the wait is shortened.
            .replace("wait=20", "wait=1");
        let method = step["method"].as_str().unwrap().parse().unwrap();
        let mut request = agent.request_path(method, &path);
        if let Some(mut body) = step.get("body").cloned() {
            if body.get("projectId").is_some() {
                body["projectId"] = project.clone();
            }
            request = request.json(&body);
        }
        let answer = agent.send(request).await;
        assert!(answer.status.is_success(), "{step}: {}", answer.body);
        let id = answer.json()["id"].clone();
        match answer.status.as_u16() {
            201 => project = id,
            202 => job = id,
            _ => {}
        }
    }
}

async fn every_example_of_a_body_is_accepted(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("own.example.com", &["own"]).await;
    let mut sent = 0;
    for endpoint in web::endpoints::agent_api() {
        let Some(body) = endpoint.body else {
            continue;
        };
        let id = if endpoint.path.contains("/keywords/{id}") {
            keywords[0]
        } else {
            project
        };
        for example in body()["examples"].as_array().unwrap() {
            let mut example = example.clone();
            if example.get("projectId").is_some() {
                example["projectId"] = project.into();
            }
            let path = endpoint.path.replace("{id}", &id.to_string());
            let method = endpoint.verb.name().parse().unwrap();
            let request = agent.request_path(method, &path).json(&example);
            let answer = agent.send(request).await;
            let promised = endpoint.responses.iter().map(|it| it.0);
            assert!(
                promised.clone().any(|it| it == answer.status.as_u16()),
                "{path}: {example}: {}",
                answer.body
            );
            sent += 1;
        }
    }
    assert_eq!(sent, 5, "one for each body there is");
}
