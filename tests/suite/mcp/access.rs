//! Access: hosts, origins, tokens, scopes, limits.

use domain::scope::Scope;
use harness::{
    app::TestApp,
    databases::TestDatabase,
    tool_callers::{STATELESS, WITH_HANDSHAKE, message},
};
use reqwest::Method;
use serde_json::{Value, json};
use web::limits::Rate;

harness::on_sqlite![
    a_missing_token_returns_the_resource_metadata_url,
    a_missing_scope_returns_all_scopes_of_the_tool,
    tools_beyond_the_token_scopes_are_not_listed,
    foreign_hosts_and_origins_are_refused_first,
    tool_calls_count_like_requests_to_their_endpoints,
    public_metadata_is_json,
];

async fn a_missing_token_returns_the_resource_metadata_url(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let scopes =
        "projects:read projects:write keywords:read keywords:write analysis:run models:read";
    let start = "Bearer realm=\"mcp\", resource_metadata=\"https://seo.example/.well-known/oauth-protected-resource/mcp\"";
    for (caller, code, error) in [
        (app.anonymous(), "token-missing", ""),
        (
            app.bearer("sightline_agt_x"),
            "token-invalid",
            ", error=\"invalid_token\"",
        ),
    ] {
        for version in [STATELESS, WITH_HANDSHAKE] {
            for method in ["initialize", "tools/list", "nonsense"] {
                let answer = caller.send_message(version, method, json!({})).await;
                answer.refused(401, code);
                assert_eq!(
                    answer.header("www-authenticate"),
                    format!("{start}, scope=\"{scopes}\"{error}")
                );
            }
        }
    }
}

async fn a_missing_scope_returns_all_scopes_of_the_tool(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let reader = app.db_agent([Scope::ProjectsRead]).await;
    let list = json!({ "name": "service_list_projects", "arguments": { "projectId": 1, "include": "keywords" } });
    let answer = reader.send_message(STATELESS, "tools/call", list).await;
    let problem = answer.refused(403, "insufficient-scope");
    assert_eq!(
        problem["requiredScopes"],
        json!(["projects:read", "keywords:read"])
    );
    let challenge = answer.header("www-authenticate");
    assert!(
        challenge.contains("scope=\"projects:read keywords:read\", error=\"insufficient_scope\""),
        "{challenge}"
    );
    // The scope is checked before the arguments.
    let create = json!({ "name": "service_create_project", "arguments": { "nonsense": 1 } });
    let answer = reader
        .send_message(WITH_HANDSHAKE, "tools/call", create)
        .await;
    answer.refused(403, "insufficient-scope");
    reader.call("service_list_projects", json!({})).await.ok();
}

async fn tools_beyond_the_token_scopes_are_not_listed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let names = |response: &Value| -> Vec<String> {
        let tools = response["result"]["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    for (scope, listed) in [
        (
            Scope::ProjectsRead,
            &["service_get_results", "service_list_projects"][..],
        ),
        (
            Scope::ProjectsWrite,
            &["service_create_project", "service_update_project"],
        ),
        (Scope::KeywordsRead, &["service_list_projects"]),
        (
            Scope::KeywordsWrite,
            &["service_add_keywords", "service_update_keyword"],
        ),
        (Scope::AnalysisRun, &["service_run_analysis"]),
        (Scope::ModelsRead, &["service_get_models"]),
    ] {
        let agent = app.db_agent([scope]).await;
        let response = agent
            .send_message(STATELESS, "tools/list", json!({}))
            .await
            .ok();
        assert_eq!(names(&response), listed, "{scope}");
    }
}

async fn foreign_hosts_and_origins_are_refused_first(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let anonymous = app.anonymous();
    let agent = app.db_full_agent().await;
    let own = app.address.to_string();
    for (host, origin, is_let_in) in [
        (own.as_str(), None, true),
        ("seo.example", None, true),
        ("localhost:1234", None, true),
        ("evil.example", None, false),
        ("127.0.0.1.nip.example", None, false),
        (own.as_str(), Some(format!("http://{own}")), true),
        (own.as_str(), Some("https://seo.example".to_owned()), true),
        (own.as_str(), Some("http://evil.example".to_owned()), false),
        (own.as_str(), Some("null".to_owned()), false),
        (
            "seo.example",
            Some("http://localhost:3000".to_owned()),
            false,
        ),
    ] {
        for version in [STATELESS, WITH_HANDSHAKE] {
            let list = message("tools/list", &json!({}));
            for caller in [&agent, &anonymous] {
                let mut request = caller.mcp_request(version, &list).header("Host", host);
                if let Some(origin) = &origin {
                    request = request.header("Origin", origin);
                }
                let answer = caller.send(request).await;
                let expected = match (is_let_in, caller.token().is_some()) {
                    (false, _) => 403,
                    (true, true) => 200,
                    (true, false) => 401,
                };
                assert_eq!(
                    answer.status, expected,
                    "{host} {origin:?}: {}",
                    answer.body
                );
                if expected == 403 {
                    answer.refused(403, "origin-not-allowed");
                }
            }
        }
    }
}

async fn tool_calls_count_like_requests_to_their_endpoints(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.limits.writes = Rate::of(60, 2);
        config.limits.reads = Rate::of(60, 4);
    })
    .await;
    let agent = app.db_full_agent().await;
    // Refused calls count as well, via MCP or REST.
    agent
        .call("service_create_project", json!({}))
        .await
        .refused();
    agent
        .post("/projects", json!({}))
        .await
        .refused(422, "validation-failed");
    let answer = agent
        .call(
            "service_create_project",
            json!({ "domain": "a.example.com" }),
        )
        .await;
    let problem = answer.refused();
    assert_eq!(
        (&problem["code"], &problem["violated-policies"]),
        (&json!("rate-limited"), &json!(["writes"]))
    );
    assert!(
        problem["retryAfterSeconds"].as_u64().unwrap() >= 1,
        "{problem}"
    );
    let listed = agent.send_message(STATELESS, "tools/list", json!({})).await;
    assert!(
        listed.header("ratelimit").contains("\"reads\";r=3"),
        "{}",
        listed.header("ratelimit")
    );
    for _ in 0..3 {
        agent.get("/projects").await.ok();
    }
    let refused = agent.send_message(STATELESS, "tools/list", json!({})).await;
    refused.refused(429, "rate-limited");
    assert!(!refused.header("retry-after").is_empty());
}

async fn public_metadata_is_json(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let anonymous = app.anonymous();
    let known = "/.well-known/oauth-protected-resource";
    for (path, resource) in [
        (known.to_owned(), "https://seo.example/mcp"),
        (format!("{known}/mcp"), "https://seo.example/mcp"),
        (
            format!("{known}/api/agent/v1"),
            "https://seo.example/api/agent/v1",
        ),
    ] {
        let metadata = anonymous
            .send(anonymous.request_path(Method::GET, &path))
            .await
            .ok();
        assert_eq!(
            (&metadata["resource"], &metadata["bearer_methods_supported"]),
            (&json!(resource), &json!(["header"]))
        );
        assert_eq!(
            metadata["scopes_supported"].as_array().map(Vec::len),
            Some(6)
        );
        assert!(metadata.get("authorization_servers").is_none());
    }
    for path in [
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/.well-known/oauth-protected-resource/other",
        "/register",
        "/authorize",
        "/token",
    ] {
        let answer = anonymous
            .send(anonymous.request_path(Method::GET, path))
            .await;
        answer.refused(404, "not-found");
    }
}
