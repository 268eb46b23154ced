//! XSS: hostile script in every field, in crawled pages and in prompts for AI engines is shown as text. It never runs,
//! and the Content-Security-Policy has nothing to block.

use super::{installed_server::InstalledServer, pages, served, signed_in};
use actix_web::{HttpRequest, HttpResponse, web};
use harness::chromium::Tab;
use harness::processes::loopback::Loopback;
use storage::DatabaseKind;

/// Breaks out of attributes, elements and comments; into scripts, handlers and templates.
const HOSTILE: &str = "\"'`></textarea></title></script><script>hacked=1;alert(1)</script><img src=x onerror=alert(2)><svg/onload=alert(3)>${alert(4)}{{alert(5)}}<!--";
const SHORT: &str = "\"><img src=x onerror=alert(6)>";

/// Nothing became an element, ran, or was blocked.
async fn stays_text(tab: &Tab, label: &str) {
    let found = tab
        .eval("[window.hacked !== undefined, document.querySelector('img[src=\"x\"], svg[onload], [onerror], body script:not([src]), a[href^=\"javascript\" i], a[href^=\"data\" i], [style]') !== null]")
        .await;
    assert_eq!(found, serde_json::json!([false, false]), "{label}");
    tab.assert_clean(label);
}

async fn read_everything(tab: &Tab, projects: &[String]) -> usize {
    let mut shown = 0;
    for path in pages(projects) {
        tab.go(&path).await;
        tab.eval("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
            .await;
        stays_text(tab, &path).await;
        let text = tab.eval("document.body.innerText + [...document.querySelectorAll('input, textarea')].map((it) => it.value).join(' ')").await;
        shown += usize::from(text.as_str().unwrap().contains("alert("));
    }
    shown
}

/// Creates a project with script as name and keyword; returns its path.
async fn hostile_project(tab: &Tab) -> String {
    tab.fill("Domain", "shop.example.com").await;
    tab.fill("Name", HOSTILE).await;
    tab.fill("First keywords", HOSTILE).await;
    tab.click("button", "Create the project").await;
    tab.wait_for_path_prefix("/projects/").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn script_in_a_project_name_is_escaped() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = hostile_project(&tab).await;
    stays_text(&tab, "a created project").await;
    tab.go(&format!("{project}/keywords")).await;
    stays_text(&tab, "its keywords").await;
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: every page, in a browser"]
async fn script_in_any_field_is_escaped() {
    let (app, _database) = served().await;
    let tab = signed_in(&app).await;
    let project = hostile_project(&tab).await;
    stays_text(&tab, "a created project").await;

    tab.go(&format!("{project}/settings")).await;
    for field in ["Client", "Category", "Who looks after it"] {
        tab.fill(field, HOSTILE).await;
    }
    tab.fill("Tags", SHORT).await;
    tab.eval("document.querySelector('form[data-api^=PATCH] button[type=submit]').click()")
        .await;
    tab.wait_for_text("Saved.").await;
    tab.wait_until_idle().await;
    tab.fill(
        "Or its text",
        &format!(
            "Query,Clicks,Impressions,CTR,Position\n\"{}\",1,10,10%,3\n",
            HOSTILE.replace('"', "\"\"")
        ),
    )
    .await;
    tab.eval("document.querySelector('input[name=from]').value = '2026-09-01'")
        .await;
    tab.eval("document.querySelector('input[name=to]').value = '2026-09-20'")
        .await;
    tab.click_through("main", "button", "Import").await;
    tab.wait_for_text("What was imported").await;

    tab.go("/settings/account").await;
    for field in ["Your name", "Account"] {
        tab.fill(field, HOSTILE).await;
    }
    tab.click("button", "Save").await;
    tab.wait_for_text("Saved.").await;
    tab.wait_until_idle().await;
    tab.go("/settings/api-tokens").await;
    tab.fill("Name", HOSTILE).await;
    tab.click("button", "Make the token").await;
    tab.wait_for_text("The token is made.").await;
    tab.wait_until(
        "the token is shown",
        "document.getElementById('token').textContent.length > 20",
    )
    .await;
    tab.wait_until_idle().await;

    let shown = read_everything(&tab, std::slice::from_ref(&project)).await;
    assert!(
        shown > 15,
        "it is shown as it was written: on {shown} pages"
    );
    let encoded =
        "%22%27%3E%3Cscript%3Ealert(9)%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dalert(9)%3E";
    for path in [
        "/",
        &format!("{project}/keywords"),
        &format!("{project}/results/rankings"),
        "/analyses",
        "/keyword-research",
        "/sign-in",
    ] {
        let names = [
            "search", "tag", "status", "sort", "cursor", "keyword", "url", "range", "engine",
        ];
        let query: Vec<String> = names.iter().map(|it| format!("{it}={encoded}")).collect();
        tab.go(&format!("{path}?{}#{encoded}", query.join("&")))
            .await;
        stays_text(&tab, path).await;
    }
    // Error messages contain the input.
    tab.go("/").await;
    tab.click("summary", "Create a project").await;
    tab.fill("Domain", HOSTILE).await;
    tab.click("button", "Create the project").await;
    tab.wait_until(
        "it is refused",
        "document.querySelector('[aria-invalid]') !== null",
    )
    .await;
    tab.expect_error("status of 422").await;
    stays_text(&tab, "a refusal").await;
    tab.close().await;
}

fn hostile_site() -> Loopback {
    Loopback::start(|app| {
        app.default_service(web::to(page));
    })
}

async fn page(request: HttpRequest) -> HttpResponse {
    let escaped = HOSTILE
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;");
    match request.path() {
        "/" | "/a" | "/b" => HttpResponse::Ok().content_type("text/html; charset=utf-8").body(format!(
            r#"<!doctype html><html lang="{escaped}"><head><title>{escaped}</title>
<meta name="description" content="{escaped}"><meta name="author" content="{escaped}">
<link rel="canonical" href="javascript:alert(7)">
<script type="application/ld+json">{{"@context":"https://schema.org","@type":"Article","headline":"{json}","author":{{"@type":"Person","name":"{json}","url":"javascript:alert(8)"}}}}</script></head>
<body><main><h1>{escaped}</h1><h2>{escaped}</h2><p>{escaped} {filler}</p>
<a href="/a">{escaped}</a> <a href="/b">b</a> <a href="javascript:alert(9)">{escaped}</a> <a href="/gone/{path}" title="{escaped}">{escaped}</a>
<img src="/x.png" alt="{escaped}"></main></body></html>"#,
            json = HOSTILE.replace('"', "\\\"").replace("</script>", "<\\/script>"),
            path = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
            filler = "Anvils, rockets and springs for every day. ".repeat(30),
        )),
        _ => HttpResponse::NotFound().finish(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: every page with results, in a browser"]
async fn script_in_crawled_pages_and_ai_answers_is_escaped() {
    let site = hostile_site();
    let house = InstalledServer::start_with_site(DatabaseKind::Sqlite, site.address).await;
    let tab = Tab::open(&house.origin).await;
    house.create_first_account(&tab).await;
    let keyword = "shoes \"><script>alert(1)</script><img src=x onerror=alert(2)>";
    let project =
        InstalledServer::create_a_project(&tab, &[keyword.to_owned(), "best shoes".to_owned()])
            .await;
    InstalledServer::run_analysis(&tab, "Audit the site", "Site audit").await;
    InstalledServer::run_analysis(&tab, "Check rankings", "Rank check").await;
    tab.go(&format!("{project}/keywords")).await;
    tab.click_through("table", "checkbox", "Measure “shoes \"><script")
        .await;
    tab.go(&project).await;
    InstalledServer::run_analysis(&tab, "AI answers", "AI visibility").await;
    let shown = read_everything(&tab, &[project]).await;
    assert!(shown > 8, "it is shown as it was written: on {shown} pages");
    tab.close().await;
}
