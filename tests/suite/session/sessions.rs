//! Session lifetimes.

use chrono::TimeDelta;
use futures_util::{StreamExt, stream};
use harness::{
    app::{PASSWORD, TestApp},
    browsers::Browser,
    databases::TestDatabase,
    on_every_database,
};
use reqwest::{Body, Method};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;

on_every_database![
    a_session_expires_when_idle_and_lasts_while_used,
    a_session_expires_at_its_maximum_age_despite_use,
    reauthentication_replaces_the_session_id,
    sensitive_actions_need_recent_reauthentication,
    requests_of_an_ended_session_have_no_effect,
    sessions_are_listed_and_ended_one_by_one,
    ending_another_session_needs_reauthentication,
    the_21st_session_ends_the_longest_idle_one,
    replaced_sessions_are_audited,
    expired_sessions_are_purged_and_audited,
    every_transition_is_audited_without_secrets,
];

/// Waits until a use was recorded, which is asynchronous.
async fn noted(browser: &Browser, at: &str) {
    for _ in 0..200 {
        let listed = browser.get("/api/settings/sessions").await.ok();
        if listed["items"][0]["lastSeenAt"] == at {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the use was not noted");
}

fn now(app: &TestApp) -> String {
    use domain::ports::clock::Clock;
    serde_json::to_value(app.clock.now())
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

async fn a_session_expires_when_idle_and_lasts_while_used(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    for _ in 0..3 {
        app.clock.advance(TimeDelta::hours(11));
        assert!(browser.is_signed_in().await);
        noted(&browser, &now(&app)).await;
    }
    app.clock
        .advance(TimeDelta::hours(12) - TimeDelta::seconds(1));
    assert!(browser.is_signed_in().await);
    noted(&browser, &now(&app)).await;
    app.clock.advance(TimeDelta::hours(12));
    assert!(!browser.is_signed_in().await);
}

async fn a_session_expires_at_its_maximum_age_despite_use(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    // 28 × (12 h − 1 min) is 28 minutes less than 14 days.
    for _ in 0..28 {
        app.clock
            .advance(TimeDelta::hours(12) - TimeDelta::minutes(1));
        assert!(browser.is_signed_in().await);
        noted(&browser, &now(&app)).await;
    }
    app.clock.advance(TimeDelta::minutes(28));
    assert!(!browser.is_signed_in().await);
}

async fn reauthentication_replaces_the_session_id(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let (before, path) = (browser.copy(), "/api/session/reauthenticate");
    let wrong = browser
        .post(path, json!({ "password": "another walrus" }))
        .await;
    assert_eq!(
        wrong.errors(),
        [("/password".into(), "wrong-password".into())]
    );
    assert!(
        before.is_signed_in().await,
        "a wrong password changes nothing"
    );
    browser
        .post(path, json!({ "password": PASSWORD }))
        .await
        .ok();
    assert_ne!(browser.cookie("__Host-sid"), before.cookie("__Host-sid"));
    assert_ne!(browser.csrf(), before.csrf());
    assert!(browser.is_signed_in().await && !before.is_signed_in().await);
}

async fn sensitive_actions_need_recent_reauthentication(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let token = json!({ "name": "ci", "scopes": ["projects:read"] });
    let tokens = "/api/settings/api-tokens";
    browser.post(tokens, token.clone()).await.created();
    app.clock.advance(TimeDelta::minutes(10));
    let refused = browser.post(tokens, token.clone()).await;
    let refused = refused.refused(403, "reauthentication-required");
    assert_eq!(
        refused["nextActions"][0]["href"],
        "/api/session/reauthenticate"
    );
    let email = json!({ "email": "new@example.com" });
    let account = "/api/settings/account";
    browser
        .patch(account, email.clone())
        .await
        .refused(403, "reauthentication-required");
    browser.patch(account, json!({ "name": "Ann" })).await.ok();
    let again = json!({ "password": PASSWORD });
    browser
        .post("/api/session/reauthenticate", again)
        .await
        .ok();
    browser.post(tokens, token).await.created();
    browser.patch(account, email).await.ok();
    let elsewhere = app.browser();
    elsewhere.sign_in("new@example.com", PASSWORD).await.ok();
    elsewhere
        .sign_in("owner0@example.com", PASSWORD)
        .await
        .refused(401, "sign-in-refused");
}

/// A request that began before its session ended has no effect after it.
async fn requests_of_an_ended_session_have_no_effect(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner_with_password(0).await;
    let (owner, thief) = (app.browser(), app.browser());
    let token = json!({ "name": "ci", "scopes": ["projects:read"] });
    let email = json!({ "email": "thief@example.com" });
    for (method, path, body) in [
        (Method::POST, "/api/settings/api-tokens", token),
        (Method::PATCH, "/api/settings/account", email),
    ] {
        for browser in [&owner, &thief] {
            browser.sign_in("owner0@example.com", PASSWORD).await.ok();
        }
        app.clock.advance(TimeDelta::minutes(2));
        let (go_on, signal) = oneshot::channel::<()>();
        let body = body.to_string();
        let (head, rest) = body.split_at(5);
        let (head, rest) = (head.to_owned(), rest.to_owned());
        let slowly = stream::iter([Ok::<_, std::io::Error>(head)]).chain(stream::once(async {
            signal.await.unwrap();
            Ok(rest)
        }));
        let request = { thief.same_origin_request(method, path) }
            .header("Content-Type", "application/json")
            .body(Body::wrap_stream(slowly));
        let sending = tokio::spawn({
            let thief = thief.clone();
            async move { thief.send(request).await }
        });
        let at = now(&app);
        // Its recorded use shows that the session was accepted.
        for round in 0.. {
            assert!(round < 200, "it was not let in");
            let listed = owner.get("/api/settings/sessions").await.ok();
            let mut items = listed["items"].as_array().unwrap().iter();
            if items.all(|it| it["lastSeenAt"] == at) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        let ended = owner.delete("/api/session?everywhere=true").await.ok();
        assert_eq!(ended["endedSessions"], 2);
        go_on.send(()).unwrap();
        let refused = sending.await.unwrap();
        refused.refused(401, "session-required");
        assert!(refused.header("www-authenticate").starts_with("Cookie "));
    }
    owner.sign_in("owner0@example.com", PASSWORD).await.ok();
    let tokens = owner.get("/api/settings/api-tokens").await.ok();
    assert_eq!(tokens["items"], json!([]));
}

async fn sessions_are_listed_and_ended_one_by_one(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let here = app.db_member(0).await;
    app.clock.advance(TimeDelta::minutes(5));
    let there = app.browser();
    there.sign_in("owner0@example.com", PASSWORD).await.ok();
    let stranger = app.db_member(1).await;
    let listed = here.get("/api/settings/sessions").await.ok();
    let items = listed["items"].as_array().unwrap();
    let current: Vec<&Value> = items.iter().map(|it| &it["current"]).collect();
    assert_eq!(
        current,
        [&json!(false), &json!(true)],
        "the one used last is first"
    );
    assert_eq!(items[0]["browser"], "Harness/1");
    assert_eq!(items[0]["network"], "127.0.0.0/24");
    let path = format!("/api/settings/sessions/{}", items[0]["id"]);
    let foreign = stranger.delete(&path).await;
    foreign.refused(404, "not-found");
    let nobodys = stranger.delete("/api/settings/sessions/77").await;
    assert_eq!(foreign.without_request_id(), nobodys.without_request_id());
    assert!(there.is_signed_in().await);
    here.delete(&path).await.ok();
    assert!(here.is_signed_in().await && !there.is_signed_in().await);
    here.delete(&path).await.refused(404, "not-found");

    there.sign_in("owner0@example.com", PASSWORD).await.ok();
    let ended = here.delete("/api/settings/sessions").await.ok();
    assert_eq!(ended["endedSessions"], 1);
    assert!(here.is_signed_in().await && !there.is_signed_in().await);
}

async fn ending_another_session_needs_reauthentication(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (here, there) = (app.db_member(0).await, app.browser());
    there.sign_in("owner0@example.com", PASSWORD).await.ok();
    let (all, stale) = ("/api/settings/sessions", TimeDelta::minutes(10));
    let path_of = async |is_current: bool| {
        let listed = here.get(all).await.ok();
        let mut items = listed["items"].as_array().unwrap().iter();
        let found = items.find(|it| it["current"] == is_current).unwrap();
        format!("{all}/{}", found["id"])
    };
    let other = path_of(false).await;
    app.clock.advance(stale);
    let mut refusals = vec![];
    for path in [other.as_str(), "/api/settings/sessions/77", all] {
        let refused = here.delete(path).await;
        refused.refused(403, "reauthentication-required");
        refusals.push(refused.without_request_id());
    }
    assert_eq!(refusals[0], refusals[1], "nor is told whether there is one");
    assert!(there.is_signed_in().await);
    let again = json!({ "password": PASSWORD });
    here.post("/api/session/reauthenticate", again).await.ok();
    here.delete(&other).await.ok();
    assert!(here.is_signed_in().await && !there.is_signed_in().await);
    there.sign_in("owner0@example.com", PASSWORD).await.ok();
    assert_eq!(here.delete(all).await.ok()["endedSessions"], 1);

    // Ending one's own session or signing out needs no password.
    there.sign_in("owner0@example.com", PASSWORD).await.ok();
    app.clock.advance(stale);
    let own = path_of(true).await;
    assert_eq!(here.delete(&own).await.ok()["endedSessions"], 1);
    assert!(!here.is_signed_in().await && there.is_signed_in().await);
    here.sign_in("owner0@example.com", PASSWORD).await.ok();
    app.clock.advance(stale);
    let everywhere = there.delete("/api/session?everywhere=true").await.ok();
    assert_eq!(everywhere["endedSessions"], 2);
}

async fn the_21st_session_ends_the_longest_idle_one(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner_with_password(0).await;
    let mut browsers = vec![];
    for _ in 0..21 {
        app.clock.advance(TimeDelta::seconds(1));
        let browser = app.browser();
        browser.sign_in("owner0@example.com", PASSWORD).await.ok();
        browsers.push(browser);
    }
    let mut open = vec![];
    for browser in &browsers {
        open.push(browser.is_signed_in().await);
    }
    assert_eq!(open.iter().filter(|it| **it).count(), 20);
    assert!(!open[0]);
    let ended = endings(&browsers[20]).await;
    let [(action, detail)] = ended.as_slice() else {
        panic!("{ended:?}");
    };
    assert_eq!(action, "session.ended");
    let (session, reason) = detail.split_once(", ").unwrap();
    assert!(
        session.contains(" from 127.0.0.0/24 on device "),
        "{session}"
    );
    assert_eq!(reason, "least recently used above the limit");
}

/// Audit events of the service itself, newest first: action and detail.
async fn endings(browser: &Browser) -> Vec<(String, String)> {
    let log = browser.get("/api/settings/audit-log").await.ok();
    let by_itself =
        { log["items"].as_array().unwrap().iter() }.filter(|it| it["actor"] == "service");
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let events = by_itself.map(|it| (text(&it["action"]), text(&it["detail"])));
    events.collect()
}

async fn replaced_sessions_are_audited(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, elsewhere) = (app.db_member(0).await, app.browser());
    app.db_owner_with_password(1).await;
    // The device id derives from the browser's current mark.
    let id = async || {
        let session = browser.get("/api/session").await.ok();
        let mark = browser.cookie("__Host-device").unwrap();
        let nonce = mark.rsplit('.').nth(1).unwrap();
        let [a, b, c, d, ..] = <[u8; 32]>::from(Sha256::digest(nonce));
        let device = format!("{a:02x}{b:02x}{c:02x}{d:02x}");
        format!(
            "session {} from 127.0.0.0/24 on device {device}",
            session["session"]["id"]
        )
    };
    let first = id().await;
    app.clock.advance(TimeDelta::seconds(1));
    browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    let second = id().await;
    app.clock.advance(TimeDelta::seconds(1));
    // Another user of the same browser: the event belongs to the first.
    browser.sign_in("owner1@example.com", PASSWORD).await.ok();
    let anew = "replaced by a new sign-in in its browser";
    let ended = |id: &str| ("session.ended".to_owned(), format!("{id}, {anew}"));
    assert_eq!(endings(&browser).await, []);
    elsewhere.sign_in("owner0@example.com", PASSWORD).await.ok();
    assert_eq!(endings(&elsewhere).await, [ended(&second), ended(&first)]);

    // An expired session is logged as expired.
    let over = id().await;
    app.clock.advance(TimeDelta::hours(13));
    browser.sign_in("owner1@example.com", PASSWORD).await.ok();
    assert_eq!(endings(&browser).await, [("session.expired".into(), over)]);
}

async fn expired_sessions_are_purged_and_audited(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner_with_password(0).await;
    for _ in 0..2 {
        let browser = app.browser();
        browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    }
    app.clock.advance(TimeDelta::hours(2));
    let browser = app.browser();
    browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    let core = app.core();
    core.purge_expired().await.unwrap();
    assert_eq!(endings(&browser).await, [], "they last");
    app.clock.advance(TimeDelta::hours(10));
    for _ in 0..2 {
        core.purge_expired().await.unwrap();
        let over = ("session.expired".into(), "2 sessions".into());
        assert_eq!(endings(&browser).await, [over]);
    }
}

async fn every_transition_is_audited_without_secrets(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    app.browser()
        .sign_in("owner0@example.com", "another walrus")
        .await
        .refused(401, "sign-in-refused");
    let again = json!({ "password": PASSWORD });
    browser
        .post("/api/session/reauthenticate", again)
        .await
        .ok();
    let token = json!({ "name": "ci", "scopes": ["projects:read"] });
    let created = browser
        .post("/api/settings/api-tokens", token)
        .await
        .created();
    browser
        .patch("/api/settings/account", json!({ "name": "Ann Other" }))
        .await
        .ok();
    let (secret, text) = (
        browser.cookie("__Host-sid").unwrap(),
        created["token"].as_str().unwrap(),
    );
    browser.delete("/api/session").await.ok();
    browser.sign_in("owner0@example.com", PASSWORD).await.ok();

    let mut log = Value::Null;
    let mut actions: Vec<String> = vec![];
    // A failed sign-in is recorded asynchronously.
    for _ in 0..200 {
        log = browser.get("/api/settings/audit-log").await.ok();
        let items = log["items"].as_array().unwrap();
        actions = items
            .iter()
            .map(|it| it["action"].as_str().unwrap().to_owned())
            .collect();
        if actions.iter().any(|it| it == "session.refused") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    actions.sort_unstable();
    assert_eq!(
        actions,
        [
            "account.changed",
            "account.created",
            "password.changed",
            "session.begun",
            "session.begun",
            "session.ended",
            "session.refused",
            "session.renewed",
            "token.created",
        ]
    );
    let log_text = log.to_string();
    for hidden in [PASSWORD, "another walrus", &secret, text] {
        assert!(!log_text.contains(hidden), "{hidden}");
    }
}
