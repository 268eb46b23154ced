//! Access to pages, and their headers.

use super::{get, header, pages, project, text};
use harness::{app::TestApp, callers::id, databases::TestDatabase, on_every_database};
use reqwest::{Method, header::ACCEPT_ENCODING};
use serde_json::json;

on_every_database![
    nobody_sees_a_page_without_a_session,
    without_an_account_everything_leads_to_the_first_run,
    pages_carry_their_headers,
    what_is_not_there_and_what_is_anothers_look_alike,
    a_plan_has_a_page_and_what_is_no_plan_has_none,
    whoever_signs_in_goes_on_to_pages_of_ours_alone,
    what_is_no_page_is_told_as_one_to_browsers,
    files_are_kept_for_ever_under_their_version,
    pages_are_read_and_nothing_else,
];

async fn nobody_sees_a_page_without_a_session(db: TestDatabase) {
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

async fn without_an_account_everything_leads_to_the_first_run(db: TestDatabase) {
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

async fn pages_carry_their_headers(db: TestDatabase) {
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

async fn what_is_not_there_and_what_is_anothers_look_alike(db: TestDatabase) {
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

async fn a_plan_has_a_page_and_what_is_no_plan_has_none(db: TestDatabase) {
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

async fn whoever_signs_in_goes_on_to_pages_of_ours_alone(db: TestDatabase) {
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

async fn what_is_no_page_is_told_as_one_to_browsers(db: TestDatabase) {
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

async fn files_are_kept_for_ever_under_their_version(db: TestDatabase) {
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
        .anywhere(Method::GET, style)
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

async fn pages_are_read_and_nothing_else(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_sign_in(0).await;
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        let response = app.looks().bare(method, "/analyses").send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), header(&response, "allow")),
            (405, "GET, HEAD")
        );
    }
    let get = get(&app, "/analyses").await;
    let head = app
        .looks()
        .bare(Method::HEAD, "/analyses")
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
        .anywhere(Method::GET, "/")
        .send()
        .await
        .unwrap();
    assert_eq!(header(&root, "content-type"), "application/json");
    let api = app
        .anonymous()
        .anywhere(Method::GET, "/api/nothing")
        .send()
        .await
        .unwrap();
    assert_eq!(header(&api, "content-type"), "application/problem+json");
}
