//! Access to pages, and their headers.

use super::{get, header, pages, project, text};
use harness::{app::TestApp, callers::id, databases::TestDatabase, on_every_database};
use reqwest::{Method, header::ACCEPT_ENCODING};
use serde_json::json;

on_every_database![
    pages_without_a_session_redirect_to_sign_in,
    without_an_account_pages_redirect_to_the_first_run,
    pages_have_security_headers,
    missing_and_foreign_pages_have_the_same_response,
    only_existing_plans_have_a_page,
    sign_in_redirects_only_to_own_pages,
    browsers_get_an_html_404,
    assets_are_cached_forever_under_their_hash,
    pages_are_read_only,
];

async fn pages_without_a_session_redirect_to_sign_in(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (project, _) = project(&app, 1).await;
    for path in pages(project).iter().filter(|it| *it != "/docs") {
        let response = get(&app, path).await;
        assert_eq!(response.status().as_u16(), 303, "{path}");
        let next = match path.as_str() {
            "/" => String::new(),
            path => format!("?next={}", path.replace('/', "%2F")),
        };
        assert_eq!(header(&response, "location"), format!("/sign-in{next}"));
        assert!(response.text().await.unwrap().is_empty(), "{path}");
    }
    for open in ["/sign-in", "/docs"] {
        assert!(text(&app, open).await.contains("<h1>"), "{open}");
    }
    assert_eq!(header(&get(&app, "/welcome").await, "location"), "/sign-in");
}

async fn without_an_account_pages_redirect_to_the_first_run(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let welcome = text(&app, "/welcome").await;
    assert!(welcome.contains("POST /api/welcome"));
    assert_nothing_is_sent_in_addresses(&welcome);
    for path in ["/", "/sign-in", "/analyses", "/projects/7"] {
        let response = get(&app, path).await;
        assert_eq!(header(&response, "location"), "/welcome", "{path}");
    }
    app.db_sign_in(0).await;
    for path in ["/welcome", "/sign-in"] {
        assert_eq!(header(&get(&app, path).await, "location"), "/", "{path}");
    }
}

async fn pages_have_security_headers(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (project, _) = project(&app, 1).await;
    app.db_sign_in(0).await;
    for path in pages(project) {
        let response = get(&app, &path).await;
        assert_eq!(response.status().as_u16(), 200, "{path}");
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(header(&response, name), value, "{name} of {path}");
        }
        let policy = header(&response, "content-security-policy").to_owned();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(part), "{part} of {path}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        let page = response.text().await.unwrap();
        // The page contains nothing that the policy would block.
        assert!(
            !page.contains(" style=") && !page.contains("<style"),
            "{path}"
        );
        assert!(
            !page.contains("<script>") && !page.contains(" onclick"),
            "{path}"
        );
        assert!(
            page.contains("<html lang=\"en\">") && page.contains("class=\"skip\""),
            "{path}"
        );
        assert_eq!(page.matches("<h1>").count(), 1, "{path}");
        assert_nothing_is_sent_in_addresses(&page);
    }
}

/// Without scripts, or before they run, a form without a method would put passwords into the URL.
fn assert_nothing_is_sent_in_addresses(page: &str) {
    for form in page.split("<form ").skip(1) {
        let tag = form.split('>').next().unwrap();
        if tag.contains("data-api") || form.contains("type=\"password\"") {
            assert!(tag.contains("method=\"post\""), "{tag}");
        }
    }
}

async fn missing_and_foreign_pages_have_the_same_response(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (theirs, _) = project(&app, 1).await;
    app.db_sign_in(1).await;
    let mut answers = Vec::new();
    for id in [
        theirs.to_string(),
        "7".to_owned(),
        "007".to_owned(),
        "x".to_owned(),
    ] {
        for end in [
            "",
            "/keywords",
            "/settings",
            "/gap-check",
            "/content-plans/3",
            "/results/rankings",
        ] {
            let response = get(&app, &format!("/projects/{id}{end}")).await;
            answers.push((response.status().as_u16(), response.text().await.unwrap()));
        }
    }
    let (status, _) = answers[0];
    assert_eq!(status, 404);
    assert!(answers.iter().all(|it| *it == answers[0]));
}

async fn only_existing_plans_have_a_page(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (project, _) = project(&app, 1).await;
    let plan = json!({ "name": "Winter <i>", "clusteredBy": "words", "items": [] });
    let browser = app.db_member(0).await;
    let path = format!("/projects/{project}/content-plans");
    let saved = browser.post(&format!("/api{path}"), plan).await.created();
    app.db_sign_in(0).await;
    let page = text(&app, &format!("{path}/{}", id(&saved))).await;
    assert!(page.contains("<title>Winter &lt;i&gt; ·"), "{page}");
    for nothing in ["3", "x"] {
        let answer = get(&app, &format!("{path}/{nothing}")).await;
        assert_eq!(answer.status().as_u16(), 404, "{nothing}");
    }
}

async fn sign_in_redirects_only_to_own_pages(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner(0).await;
    let then = async |next: &str| {
        let page = text(&app, &format!("/sign-in?next={next}")).await;
        let (_, behind) = page.split_once("data-then=\"").unwrap();
        behind.split('"').next().unwrap().to_owned()
    };
    assert_eq!(then("%2Fanalyses").await, "/analyses");
    let filtered = "/projects/7/keywords?sort=-text";
    assert_eq!(
        then("%2Fprojects%2F7%2Fkeywords%3Fsort%3D-text").await,
        filtered
    );
    for elsewhere in [
        "https%3A%2F%2Fevil.example%2F",
        "%2F%2Fevil.example%2Fprojects%2F7",
        "%2F%5Cevil.example",
        "%2Fprojects%2F7%5C..%2F..%2Fx",
        "javascript%3Aalert(1)",
        "%2Fprojects%2F7%0D%0AX",
        "%2Fapi%2Fsession",
        "%2Fsign-in",
        "%2Fnothing",
        "projects",
    ] {
        assert_eq!(then(elsewhere).await, "/", "{elsewhere}");
    }
}

async fn browsers_get_an_html_404(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner(0).await;
    for signed_in in [false, true] {
        if signed_in {
            app.db_sign_in(0).await;
        }
        for path in [
            "/nothing-here",
            "/index.html",
            "/sign-in/",
            "//",
            "/projects/7/x",
        ] {
            let response = get(&app, path).await;
            assert_eq!(response.status().as_u16(), 404, "{path}");
            assert_eq!(
                header(&response, "content-type"),
                "text/html; charset=utf-8"
            );
        }
        let api = get(&app, "/api/nothing").await;
        assert_eq!(header(&api, "content-type"), "application/problem+json");
    }
}

async fn assets_are_cached_forever_under_their_hash(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let page = text(&app, "/docs").await;
    let style = page
        .split("href=\"")
        .find(|it| it.contains("sightline.css"))
        .unwrap();
    let style = style.split('"').next().unwrap();
    let response = get(&app, style).await;
    assert_eq!(
        header(&response, "cache-control"),
        "public, max-age=31536000, immutable"
    );
    let plain = response.bytes().await.unwrap();
    let request = app
        .anonymous()
        .request_path(Method::GET, style)
        .header(ACCEPT_ENCODING, "gzip");
    let response = request.send().await.unwrap();
    assert_eq!(header(&response, "content-encoding"), "gzip");
    assert!(response.bytes().await.unwrap().len() * 3 < plain.len());
    let gone = get(&app, "/assets/0000000000000000/sightline.css").await;
    assert_eq!(
        (gone.status().as_u16(), header(&gone, "cache-control")),
        (404, "no-store")
    );
}

async fn pages_are_read_only(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_sign_in(0).await;
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        let response = app
            .page_browser()
            .cookie_request(method, "/analyses")
            .send()
            .await
            .unwrap();
        assert_eq!(
            (response.status().as_u16(), header(&response, "allow")),
            (405, "GET, HEAD")
        );
    }
    let get = get(&app, "/analyses").await;
    let head = app
        .page_browser()
        .cookie_request(Method::HEAD, "/analyses")
        .send()
        .await
        .unwrap();
    assert_eq!(
        header(&get, "content-length"),
        header(&head, "content-length")
    );
    assert!(head.text().await.unwrap().is_empty());
    let root = app
        .anonymous()
        .request_path(Method::GET, "/")
        .send()
        .await
        .unwrap();
    assert_eq!(header(&root, "content-type"), "application/json");
    let api = app
        .anonymous()
        .request_path(Method::GET, "/api/nothing")
        .send()
        .await
        .unwrap();
    assert_eq!(header(&api, "content-type"), "application/problem+json");
}
