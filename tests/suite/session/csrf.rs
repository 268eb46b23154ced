//! CSRF: writes made by other sites.

use harness::{
    app::{PASSWORD, TestApp},
    browsers::ORIGIN,
    databases::TestDatabase,
    on_every_database,
};
use reqwest::Method;
use serde_json::json;
use web::endpoint::Access;

on_every_database![
    every_cross_site_write_is_refused,
    sign_in_checks_the_origin,
    foreign_host_names_get_neither_page_nor_session,
];

async fn foreign_host_names_get_neither_page_nor_session(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let agent = app.db_full_agent().await;
    for (host, is_ours) in [("seo.example", true), ("evil.example", false)] {
        for path in ["/api/session", "/api/projects", "/api/welcome"] {
            let request = browser.same_origin_request(Method::GET, path);
            let answer = browser.send(request.header("Host", host)).await;
            if is_ours {
                answer.ok();
            } else {
                answer.refused(403, "origin-not-allowed");
            }
        }
        let body = json!({ "domain": format!("shop.{host}.com") });
        let write = browser.same_origin_request(Method::POST, "/api/projects");
        let answer = browser.send(write.header("Host", host).json(&body)).await;
        assert_eq!(answer.status, if is_ours { 201 } else { 403 });
        for path in ["/", "/sign-in", "/docs"] {
            let page = browser
                .cookie_request(Method::GET, path)
                .header("Accept", "text/html");
            let answer = page.header("Host", host).send().await.unwrap();
            assert_eq!(answer.status() == 403, !is_ours, "{path} of {host}");
        }
        // Browsers never authenticate to the Agent API automatically.
        let request = agent.request(Method::GET, "/projects");
        agent.send(request.header("Host", host)).await.ok();
    }
}

/// Every unsafe route with forged headers has no effect.
async fn every_cross_site_write_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, other) = (app.db_member(0).await, app.db_member(1).await);
    let (token, others) = (browser.csrf().unwrap(), other.csrf().unwrap());
    let mut tried = 0;
    for endpoint in web::session_endpoints::session_api() {
        let verb = endpoint.verb.name();
        let is_for_visitors = matches!(
            endpoint.access,
            Access::Visitor(_) | Access::Report(_) | Access::Mail(_)
        );
        if verb == "GET" || is_for_visitors {
            continue;
        }
        let path = endpoint.path.replace("{id}", "7");
        let forged: [(&[(&str, &str)], &str); 9] = [
            (
                &[
                    ("Sec-Fetch-Site", "cross-site"),
                    ("Origin", ORIGIN),
                    ("X-CSRF-Token", &token),
                ],
                "cross-site",
            ),
            (
                &[
                    ("Sec-Fetch-Site", "same-site"),
                    ("Origin", ORIGIN),
                    ("X-CSRF-Token", &token),
                ],
                "same-site",
            ),
            (
                &[("Sec-Fetch-Site", "none"), ("X-CSRF-Token", &token)],
                "cross-site",
            ),
            (
                &[("Origin", "https://evil.example"), ("X-CSRF-Token", &token)],
                "cross-site",
            ),
            (
                &[("Origin", "null"), ("X-CSRF-Token", &token)],
                "cross-site",
            ),
            (&[("X-CSRF-Token", &token)], "no-origin"),
            (&[("Sec-Fetch-Site", "same-origin")], "bad-token"),
            (
                &[("Origin", ORIGIN), ("X-CSRF-Token", &others)],
                "bad-token",
            ),
            (&[("Origin", ORIGIN), ("X-CSRF-Token", "")], "bad-token"),
        ];
        for (headers, reason) in forged {
            let mut request = browser.cookie_request(verb.parse().unwrap(), &path);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            if verb != "DELETE" {
                request = request.json(&json!({}));
            }
            let refused = browser.send(request).await.refused(403, "csrf-rejected");
            assert_eq!(refused["reason"], reason, "{verb} {path} {headers:?}");
            tried += 1;
        }
    }
    assert!(tried > 150, "{tried}");
    assert!(browser.is_signed_in().await, "nothing of it was done");
}

async fn sign_in_checks_the_origin(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner_with_password(0).await;
    let browser = app.browser();
    let body = json!({ "email": "owner0@example.com", "password": PASSWORD });
    for (headers, reason) in [
        (vec![("Sec-Fetch-Site", "cross-site")], "cross-site"),
        (vec![("Origin", "https://evil.example")], "cross-site"),
        (vec![], "no-origin"),
    ] {
        let mut request = browser
            .cookie_request(Method::POST, "/api/session")
            .json(&body);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let refused = browser.send(request).await.refused(403, "csrf-rejected");
        assert_eq!(refused["reason"], reason);
    }
    let by_origin = browser
        .cookie_request(Method::POST, "/api/session")
        .header("Origin", ORIGIN)
        .json(&body);
    browser.send(by_origin).await.ok();
}
