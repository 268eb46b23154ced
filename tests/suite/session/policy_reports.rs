//! CSP violation reports.

use harness::{
    app::TestApp, browsers::ORIGIN, callers::client, databases::TestDatabase, on_every_database,
};
use reqwest::Response;
use serde_json::json;

on_every_database![
    csp_reports_are_accepted_in_both_formats,
    many_csp_reports_do_not_block_other_requests,
];

async fn send(app: &TestApp, kind: &str, body: String) -> Response {
    let request = client().post(format!("http://{}/api/policy-reports", app.address));
    let request = request
        .header("Content-Type", kind)
        .header("Origin", ORIGIN);
    request.body(body).send().await.unwrap()
}

async fn csp_reports_are_accepted_in_both_formats(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let page = client().get(format!("http://{}/sign-in", app.address));
    let page = page.send().await.unwrap();
    let header = |name: &str| page.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("reporting-endpoints"), "csp=\"/api/policy-reports\"");
    let policy = header("content-security-policy");
    assert!(
        policy.ends_with("; report-to csp; report-uri /api/policy-reports"),
        "{policy}"
    );

    let body = json!({ "effectiveDirective": "script-src-elem", "blockedURL": "inline" });
    let new = json!([{ "type": "csp-violation", "age": 1, "body": body }]);
    let old = json!({ "csp-report": { "effective-directive": "img-src", "blocked-uri": "data" } });
    let large = "x".repeat(16 * 1_024 + 1);
    for (kind, body, status) in [
        ("application/reports+json", new.to_string(), 204),
        ("application/csp-report", old.to_string(), 204),
        ("application/reports+json", "[]".to_owned(), 204),
        ("text/plain", "{\"csp-report\": \"\u{0}\"".to_owned(), 400),
        ("application/csp-report", "[".repeat(9_000), 400),
        ("application/csp-report", large, 413),
    ] {
        let excerpt = body.chars().take(40).collect::<String>();
        let answer = send(&app, kind, body).await;
        assert_eq!(answer.status(), status, "{excerpt}");
        assert_eq!(answer.headers()["cache-control"], "no-store");
    }
    let elsewhere = client().post(format!("http://{}/api/policy-reports", app.address));
    let elsewhere = elsewhere
        .header("Origin", "https://evil.example")
        .body("[]");
    assert_eq!(elsewhere.send().await.unwrap().status(), 403);
}

async fn many_csp_reports_do_not_block_other_requests(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let mut statuses = vec![];
    for _ in 0..25 {
        let answer = send(&app, "application/reports+json", "[]".into()).await;
        statuses.push(answer.status().as_u16());
    }
    assert_eq!(statuses[..20], [204; 20]);
    assert_eq!(statuses[20..], [429; 5]);
    let page = client().get(format!("http://{}/sign-in", app.address));
    assert_ne!(page.send().await.unwrap().status(), 429);
}
