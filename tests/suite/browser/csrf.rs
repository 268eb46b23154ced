//! CSRF: an attacker's page sends writes from a signed-in browser, from another site and from another port of the same
//! host, which receives the cookies; with current and old browsers.

use super::{
    old_browser::{HeaderFilter, Without},
    sign_in,
};
use actix_web::{HttpResponse, web};
use harness::processes::loopback::Loopback;
use harness::{
    app::{PASSWORD, TestApp},
    chromium::{SentRequest, Tab},
    databases::TestDatabase,
};
use serde_json::json;
use storage::DatabaseKind;

/// An attacker's page at every path.
pub fn foreign_page() -> Loopback {
    Loopback::start(|app| {
        let page = || async {
            HttpResponse::Ok()
                .content_type("text/html; charset=utf-8")
                .body("<!doctype html><title>Cats</title><h1>Cats</h1>")
        };
        app.default_service(web::to(page));
    })
}

/// The page as another site (`localhost` is cross-site to 127.0.0.1), and as another origin of the same site.
pub fn places(page: &Loopback) -> [(&'static str, String); 2] {
    let port = page.address.port();
    [
        ("cross-site", format!("http://localhost:{port}/")),
        ("same-site", format!("http://127.0.0.1:{port}/")),
    ]
}

/// Run in order against `VICTIM`. A form's response goes into a frame that stays empty.
const FORGERIES: &str = r#"(async () => {
  const project = JSON.stringify({ domain: 'evil.example.com', name: 'forged' });
  const json = { 'Content-Type': 'application/json' };
  const plain = { 'Content-Type': 'text/plain' };
  const tries = [
    ['/api/projects', { method: 'POST', mode: 'no-cors', credentials: 'include', headers: plain, body: project }],
    ['/api/projects', { method: 'POST', mode: 'no-cors', credentials: 'omit', headers: plain, body: project }],
    ['/api/projects', { method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({ domain: 'evil.example.com' }) }],
    ['/api/projects', { method: 'POST', mode: 'no-cors', credentials: 'include' , body: new Blob([project]) }],
    ['/api/projects', { method: 'POST', credentials: 'include', headers: json, body: project }],
    ['/api/projects', { method: 'POST', credentials: 'omit', headers: json, body: project }],
    ['/api/projects', { method: 'POST', credentials: 'include', headers: { ...json, 'X-CSRF-Token': 'x' }, body: project }],
    ['/api/session', { method: 'DELETE', credentials: 'include' }],
    ['/api/session?everywhere=true', { method: 'DELETE', credentials: 'include' }],
    ['/api/session', { method: 'POST', mode: 'no-cors', credentials: 'include', headers: plain, body: JSON.stringify({ email: 'owner1@example.com', password: 'a walrus under 7 umbrellas' }) }],
    ['/api/session?everywhere=true', { method: 'POST', mode: 'no-cors', credentials: 'include', headers: plain, body: '{}' }],
    ['/api/settings/account', { method: 'PATCH', credentials: 'include', headers: json, body: JSON.stringify({ name: 'forged' }) }],
    ['/api/settings/api-tokens', { method: 'POST', mode: 'no-cors', credentials: 'include', headers: plain, body: JSON.stringify({ name: 'forged', scopes: ['projects:read'] }) }],
  ];
  for (const [path, how] of tries) {
    const answer = await fetch('VICTIM' + path, how).catch((error) => error);
    if (answer.type && answer.type !== 'opaque') return `${path}: an answer that can be read: ${answer.type}`;
  }
  navigator.sendBeacon('VICTIM/api/projects', new Blob([project], { type: 'text/plain' }));
  const read = await fetch('VICTIM/api/session', { credentials: 'include' }).catch(() => 'refused');
  if (read !== 'refused') return 'the session can be read';
  for (const path of ['/api/session?everywhere=true', '/api/settings/api-tokens', '/settings/account']) {
    const image = new Image();
    await new Promise((resolve) => { image.onload = image.onerror = resolve; image.src = 'VICTIM' + path; });
  }
  const frame = document.createElement('iframe');
  frame.name = 'sink';
  document.body.append(frame);
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    for (const [path, name, value] of [['/api/projects', '{"domain":"evil.example.com","name":"', '"}'], ['/api/session', 'email', 'owner1@example.com'], ['/sign-in', 'email', 'x']]) {
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', action: 'VICTIM' + path, enctype, target: 'sink' });
      const field = document.createElement('input');
      Object.assign(field, { name, value });
      form.append(field);
      document.body.append(form);
      form.submit();
      await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 1000); });
    }
  }
  return 'done';
})()"#;

fn writes<'a>(sent: &'a [SentRequest], origin: &str) -> Vec<&'a SentRequest> {
    let written = sent
        .iter()
        .filter(|it| it.method != "GET" && it.method != "OPTIONS");
    written.filter(|it| it.url.starts_with(origin)).collect()
}

async fn assert_csrf_fails(without: Option<Without>) {
    let database = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let old = without.map(HeaderFilter::start);
    let app = TestApp::for_browsers(&database, |config| {
        if let Some(old) = &old {
            config.public_base_url = old.origin();
        }
    })
    .await;
    let victim_at = old
        .as_ref()
        .map_or_else(|| app.origin(), HeaderFilter::origin);
    if let Some(old) = &old {
        old.set_target(app.origin());
    }
    app.db_owner_with_password(0).await;
    app.db_owner_with_password(1).await;
    // Cookies are not bound to a port: the session is valid at both.
    let victim = Tab::open(app.origin()).await;
    sign_in(&victim, "owner0@example.com", PASSWORD).await;
    victim.wait_for_path("/").await;
    let session = victim.cookie("plain-sid").await.unwrap();

    let page = foreign_page();
    for (site, place) in places(&page) {
        let attacker = victim.new_tab().await;
        attacker.go(&place).await;
        let outcome = attacker
            .eval(&FORGERIES.replace("VICTIM", &victim_at))
            .await;
        assert_eq!(outcome, json!("done"), "{site}");
        attacker.wait_until_idle().await;
        let sent = attacker.requests();
        let written = writes(&sent, &victim_at);
        assert!(written.len() >= 14, "{site}: {}", written.len());
        for it in &written {
            // Refused by the server, or blocked by the browser.
            let is_refused = it
                .status
                .is_none_or(|it| [401, 403, 405, 415].contains(&it));
            assert!(is_refused, "{site}: {it:?}");
        }
        let refused = written.iter().filter(|it| it.status == Some(403));
        assert!(refused.count() >= 4, "{site}: they reach the server");
        let with_session = |it: &&&SentRequest| {
            it.headers
                .get("cookie")
                .is_some_and(|it| it.contains(&session))
        };
        let carried = written.iter().filter(with_session).count();
        match site {
            // `SameSite=Lax` keeps the cookie from cross-site writes.
            "cross-site" => assert_eq!(carried, 0, "{site}"),
            _ => assert!(carried >= 4, "{site}: {carried} with the session"),
        }
    }

    victim.go("/").await;
    victim
        .wait_for_text("Which site do you want to follow?")
        .await;
    assert_eq!(
        victim.cookie("plain-sid").await.as_deref(),
        Some(session.as_str())
    );
    victim.go("/settings/account").await;
    assert_eq!(
        victim
            .eval("document.querySelector('input[name=email]').value")
            .await,
        "owner0@example.com"
    );
    victim.go("/settings/api-tokens").await;
    victim.wait_for_text("No tokens yet").await;
    victim.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn csrf_fails_in_a_current_browser() {
    assert_csrf_fails(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: every write is tried from another site"]
async fn csrf_fails_without_fetch_metadata() {
    assert_csrf_fails(Some(Without::FetchMetadata)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: every write is tried from another site"]
async fn csrf_fails_without_origin_and_referer() {
    assert_csrf_fails(Some(Without::Origin)).await;
}

/// An old browser can use the product.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: signs in through a separate browser"]
async fn an_old_browser_works() {
    let database = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let old = HeaderFilter::start(Without::FetchMetadata);
    let app =
        TestApp::for_browsers(&database, |config| config.public_base_url = old.origin()).await;
    old.set_target(app.origin());
    app.db_owner_with_password(0).await;
    let tab = old.tab().await;
    sign_in(&tab, "owner0@example.com", PASSWORD).await;
    tab.wait_for_path("/").await;
    tab.fill("Domain", "shop.example.com").await;
    tab.click("button", "Create the project").await;
    tab.wait_for_path_prefix("/projects/").await;
    tab.click("button", "Sign out").await;
    tab.wait_for_path("/sign-in").await;
    tab.close().await;
}
