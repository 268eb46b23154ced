//! Properties of every row of the route table.

use harness::{app::TestApp, callers::UNKNOWN_ID, databases::TestDatabase};
use reqwest::Method;
use std::collections::{BTreeMap, BTreeSet};

harness::on_sqlite![
    other_methods_are_refused_with_the_allowed_ones,
    head_has_the_headers_of_get,
];

const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT", "TRACE", "PROPFIND",
];

/// Methods of each path, with ids filled in.
fn table() -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut table: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for endpoint in web::endpoints::agent_api() {
        let path = endpoint.path.replace("{id}", &UNKNOWN_ID.to_string());
        let path = path.strip_prefix("/api/agent/v1").expect("the API's base");
        let methods = table.entry(path.to_owned()).or_default();
        methods.extend([endpoint.verb.name(), "OPTIONS"]);
        if endpoint.verb.name() == "GET" {
            methods.insert("HEAD");
        }
    }
    table
}

async fn other_methods_are_refused_with_the_allowed_ones(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let table = table();
    assert!(table.len() >= 9, "{table:?}");
    for (path, served) in &table {
        for method in METHODS {
            let request = agent.request(method.parse().unwrap(), path);
            let answer = agent.send(request).await;
            let allowed: BTreeSet<&str> = answer.header("allow").split(", ").collect();
            if method == "OPTIONS" {
                assert_eq!((answer.status.as_u16(), &allowed), (204, served), "{path}");
            } else if served.contains(method) {
                assert_ne!(answer.status, 405, "{method} {path}");
            } else if method == "HEAD" {
                assert_eq!((answer.status.as_u16(), &allowed), (405, served), "{path}");
            } else {
                answer.refused(405, "method-not-allowed");
                assert_eq!(&allowed, served, "{method} {path}");
            }
        }
    }
}

async fn head_has_the_headers_of_get(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for (path, served) in table() {
        if !served.contains("GET") {
            continue;
        }
        let get = agent.get(&path).await;
        let head = agent.send(agent.request(Method::HEAD, &path)).await;
        assert_eq!(
            (head.status, head.body.as_str()),
            (get.status, ""),
            "{path}"
        );
        // Without fields that differ per request.
        let shared_headers = |answer: &harness::callers::Answer| -> BTreeMap<String, String> {
            let own = ["date", "x-request-id", "ratelimit"];
            let fields = answer.headers.iter();
            fields
                .filter(|(name, _)| !own.contains(&name.as_str()))
                .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
                .collect()
        };
        let (mut of_get, mut of_head) = (shared_headers(&get), shared_headers(&head));
        if get.status != 200 {
            // The request id in a problem document may change its length.
            of_get.remove("content-length");
            of_head.remove("content-length");
        }
        assert_eq!(of_head, of_get, "{path}");
    }
}
