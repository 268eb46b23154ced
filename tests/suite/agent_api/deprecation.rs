//! Deprecated endpoints: announced in every response, and served as before.

use chrono::{DateTime, Utc};
use harness::{app::TestApp, databases::TestDatabase};
use reqwest::Method;
use web::endpoint::{Deprecation, Endpoint};

harness::on_sqlite![deprecated_endpoint_responses_carry_deprecation_headers];

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// The route table with a deprecated `getProject`.
fn endpoints() -> Vec<Endpoint> {
    let mut endpoints = web::endpoints::agent_api();
    let found = endpoints.iter_mut().find(|it| it.operation == "getProject");
    found.unwrap().deprecated = Some(Deprecation {
        since: time("2026-11-21T00:00:00Z"),
        sunset: time("2027-12-31T23:59:59Z"),
        documentation_url: "https://seo.example/changes/projects",
    });
    endpoints
}

async fn deprecated_endpoint_responses_carry_deprecation_headers(db: TestDatabase) {
    let app = TestApp::with_endpoints(&db, endpoints).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &[]).await;
    let path = format!("/projects/{project}");
    let answers = [
        agent.get(&path).await,
        agent.head(&path).await,
        agent.get("/projects/7").await,
        app.anonymous().get(&path).await,
    ];
    let statuses: Vec<u16> = answers.iter().map(|it| it.status.as_u16()).collect();
    assert_eq!(statuses, [200, 200, 404, 401]);
    for answer in answers {
        // RFC 9745, 2.1: a date of RFC 9651; RFC 8594, 3: an HTTP date.
        assert_eq!(
            answer.header("deprecation"),
            "@1795219200",
            "{}",
            answer.request
        );
        assert_eq!(answer.header("sunset"), "Fri, 31 Dec 2027 23:59:59 GMT");
        let links = answer.links();
        for rel in ["deprecation", "sunset", "service-desc"] {
            assert!(links.contains(&format!("rel=\"{rel}\"")), "{links}");
        }
    }
    for other in [
        agent.get("/projects").await,
        agent.delete(&path).await,
        agent.send(agent.request(Method::OPTIONS, &path)).await,
    ] {
        assert_eq!(other.header("deprecation"), "", "{}", other.request);
    }
    for endpoint in web::endpoints::agent_api() {
        let notice = endpoint.deprecated.map(|it| it.sunset - it.since);
        assert!(
            notice.is_none_or(|it| it >= Deprecation::MIN_NOTICE),
            "{} goes too soon",
            endpoint.operation
        );
    }
}
