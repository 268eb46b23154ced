//! How long sessions last, and how they end.

use chrono::TimeDelta;
use harness::{
    app::{PASSWORD, TestApp},
    browsers::Browser,
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    a_session_ends_when_it_rests_too_long_and_lasts_when_it_is_used,
    a_session_ends_when_it_is_too_old_however_much_it_is_used,
    giving_the_password_again_makes_a_new_id_and_ends_the_old,
    what_matters_most_needs_the_password_given_a_moment_ago,
    sessions_are_listed_and_ended_one_by_one,
    the_twenty_first_session_ends_the_one_that_rested_longest,
    every_transition_is_written_down_and_no_secret_is,
];

/// Waits until a use was written down off the request's path.
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

async fn a_session_ends_when_it_rests_too_long_and_lasts_when_it_is_used(db: TestDatabase) {
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

async fn a_session_ends_when_it_is_too_old_however_much_it_is_used(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    // 28 times a minute less than half a day are 28 minutes less than 14 days.
    for _ in 0..28 {
        app.clock
            .advance(TimeDelta::hours(12) - TimeDelta::minutes(1));
        assert!(browser.is_signed_in().await);
        noted(&browser, &now(&app)).await;
    }
    app.clock.advance(TimeDelta::minutes(28));
    assert!(!browser.is_signed_in().await);
}

async fn giving_the_password_again_makes_a_new_id_and_ends_the_old(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let (before, path) = (browser.copied(), "/api/session/reauthenticate");
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

async fn what_matters_most_needs_the_password_given_a_moment_ago(db: TestDatabase) {
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

async fn the_twenty_first_session_ends_the_one_that_rested_longest(db: TestDatabase) {
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
}

async fn every_transition_is_written_down_and_no_secret_is(db: TestDatabase) {
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
    // A failed sign-in is written down off the request's path.
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
    let told = log.to_string();
    for hidden in [PASSWORD, "another walrus", &secret, text] {
        assert!(!told.contains(hidden), "{hidden}");
    }
}
