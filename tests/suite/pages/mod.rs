//! Pages over real HTTP, on both databases: access, headers, escaping, and number of statements.

mod escaping;
mod reading;
mod sending;
mod statements;

use analysis::result_type::ResultType;
use harness::{app::TestApp, callers::id};
use reqwest::{Method, Response, header::ACCEPT};
use serde_json::json;

/// All pages of a signed-in user.
fn pages(project: i64) -> Vec<String> {
    let mut pages: Vec<String> = [
        "/",
        "/analyses",
        "/events",
        "/keyword-research",
        "/docs",
        "/accounts",
        "/settings/account",
        "/settings/members",
        "/settings/api-tokens",
        "/settings/report-defaults",
        "/settings/models",
        "/settings/usage",
        "/settings/audit-log",
        "/settings/mail",
    ]
    .map(str::to_owned)
    .to_vec();
    for end in [
        "",
        "/events",
        "/keywords",
        "/settings",
        "/gap-check",
        "/content-plans",
        "/assignments",
    ] {
        pages.push(format!("/projects/{project}{end}"));
    }
    pages.extend(ResultType::ALL.map(|it| format!("/projects/{project}/results/{}", it.name())));
    pages
}

async fn get(app: &TestApp, path: &str) -> Response {
    let request = app.page_browser().cookie_request(Method::GET, path);
    request
        .header(ACCEPT, "text/html,*/*;q=0.8")
        .send()
        .await
        .unwrap()
}

async fn text(app: &TestApp, path: &str) -> String {
    let response = get(app, path).await;
    assert_eq!(response.status().as_u16(), 200, "{path}");
    response.text().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    let value = response.headers().get(name);
    value.and_then(|it| it.to_str().ok()).unwrap_or_default()
}

/// A rankings record as a worker writes it.
fn ranking(project: i64, keyword: i64, text: &str, position: u32, url: &str) -> String {
    json!({
        "type": "rankings",
        "projectId": project,
        "keywordId": keyword,
        "url": url,
        "measuredAt": "2026-09-21T12:00:00Z",
        "status": "ok",
        "error": null,
        "provenance": "simulated",
        "provider": "sandbox",
        "methodVersion": "rankings/1",
        "sampleSize": 1,
        "warnings": [],
        "keyword": text,
        "engine": "sandbox",
        "country": "us",
        "language": "en",
        "device": "desktop",
        "position": position,
        "depthChecked": 100,
        "inFeaturedSnippet": false,
        "ownUrls": [],
        "changeKind": "up",
        "change": 2,
        "ctrModel": "ctr-v1",
        "isBranded": false,
    })
    .to_string()
}

/// A project of the first account with this many keywords.
async fn project(app: &TestApp, keywords: u32) -> (i64, Vec<i64>) {
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &[]).await;
    let mut ids = Vec::new();
    for from in (0..keywords).step_by(1_000) {
        let texts: Vec<String> = (from..keywords.min(from + 1_000))
            .map(|it| format!("shoes {it}"))
            .collect();
        let path = format!("/projects/{project}/keywords");
        let added = agent
            .post(&path, json!({ "keywords": texts }))
            .await
            .created();
        ids.extend(added["created"].as_array().unwrap().iter().map(id));
    }
    (project, ids)
}
