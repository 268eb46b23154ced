//! The edge: the order of checks, methods, media types, bodies, headers, documentation.

use domain::{scope::Scope, use_cases::revoke_token::RevokeToken};
use harness::{app::TestApp, callers::client, databases::TestDatabase, on_every_database};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

on_every_database![
    tokens_end_with_the_next_request,
    requests_wrong_in_two_ways_are_told_the_first,
    bodies_are_read_strictly,
    methods_that_are_not_served_name_those_that_are,
    head_answers_like_get_without_a_body,
    every_answer_carries_the_callers_request_id,
    the_documentation_needs_no_token_and_every_path_is_json,
    health_tells_what_the_token_may_do,
    large_slow_and_compressed_bodies_are_refused,
];

async fn tokens_end_with_the_next_request(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let tenant = app.db_tenant().await;
    let agent = app.db_agent_of(&tenant, &Scope::ALL).await;
    agent.get("/health").await.is(200);
    let revoke = RevokeToken::new(std::sync::Arc::clone(&app.storage), app.clock_port());
    assert!(revoke.run(agent.account, agent.token).await.unwrap());
    let answer = agent.get("/health").await;
    assert!(
        answer
            .header("www-authenticate")
            .contains("error=\"invalid_token\"")
    );
    answer.refused(401, "token-revoked");

    let expiring = app.db_agent_of(&tenant, &Scope::ALL).await;
    app.clock.advance(chrono::TimeDelta::days(90));
    assert!(expiring.get("/health").await.refused(401, "token-expired")["expiredAt"].is_string());
    let missing = app.anonymous().get("/health").await;
    assert_eq!(
        missing.header("www-authenticate"),
        "Bearer realm=\"agent-api\", scope=\"projects:read\""
    );
    missing.refused(401, "token-missing");
    app.bearing("sightline_agt_nonsense")
        .get("/health")
        .await
        .refused(401, "token-invalid");
    let in_the_query = app.anonymous().get("/health?access_token=x").await;
    in_the_query.refused(401, "token-missing");
}

async fn requests_wrong_in_two_ways_are_told_the_first(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let tenant = app.db_tenant().await;
    let (all, reader) = (
        app.db_agent_of(&tenant, &Scope::ALL).await,
        app.db_agent_of(&tenant, &[Scope::ProjectsRead]).await,
    );
    let nobody = app.anonymous();
    let xml = ("accept", "application/xml");
    let with = |caller: &harness::callers::Caller,
                method: Method,
                path: &str,
                headers: &[(&str, &str)],
                body: &str| {
        let request = caller.request(method, path).body(body.to_owned());
        headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        })
    };
    // Path before method, method before token, token before scope.
    nobody
        .send(with(&nobody, Method::POST, "/nothing", &[], ""))
        .await
        .refused(404, "not-found");
    nobody
        .send(with(&nobody, Method::PUT, "/projects", &[], ""))
        .await
        .refused(405, "method-not-allowed");
    nobody
        .send(with(&nobody, Method::POST, "/projects", &[xml], "{"))
        .await
        .refused(401, "token-missing");
    // Scope before Accept, Accept before media type, media type before body, body before object.
    reader
        .send(with(&reader, Method::POST, "/projects", &[xml], "{"))
        .await
        .refused(403, "insufficient-scope");
    all.send(with(
        &all,
        Method::POST,
        "/projects",
        &[xml, ("content-type", "text/plain")],
        "{",
    ))
    .await
    .refused(406, "not-acceptable");
    all.send(with(
        &all,
        Method::PATCH,
        "/projects/1",
        &[("content-type", "text/plain")],
        "{",
    ))
    .await
    .refused(415, "unsupported-media-type");
    all.send(with(
        &all,
        Method::PATCH,
        "/projects/1",
        &[("content-type", "application/json")],
        "{",
    ))
    .await
    .refused(400, "malformed-json");
    // Object before values, values before state.
    all.patch("/projects/1", json!({ "nonsense": 1 }))
        .await
        .refused(404, "project-not-found");
    let id = all
        .post("/projects", json!({ "domain": "example.com" }))
        .await
        .is(201)["id"]
        .clone();
    all.delete(&format!("/projects/{id}")).await.is(200);
    all.post(
        &format!("/projects/{id}/keywords"),
        json!({ "keywords": [] }),
    )
    .await
    .refused(422, "validation-failed");
    all.post(
        &format!("/projects/{id}/keywords"),
        json!({ "keywords": ["x"] }),
    )
    .await
    .refused(409, "project-deactivated");
    let told = reader
        .post("/projects", json!({}))
        .await
        .refused(403, "insufficient-scope");
    assert_eq!(
        (&told["requiredScopes"], &told["grantedScopes"]),
        (&json!(["projects:write"]), &json!(["projects:read"]))
    );
}

async fn bodies_are_read_strictly(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let send = |content_type: &'static str, body: Vec<u8>| {
        let request = agent
            .request(Method::POST, "/projects")
            .header("content-type", content_type)
            .body(body);
        agent.send(request)
    };
    let deep = format!("{}1{}", r#"{"a":"#.repeat(17), "}".repeat(17));
    for body in [
        "",
        "[]",
        "null",
        "{",
        "{} {}",
        r#"{"domain":"a.com","domain":"b.com"}"#,
        r#"{"a":NaN}"#,
        "\u{feff}{}",
        &deep,
    ] {
        send("application/json", body.into())
            .await
            .refused(400, "malformed-json");
    }
    send("application/json", b"{\"domain\":\"\xff\"}".to_vec())
        .await
        .refused(400, "malformed-json");
    for content_type in [
        "text/plain",
        "application/xml",
        "application/json; charset=latin-1",
        "application/merge-patch+json",
        "multipart/form-data",
    ] {
        let answer = send(content_type, b"{}".to_vec()).await;
        assert_eq!(answer.header("accept-post"), "application/json");
        answer.refused(415, "unsupported-media-type");
    }
    send(
        "Application/JSON; charset=UTF-8",
        br#"{"domain":"example.com"}"#.to_vec(),
    )
    .await
    .is(201);
}

async fn methods_that_are_not_served_name_those_that_are(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let nobody = app.anonymous();
    for (path, allowed) in [
        ("/health", "GET, HEAD, OPTIONS"),
        ("/projects", "GET, HEAD, POST, OPTIONS"),
        ("/projects/1", "GET, HEAD, PATCH, DELETE, OPTIONS"),
        ("/keywords/1", "PATCH, DELETE, OPTIONS"),
    ] {
        for method in ["PUT", "TRACE", "BREW"] {
            let answer = nobody.call(method, path, None).await;
            assert_eq!(answer.header("allow"), allowed);
            answer.refused(405, "method-not-allowed");
        }
        let options = nobody.call("OPTIONS", path, None).await;
        assert_eq!(
            (options.status, options.header("allow")),
            (204, allowed.to_owned())
        );
    }
    let options = nobody.call("OPTIONS", "/projects/1", None).await;
    assert_eq!(
        options.header("accept-patch"),
        "application/json, application/merge-patch+json"
    );
}

async fn head_answers_like_get_without_a_body(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    for path in ["/projects", "/models", "/docs", "/projects/1"] {
        let (get, head) = (agent.get(path).await, agent.call("HEAD", path, None).await);
        assert_eq!((head.status, head.text.as_str()), (get.status, ""));
        assert_eq!(head.header("content-type"), get.header("content-type"));
        let length = get.text.len().to_string();
        assert!(
            path == "/projects/1" || head.header("content-length") == length,
            "{path}"
        );
    }
}

async fn every_answer_carries_the_callers_request_id(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    for (given, kept) in [
        ("abc-12345", true),
        ("short", false),
        ("has spaces in it", false),
        (&"x".repeat(65), false),
    ] {
        let answer = agent
            .send(
                agent
                    .request(Method::GET, "/nothing")
                    .header("x-request-id", given),
            )
            .await;
        assert_eq!(answer.header("x-request-id") == given, kept, "{given}");
    }
}

async fn the_documentation_needs_no_token_and_every_path_is_json(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let nobody = app.anonymous();
    let answer = nobody.get("/docs").await;
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    let document = answer.is(200);
    assert_eq!(
        (
            &document["openapi"],
            document["paths"].as_object().unwrap().len()
        ),
        (&json!("3.1.0"), 9)
    );
    app.bearing("wrong").get("/docs").await.is(200);
    let guide = nobody.get("/docs?format=guide").await;
    assert!(guide.text.len() <= 16 * 1024);
    assert_eq!(guide.is(200)["endpoints"].as_array().unwrap().len(), 15);
    nobody
        .get("/docs?format=pdf")
        .await
        .refused(422, "validation-failed");
    for path in [
        "//api/agent/v2/projects",
        "//api",
        "//.well-known/oauth-protected-resource",
        "//nothing",
        "//api/agent/v1/projects/",
    ] {
        nobody.get(path).await.refused(404, "not-found");
    }
}

async fn health_tells_what_the_token_may_do(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let tenant = app.db_tenant().await;
    let reader = app
        .db_agent_of(&tenant, &[Scope::ProjectsRead, Scope::ModelsRead])
        .await;
    let health = reader.get("/health").await.is(200);
    let capabilities = health["capabilities"].as_array().unwrap();
    let granted: Vec<&Value> = capabilities
        .iter()
        .filter(|it| it["granted"] == true)
        .map(|it| &it["name"])
        .collect();
    assert_eq!(
        (capabilities.len(), granted),
        (
            15,
            vec![
                &json!("getHealth"),
                &json!("getDocs"),
                &json!("listProjects"),
                &json!("getProject"),
                &json!("getResults"),
                &json!("listModels")
            ]
        )
    );
    assert_eq!(
        health["token"]["scopes"],
        json!(["projects:read", "models:read"])
    );
    assert_eq!(health["limits"]["keywordsPerRequest"], 1_000);
    assert_eq!(
        health["providers"][0],
        json!({ "need": "searchResults", "label": "sandbox", "state": "sandbox" })
    );
}

async fn large_slow_and_compressed_bodies_are_refused(db: TestDatabase) {
    let app = TestApp::start_with(&db, |config| {
        config.body_patience = Duration::from_millis(200);
    })
    .await;
    let agent = app.db_agent().await;
    let json_of = |size: usize| {
        let frame = r#"{"domain":""}"#.len();
        format!(r#"{{"domain":"{}"}}"#, "a".repeat(size - frame))
    };
    let post = |body: String| {
        agent.send(
            agent
                .request(Method::POST, "/projects")
                .header("content-type", "application/json")
                .body(body),
        )
    };
    post(json_of(256 * 1024))
        .await
        .refused(422, "validation-failed");
    assert_eq!(
        post(json_of(256 * 1024 + 1))
            .await
            .refused(413, "payload-too-large")["limitBytes"],
        256 * 1024
    );
    let compressed = agent
        .request(Method::POST, "/projects")
        .header("content-type", "application/json")
        .header("content-encoding", "gzip")
        .body("{}");
    agent
        .send(compressed)
        .await
        .refused(415, "unsupported-media-type");
    let endless = futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>();
    let slow = client().post(format!("{}/api/agent/v1/projects", app.base_url));
    let slow = slow
        .header("content-type", "application/json")
        .header("authorization", token_of(&agent))
        .body(reqwest::Body::wrap_stream(endless));
    let answer = slow.send().await.unwrap();
    assert_eq!(answer.status(), 408);
    let uri = agent
        .get(&format!("/projects?search={}", "a".repeat(9_000)))
        .await;
    uri.refused(414, "uri-too-long");
}

fn token_of(agent: &harness::callers::Agent) -> String {
    let request = agent.request(Method::GET, "/health").build().unwrap();
    request.headers()["authorization"]
        .to_str()
        .unwrap()
        .to_owned()
}
