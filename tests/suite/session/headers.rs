//! Security headers.

use harness::{app::TestApp, callers::client, databases::TestDatabase, on_every_database};

on_every_database![pages_load_own_sources_and_responses_load_none];

async fn pages_load_own_sources_and_responses_load_none(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let read = |path: &str| client().get(format!("http://{}{path}", app.address)).send();
    let page = read("/docs").await.unwrap();
    let header = |name: &str| {
        let values: Vec<&str> = { page.headers().get_all(name).iter() }
            .map(|it| it.to_str().unwrap())
            .collect();
        assert_eq!(values.len(), 1, "{name}: {values:?}");
        values[0].to_owned()
    };
    let policy = header("content-security-policy");
    for rule in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(
            policy.split("; ").any(|it| it == rule),
            "{rule} in {policy}"
        );
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(header("cross-origin-opener-policy"), "same-origin");
    assert_eq!(header("cross-origin-resource-policy"), "same-origin");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert!(header("strict-transport-security").contains("includeSubDomains"));
    assert!(header("permissions-policy").contains("camera=()"));

    let answer = read("/api/session").await.unwrap();
    let policy = answer.headers()["content-security-policy"]
        .to_str()
        .unwrap();
    assert_eq!(policy, "default-src 'none'; frame-ancestors 'none'");
}
