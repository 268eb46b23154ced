//! The fixed order of checks: of two errors, the earlier one is reported.

use domain::scope::Scope;
use harness::{app::TestApp, callers::UNKNOWN_ID, databases::TestDatabase};
use reqwest::Method;
use serde_json::json;

harness::on_sqlite![
    of_two_errors_the_earlier_check_is_reported,
    problem_documents_list_allowed_values
];

#[expect(
    clippy::too_many_lines,
    reason = "one list of requests, read from top to bottom"
)]
async fn of_two_errors_the_earlier_check_is_reported(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (anonymous, full) = (app.anonymous(), app.db_full_agent().await);
    let reader = app.db_agent([Scope::ProjectsRead]).await;
    let (project, _) = full.project("shop.example.com", &[]).await;
    let (own, foreign) = (
        format!("/projects/{project}"),
        format!("/projects/{UNKNOWN_ID}"),
    );
    let xml = ("accept", "application/xml");
    let text = ("content-type", "text/plain");
    let json = ("content-type", "application/json");
    // Caller, method, path, headers, body, status, code.
    for (caller, method, path, headers, body, status, code) in [
        (
            &anonymous,
            Method::DELETE,
            "/nothing",
            vec![],
            "",
            404,
            "not-found",
        ),
        (
            &anonymous,
            Method::PUT,
            own.as_str(),
            vec![],
            "",
            405,
            "method-not-allowed",
        ),
        (
            &anonymous,
            Method::GET,
            &own,
            vec![xml],
            "",
            401,
            "token-missing",
        ),
        (
            &reader,
            Method::PATCH,
            &own,
            vec![xml],
            "",
            403,
            "insufficient-scope",
        ),
        (
            &reader,
            Method::PATCH,
            &foreign,
            vec![json],
            "{}",
            403,
            "insufficient-scope",
        ),
        (
            &full,
            Method::PATCH,
            &own,
            vec![xml, text],
            "{}",
            406,
            "not-acceptable",
        ),
        (
            &full,
            Method::PATCH,
            &foreign,
            vec![xml],
            "",
            406,
            "not-acceptable",
        ),
        (
            &full,
            Method::PATCH,
            &own,
            vec![text],
            "{broken",
            415,
            "unsupported-media-type",
        ),
        (
            &full,
            Method::PATCH,
            &own,
            vec![("content-type", "application/json; charset=latin1")],
            "{broken",
            415,
            "unsupported-media-type",
        ),
        (
            &full,
            Method::PATCH,
            &own,
            vec![json, ("content-encoding", "gzip")],
            "{broken",
            415,
            "unsupported-media-type",
        ),
        (
            &full,
            Method::PATCH,
            &foreign,
            vec![json],
            "{broken",
            400,
            "malformed-json",
        ),
        (
            &full,
            Method::PATCH,
            &foreign,
            vec![json],
            r#"{"wrong":1}"#,
            404,
            "project-not-found",
        ),
        (
            &full,
            Method::POST,
            "/analyze",
            vec![json],
            r#"{"projectId":7,"wrong":1}"#,
            404,
            "project-not-found",
        ),
    ] {
        let mut request = caller.request(method.clone(), path);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        caller.send(request.body(body)).await.refused(status, code);
    }
    full.delete(&own).await.ok();
    let answer = full.patch(&own, json!({ "name": "" })).await;
    answer.refused(422, "validation-failed");
    assert_eq!(
        full.get(&format!("{foreign}/keywords?limit=0"))
            .await
            .status,
        404
    );
}

async fn problem_documents_list_allowed_values(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let anonymous = app.anonymous();
    for (path, allow, patch, post) in [
        ("/health", "GET, HEAD, OPTIONS", "", ""),
        ("/docs", "GET, HEAD, OPTIONS", "", ""),
        (
            "/projects",
            "GET, HEAD, POST, OPTIONS",
            "",
            "application/json",
        ),
        (
            "/projects/1",
            "GET, HEAD, PATCH, DELETE, OPTIONS",
            "application/json, application/merge-patch+json",
            "",
        ),
        (
            "/projects/1/keywords",
            "GET, HEAD, POST, OPTIONS",
            "",
            "application/json",
        ),
        (
            "/keywords/1",
            "PATCH, DELETE, OPTIONS",
            "application/json, application/merge-patch+json",
            "",
        ),
        (
            "/analyze",
            "GET, HEAD, POST, OPTIONS",
            "",
            "application/json",
        ),
        ("/results", "GET, HEAD, OPTIONS", "", ""),
        ("/models", "GET, HEAD, OPTIONS", "", ""),
    ] {
        let options = anonymous.options(path).await;
        assert_eq!(options.status, 204);
        assert_eq!(
            (
                options.header("allow"),
                options.header("accept-patch"),
                options.header("accept-post")
            ),
            (allow, patch, post),
            "{path}"
        );
        for method in ["PUT", "TRACE", "BREW"] {
            let request = anonymous.request(method.parse().unwrap(), path);
            let answer = anonymous.send(request).await;
            let problem = answer.refused(405, "method-not-allowed");
            assert_eq!(answer.header("allow"), allow);
            assert_eq!(
                problem["allow"],
                json!(allow.split(", ").collect::<Vec<_>>())
            );
        }
    }
}
