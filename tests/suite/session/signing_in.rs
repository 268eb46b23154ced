//! Signing in and out.

use chrono::TimeDelta;
use domain::{
    account::{Account, AccountStatus},
    audit::AuditAction,
};
use harness::{
    app::{PASSWORD, TestApp},
    browsers::Browser,
    callers::Answer,
    databases::TestDatabase,
    on_every_database,
};
use reqwest::Method;
use serde_json::{Value, json};

on_every_database![
    a_user_signs_in_reads_and_signs_out,
    the_response_does_not_reveal_accounts,
    a_session_id_from_the_client_is_never_adopted,
    signing_in_again_ends_the_session_before,
    signing_out_everywhere_ends_every_session,
    tokens_and_cookies_are_not_interchangeable,
    sign_in_bodies_are_validated,
    sign_in_returns_events_since_the_last_sign_in,
    wrong_session_passwords_count_as_failed_sign_ins,
    a_first_sign_in_returns_no_events,
    pages_show_the_events_for_ten_minutes,
];

const SID: &str = "__Host-sid";

async fn a_user_signs_in_reads_and_signs_out(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_owner_with_password(0).await;
    let browser = app.browser();
    browser
        .get("/api/session")
        .await
        .refused(401, "session-required");
    // E-mail addresses are case-insensitive, passwords are not.
    let answer = browser.sign_in("OWNER0@Example.com", PASSWORD).await;
    let body = answer.ok();
    assert_eq!(body["user"]["id"], owner.id.0);
    assert_eq!(body["account"]["id"], owner.account.0);
    assert_eq!(answer.header("cache-control"), "no-store");
    let cookies: Vec<&str> = answer
        .headers
        .get_all("set-cookie")
        .iter()
        .map(|it| it.to_str().unwrap())
        .collect();
    assert!(cookies[0].starts_with("__Host-sid="), "{cookies:?}");
    for attribute in ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"] {
        assert!(
            cookies.iter().all(|it| it.contains(attribute)),
            "{cookies:?}"
        );
    }
    assert!(
        cookies.iter().all(|it| !it.contains("Domain")),
        "{cookies:?}"
    );

    let session = browser.get("/api/session").await;
    assert!(session.header("vary").contains("Cookie"));
    let session = session.ok();
    assert_eq!(session["user"]["email"], "owner0@example.com");
    assert_eq!(session["csrfToken"].as_str(), browser.csrf().as_deref());
    assert_eq!(session["quotas"][0]["name"], "projects");

    let kept = browser.copy();
    let bye = browser.delete("/api/session").await;
    assert_eq!(bye.ok()["endedSessions"], 1);
    assert_eq!(bye.header("clear-site-data"), "\"cache\", \"storage\"");
    assert_eq!(browser.cookie(SID), None);
    assert!(
        !kept.is_signed_in().await,
        "the copied cookie opens nothing"
    );
}

fn without_what_is_random(answer: &Answer) -> (u16, String, Vec<String>) {
    let (status, body) = answer.without_request_id();
    let names = { answer.headers.iter() }
        .filter(|(name, _)| *name != "x-request-id" && *name != "date")
        .map(|(name, value)| format!("{name}: {value:?}"));
    (status, body, names.collect())
}

async fn the_response_does_not_reveal_accounts(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner_with_password(0).await;
    let no_password = app.db_owner(1).await;
    let off = app.db_owner_with_password(2).await;
    let mut work = app.storage.write().await.unwrap();
    let found = work.accounts().find(off.account).await.unwrap().unwrap();
    let disabled = Account {
        status: AccountStatus::Disabled,
        ..found
    };
    work.accounts().save(&disabled).await.unwrap();
    work.commit().await.unwrap();

    let browser = app.browser();
    let wrong = browser
        .sign_in("owner0@example.com", "another walrus")
        .await;
    wrong.refused(401, "sign-in-refused");
    for (email, password) in [
        ("nobody@example.com", PASSWORD),
        (no_password.email.as_str(), PASSWORD),
        (off.email.as_str(), PASSWORD),
        ("owner0@example.com", "A WALRUS UNDER 7 UMBRELLAS"),
    ] {
        let answer = browser.sign_in(email, password).await;
        assert_eq!(
            without_what_is_random(&answer),
            without_what_is_random(&wrong),
            "{email}"
        );
    }
}

async fn a_session_id_from_the_client_is_never_adopted(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_owner_with_password(0).await;
    let browser = app.browser();
    let planted = "a".repeat(43);
    browser.set_cookie(SID, Some(&planted));
    assert!(!browser.is_signed_in().await);
    browser.sign_in(owner.email.as_str(), PASSWORD).await.ok();
    let given = browser.cookie(SID).unwrap();
    assert_ne!(given, planted);
    assert_eq!(given.len(), 43);
    let attacker = app.browser();
    attacker.set_cookie(SID, Some(&planted));
    assert!(!attacker.is_signed_in().await);
}

async fn signing_in_again_ends_the_session_before(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let before = browser.copy();
    browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    assert!(browser.is_signed_in().await);
    assert!(!before.is_signed_in().await);
    let listed = browser.get("/api/settings/sessions").await.ok();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
}

async fn signing_out_everywhere_ends_every_session(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (here, there) = (app.db_member(0).await, app.browser());
    there.sign_in("owner0@example.com", PASSWORD).await.ok();
    let other = app.db_member(1).await;
    let ended = here.delete("/api/session?everywhere=true").await.ok();
    assert_eq!(ended["endedSessions"], 2);
    assert!(!here.is_signed_in().await && !there.is_signed_in().await);
    assert!(other.is_signed_in().await, "another account's stay");
    assert!(here.cookie("__Host-device").is_none());
}

async fn tokens_and_cookies_are_not_interchangeable(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, browser) = (app.db_full_agent().await, app.db_member(0).await);
    let with_token = agent.request_path(Method::GET, "/api/session");
    let refused = agent
        .send(with_token)
        .await
        .refused(401, "session-required");
    assert!(
        refused["hint"].as_str().unwrap().contains("/api/agent/v1"),
        "{refused}"
    );
    let both = browser
        .same_origin_request(Method::GET, "/api/projects")
        .bearer_auth(agent.token().unwrap());
    browser.send(both).await.refused(401, "session-required");
    let at_agents = browser.get("/api/agent/v1/projects").await;
    at_agents.refused(401, "token-missing");
}

async fn sign_in_bodies_are_validated(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let wrong = browser
        .post("/api/session", json!({ "email": "nobody", "pasword": "x" }))
        .await;
    let mut places: Vec<String> = wrong.errors().into_iter().map(|it| it.0).collect();
    places.sort();
    assert_eq!(places, ["/email", "/password", "/pasword"]);
    let long = json!({ "email": "a@example.com", "password": "x".repeat(257) });
    let too_long = browser.post("/api/session", long).await;
    assert_eq!(too_long.errors()[0].0, "/password");
    let form = browser
        .same_origin_request(Method::POST, "/api/session")
        .form(&[("email", "owner0@example.com"), ("password", PASSWORD)]);
    browser
        .send(form)
        .await
        .refused(415, "unsupported-media-type");
    browser
        .put("/api/session", json!({}))
        .await
        .refused(405, "method-not-allowed");

    app.clock.advance(TimeDelta::hours(12));
    browser
        .get("/api/session")
        .await
        .refused(401, "session-required");
}

/// Waits until so many failures are in the audit log, which is asynchronous.
async fn failures_noted(app: &TestApp, count: usize) {
    let account = app.db_account().await;
    for _ in 0..200 {
        let mut read = app.storage.read().await.unwrap();
        let events = read
            .audit()
            .list(account, &domain::audit::AuditFilter::default(), 200)
            .await
            .unwrap();
        drop(read);
        let refused = AuditAction::SessionRefused;
        if events.iter().filter(|it| it.action == refused).count() == count {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the failures were not noted");
}

/// Three failed sign-ins, a password change by the operator and a new token, an hour apart.
async fn something_happened(app: &TestApp) {
    let owner = app.db_owner(0).await;
    app.clock.advance(TimeDelta::hours(1));
    let stranger = app.browser();
    for _ in 0..3 {
        let guess = stranger.sign_in(owner.email.as_str(), "another walrus");
        guess.await.refused(401, "sign-in-refused");
    }
    failures_noted(app, 3).await;
    app.clock.advance(TimeDelta::hours(1));
    app.db_owner_with_password(0).await;
    app.clock.advance(TimeDelta::hours(1));
    app.db_full_agent().await;
    app.clock.advance(TimeDelta::hours(1));
}

/// Signs the first owner in, an hour after the password was set.
async fn signed_in(app: &TestApp) -> Browser {
    app.db_owner_with_password(0).await;
    app.clock.advance(TimeDelta::hours(1));
    let browser = app.browser();
    browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    browser
}

async fn sign_in_returns_events_since_the_last_sign_in(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    signed_in(&app).await;
    something_happened(&app).await;
    let browser = app.browser();
    let signed_in = browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    let events = &signed_in["sinceLastSignIn"];
    let change = |action: &str, count: u32, at: &str| json!({ "action": action, "actor": "operator", "count": count, "lastAt": at });
    let expected = json!({
        "since": "2026-08-22T19:13:20Z",
        "lastSignInAt": "2026-09-21T15:13:20Z",
        "lastSignInFrom": "127.0.0.0/24",
        "failedSignIns": 3,
        "lastFailedAt": "2026-09-21T16:13:20Z",
        "failedFrom": ["127.0.0.0/24"],
        "otherDevices": [{ "from": "127.0.0.0/24", "count": 1, "lastAt": "2026-09-21T15:13:20Z" }],
        "changes": [
            change("token.created", 1, "2026-09-21T18:13:20Z"),
            change("password.changed", 2, "2026-09-21T17:13:20Z"),
        ],
        "isComplete": true,
    });
    assert_eq!(*events, expected);
    let session = browser.get("/api/session").await.ok();
    let same = &session["sinceLastSignIn"];
    assert_eq!(same, events, "as long as the session lasts");

    app.clock.advance(TimeDelta::hours(1));
    let again = async |browser: &Browser| {
        let signed_in = browser.sign_in("owner0@example.com", PASSWORD).await.ok();
        signed_in["sinceLastSignIn"].clone()
    };
    let events = again(&browser).await;
    let quiet = json!([
        events["failedSignIns"],
        events["otherDevices"],
        events["changes"]
    ]);
    assert_eq!(quiet, json!([0, [], []]), "told on this device");

    // An intruder with the password signs in twice: the owner still sees it.
    let intruder = app.browser();
    for _ in 0..2 {
        app.clock.advance(TimeDelta::hours(1));
        again(&intruder).await;
    }
    app.clock.advance(TimeDelta::hours(1));
    let events = again(&browser).await;
    assert_eq!(events["otherDevices"][0]["count"], 2);
    assert_eq!(events["since"], "2026-09-21T20:13:20Z");
}

/// A hijacked session must not allow unnoticed guesses.
async fn wrong_session_passwords_count_as_failed_sign_ins(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = signed_in(&app).await;
    app.clock.advance(TimeDelta::seconds(1));
    let wrong = json!({ "password": "another walrus" });
    browser.post("/api/session/reauthenticate", wrong).await;
    let change = json!({ "currentPassword": "another walrus", "newPassword": PASSWORD });
    browser.post("/api/settings/password", change).await;
    failures_noted(&app, 2).await;
    app.clock.advance(TimeDelta::seconds(1));
    let again = browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    assert_eq!(again["sinceLastSignIn"]["failedSignIns"], 2);

    let log = async |query: &str| {
        let log = browser
            .get(&format!("/api/settings/audit-log?{query}"))
            .await;
        let items = log.ok()["items"].as_array().unwrap().clone();
        let action_and_time =
            |it: &Value| (it["action"].clone(), it["at"].as_str().unwrap().to_owned());
        items.iter().map(action_and_time).collect::<Vec<_>>()
    };
    let refused = log("action=session.refused").await;
    assert_eq!(refused.len(), 2);
    assert!(refused.iter().all(|it| it.0 == "session.refused"));
    let before = log(&format!("before={}", refused[1].1)).await;
    assert!(!before.is_empty() && before.iter().all(|it| it.1 < refused[1].1));
    let unknown = browser
        .get("/api/settings/audit-log?action=token.eaten")
        .await;
    assert_eq!(
        unknown.errors(),
        [("action".into(), "invalid-value".into())]
    );
}

async fn a_first_sign_in_returns_no_events(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let session = signed_in(&app).await.get("/api/session").await.ok();
    assert_eq!(session["sinceLastSignIn"], Value::Null);
}

async fn pages_show_the_events_for_ten_minutes(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let words = "3 failed sign-ins";
    assert!(!signed_in(&app).await.page("/").await.contains(words));
    something_happened(&app).await;
    let browser = app.browser();
    browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    for path in ["/", "/analyses"] {
        let page = browser.page(path).await;
        assert!(page.contains(words), "{path}");
        let link = "href=\"/settings/audit-log\"";
        assert!(page.contains(link), "{path}");
    }
    app.clock.advance(TimeDelta::minutes(10));
    assert!(!browser.page("/").await.contains(words));
}
