//! gzip: for clients that accept it, if the body is large enough.

use harness::{
    app::TestApp,
    callers::{Caller, client},
    databases::TestDatabase,
};
use reqwest::{Method, Response};

harness::on_sqlite![
    long_responses_are_compressed_if_accepted,
    responses_with_a_strong_etag_are_not_compressed,
];

async fn get_encoded(app: &TestApp, agent: &Caller, path: &str, encodings: &str) -> Response {
    // Not via `Caller`, which decodes text; this is about bytes.
    let url = format!("http://{}/api/agent/v1{path}", app.address);
    let request = client().request(Method::GET, url);
    let request = request.bearer_auth(agent.token().unwrap());
    let request = request.header("accept-encoding", encodings);
    request.send().await.unwrap()
}

fn encoding(answer: &Response) -> Option<&str> {
    answer.headers().get("content-encoding")?.to_str().ok()
}

async fn long_responses_are_compressed_if_accepted(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let plain = agent.get("/docs").await.body;
    for accepted in ["gzip", "gzip, deflate, br", "br;q=1, gzip;q=0.5"] {
        let answer = get_encoded(&app, &agent, "/docs", accepted).await;
        assert_eq!(encoding(&answer), Some("gzip"), "{accepted}");
        let bytes = answer.bytes().await.unwrap();
        assert!(
            bytes.len() * 4 < plain.len(),
            "{} of {}",
            bytes.len(),
            plain.len()
        );
        let mut text = String::new();
        let mut decoder = flate2::read::GzDecoder::new(&bytes[..]);
        std::io::Read::read_to_string(&mut decoder, &mut text).unwrap();
        assert_eq!(text, plain);
    }
    for refused in ["identity", "br", "gzip;q=0", "", "*", "nonsense"] {
        let answer = get_encoded(&app, &agent, "/docs", refused).await;
        assert_eq!(encoding(&answer), None, "{refused}");
        assert_eq!(answer.text().await.unwrap(), plain);
    }
    let short = get_encoded(&app, &agent, "/projects", "gzip").await;
    assert_eq!(encoding(&short), None, "a short answer is not worth it");
}

async fn responses_with_a_strong_etag_are_not_compressed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &[]).await;
    let notes = serde_json::json!({ "name": "n".repeat(200), "category": "c".repeat(200), "clientName": "x".repeat(200) });
    let path = format!("/projects/{project}");
    let changed = agent.patch(&path, notes).await;
    assert!(changed.body.len() > 1_024, "{}", changed.body.len());
    let answer = get_encoded(&app, &agent, &path, "gzip").await;
    assert_eq!(encoding(&answer), None);
    assert_eq!(answer.headers()["etag"], changed.header("etag"));
    let list = get_encoded(&app, &agent, "/projects", "gzip").await;
    assert_eq!(encoding(&list), Some("gzip"));
}
