//! Edge cases of HTTP and JSON: unknown paths, sizes, timeouts, encodings, headers.

use harness::{app::TestApp, callers::Caller, databases::TestDatabase};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

harness::on_sqlite![
    unknown_paths_return_problem_documents,
    only_one_clean_object_is_a_body,
    body_size_is_limited,
    reading_a_body_has_a_timeout,
    a_long_url_is_refused,
    the_request_id_of_the_caller_is_returned,
    head_answers_without_a_body,
    operational_paths_handle_methods_like_other_paths,
    accept_is_respected,
];

async fn unknown_paths_return_problem_documents(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let anonymous = app.anonymous();
    for path in [
        "/api",
        "/api/",
        "/api/agent/v1",
        "/api/agent/v1/",
        "/api/agent/v2/projects",
        "/api/agent/v1/projects/",
        "/api/agent/v1/projects/1/2",
        "/api/agent/v1/PROJECTS",
        "/.well-known/",
        "/.well-known/oauth-authorization-server",
        "/problems/none",
        "/problems/",
    ] {
        for method in [Method::GET, Method::POST] {
            let answer = anonymous
                .send(
                    anonymous
                        .request_path(method.clone(), path)
                        .header("accept", "text/html"),
                )
                .await;
            if path.starts_with("/problems/") && method == Method::POST {
                answer.refused(405, "method-not-allowed");
            } else {
                answer.refused(404, "not-found");
            }
        }
    }
}

async fn only_one_clean_object_is_a_body(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let deep = format!("{}1{}", r#"{"a":"#.repeat(17), "}".repeat(17));
    let bodies: [&[u8]; 12] = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{} {}",
        b"{\"domain\":\"a.example.com\",\"domain\":\"b.example.com\"}",
        b"{\"favorite\":NaN}",
        b"{\"a\":1e999}",
        b"{\"name\":\"\xff\"}",
        b"\xef\xbb\xbf{}",
        b"{\"name\":\"\\ud800\"}",
        deep.as_bytes(),
    ];
    for body in bodies {
        let request = agent
            .request(Method::POST, "/projects")
            .header("content-type", "application/json");
        agent
            .send(request.body(body.to_vec()))
            .await
            .refused(400, "malformed-json");
    }
    let huge = format!("{{{}:1}}", serde_json::Value::from("n".repeat(50_000)));
    let request = agent
        .request(Method::POST, "/projects")
        .header("content-type", "application/json");
    agent
        .send(request.body(huge))
        .await
        .refused(422, "validation-failed");
    let text = json!({ "domain": "shop.example.com", "name": "a\u{0}b" });
    assert_eq!(agent.post("/projects", text).await.errors()[0].0, "/name");
}

async fn body_size_is_limited(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let sized = |bytes: usize| {
        let frame = r#"{"wrong":""}"#.len();
        format!(r#"{{"wrong":"{}"}}"#, "x".repeat(bytes - frame))
    };
    let send = async |body: String| {
        let request = agent
            .request(Method::POST, "/projects")
            .header("content-type", "application/json");
        agent.send(request.body(body)).await
    };
    send(sized(256 * 1024))
        .await
        .refused(422, "validation-failed");
    let problem = send(sized(256 * 1024 + 1))
        .await
        .refused(413, "payload-too-large");
    assert_eq!(problem["limitBytes"], 262_144);
    // An excessive Content-Length is refused before the body is sent.
    let token = agent.token().unwrap();
    let head = format!(
        "POST /api/agent/v1/projects HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: 999999999999\r\n\r\n"
    );
    let answer = raw(&app, head).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

/// Sends raw bytes, and reads until the server closes.
async fn raw(app: &TestApp, text: String) -> String {
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    tokio::time::timeout(Duration::from_secs(10), read)
        .await
        .unwrap()
        .unwrap();
    answer
}

async fn reading_a_body_has_a_timeout(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.body.timeout = Duration::from_millis(50);
    })
    .await;
    let token = app.db_full_agent().await.token().unwrap();
    let head = format!(
        "POST /api/agent/v1/projects HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{"
    );
    let answer = raw(&app, head).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    let lower = answer.to_lowercase();
    assert!(
        lower.contains("connection: close")
            && lower.contains("application/problem+json")
            && answer.contains("\"code\":\"request-timeout\""),
        "{answer}"
    );
}

async fn a_long_url_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let anonymous = app.anonymous();
    let problem = anonymous
        .get(&format!("/projects?search={}", "x".repeat(8 * 1024)))
        .await
        .refused(414, "uri-too-long");
    assert_eq!(problem["limitBytes"], 8_192);
    let agent = app.db_full_agent().await;
    let wrong: String = (0..500).fold(String::new(), |query, n| query + &format!("&p{n}="));
    let problem = agent
        .get(&format!("/projects?{wrong}"))
        .await
        .refused(422, "validation-failed");
    assert!(problem["moreErrors"].as_u64().unwrap() > 400);
}

async fn the_request_id_of_the_caller_is_returned(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let anonymous = app.anonymous();
    let echoed_id = async |id: &str| {
        let answer = anonymous
            .send(
                anonymous
                    .request(Method::GET, "/health")
                    .header("x-request-id", id),
            )
            .await;
        answer.refused(401, "token-missing");
        answer.header("x-request-id").to_owned()
    };
    assert_eq!(echoed_id("agent-run_7.step-2").await, "agent-run_7.step-2");
    for unfit in ["short", "has space in it", "quote\"quote", &"x".repeat(65)] {
        let id = echoed_id(unfit).await;
        assert!(id != unfit && id.len() == 36, "{id}");
    }
}

async fn head_answers_without_a_body(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    for path in [
        "/health".to_owned(),
        "/docs".into(),
        "/projects".into(),
        format!("/projects/{project}"),
        format!("/projects/{project}/keywords"),
        "/analyze".into(),
        format!("/results?type=all&projectId={project}"),
        "/models".into(),
        "/projects/7".into(),
    ] {
        let (head, get) = (agent.head(&path).await, agent.get(&path).await);
        assert_eq!(head.status, get.status, "{path}");
        for name in ["content-type", "content-length", "cache-control", "vary"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {path}");
        }
        assert_eq!(get.header("vary"), "Accept, Accept-Encoding, Authorization");
    }
    assert_eq!(
        agent.get("/projects").await.header("cache-control"),
        "private, no-cache"
    );
}

async fn operational_paths_handle_methods_like_other_paths(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let anonymous = app.anonymous();
    let paths = [
        "/",
        "/healthz",
        "/livez",
        "/readyz",
        "/problems/token-missing",
    ];
    for path in paths {
        let get = |method: Method| anonymous.send(anonymous.request_path(method, path));
        let body = get(Method::GET).await.ok();
        assert!(body.is_object());
        assert_eq!(get(Method::HEAD).await.status, 200);
        assert_eq!(
            get(Method::OPTIONS).await.header("allow"),
            "GET, HEAD, OPTIONS"
        );
        get(Method::POST).await.refused(405, "method-not-allowed");
    }
    let kind = anonymous
        .send(anonymous.request_path(Method::GET, "/problems/token-missing"))
        .await
        .ok();
    assert_eq!(
        kind,
        json!({
            "code": "token-missing",
            "status": 401,
            "title": "Access token required",
            "meaning": "The request has no access token.",
            "retryable": false,
        })
    );
}

async fn accept_is_respected(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let get_accepting = async |accept: &str| {
        let caller: &Caller = &agent;
        caller
            .send(
                caller
                    .request(Method::GET, "/models")
                    .header("accept", accept),
            )
            .await
    };
    for good in [
        "*/*",
        "application/json",
        "text/html, application/*;q=0.1",
        "application/problem+json",
    ] {
        get_accepting(good).await.ok();
    }
    for bad in ["text/html", "application/xml", "application/json;q=0"] {
        let problem = get_accepting(bad).await.refused(406, "not-acceptable");
        assert_eq!(
            problem["available"],
            json!(["application/json", "application/problem+json"])
        );
    }
}
