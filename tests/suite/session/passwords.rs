//! Password changes.

use harness::{
    app::{PASSWORD, TestApp},
    browsers::Browser,
    callers::Caller,
    databases::TestDatabase,
    on_every_database,
};
use serde_json::json;
use tokio::task::JoinSet;

on_every_database![
    a_password_change_ends_other_sessions_and_the_old_id,
    weak_passwords_are_refused,
    a_password_change_revokes_tokens_if_requested,
    signing_out_everywhere_revokes_tokens_if_requested,
    ending_other_sessions_revokes_tokens_if_requested,
];

harness::on_sqlite![an_account_changes_one_password_at_a_time];

const PATH: &str = "/api/settings/password";
const NEW: &str = "Čtrnáct mokrých vyder";

async fn a_password_change_ends_other_sessions_and_the_old_id(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (here, there) = (app.db_member(0).await, app.browser());
    there.sign_in("owner0@example.com", PASSWORD).await.ok();
    let before = here.copy();
    let wrong = json!({ "currentPassword": "another walrus", "newPassword": NEW });
    let errors = here.post(PATH, wrong).await.errors();
    assert_eq!(
        errors,
        [("/currentPassword".into(), "wrong-password".into())]
    );
    assert!(there.is_signed_in().await);

    let change = json!({ "currentPassword": PASSWORD, "newPassword": NEW });
    here.post(PATH, change).await.ok();
    assert!(here.is_signed_in().await);
    assert!(!before.is_signed_in().await && !there.is_signed_in().await);
    there
        .sign_in("owner0@example.com", PASSWORD)
        .await
        .refused(401, "sign-in-refused");
    there.sign_in("owner0@example.com", NEW).await.ok();
    let back =
        json!({ "currentPassword": NEW, "newPassword": PASSWORD, "endOtherSessions": false });
    here.post(PATH, back).await.ok();
    assert!(
        there.is_signed_in().await,
        "others stay when they are to stay"
    );
}

async fn weak_passwords_are_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    for (new, code) in [
        ("kx walrus 7q", None),
        ("elevenchars", Some("too-short")),
        ("password1234", Some("guessable")),
        ("owner0@example.com", Some("guessable")),
        ("sightlinesightline", Some("guessable")),
        (&"x1!".repeat(90), Some("too-long")),
    ] {
        let change = json!({ "currentPassword": PASSWORD, "newPassword": new });
        let answer = browser.post(PATH, change).await;
        if let Some(code) = code {
            let expected = [("/newPassword".into(), code.into())];
            assert_eq!(answer.errors(), expected, "{new}");
        } else {
            answer.ok();
            let back = json!({ "currentPassword": new, "newPassword": PASSWORD });
            browser.post(PATH, back).await.ok();
        }
    }
}

/// A working token of the first account.
async fn a_token_of(browser: &Browser, app: &TestApp) -> Caller {
    let wish = json!({ "name": "ci", "scopes": ["projects:read"] });
    let created = browser
        .post("/api/settings/api-tokens", wish)
        .await
        .created();
    let token = app.bearer(created["token"].as_str().unwrap());
    token.get("/projects").await.ok();
    token
}

/// Revocations of tokens in the audit log: actor and detail.
async fn revoked_in_the_log(browser: &Browser) -> Vec<String> {
    let log = browser.get("/api/settings/audit-log").await.ok();
    let events = log["items"].as_array().unwrap();
    events
        .iter()
        .filter(|it| it["action"] == "token.revoked" && !it["tokenId"].is_null())
        .map(|it| {
            format!(
                "{} {}",
                it["actor"].as_str().unwrap(),
                it["detail"].as_str().unwrap()
            )
        })
        .collect()
}

async fn a_password_change_revokes_tokens_if_requested(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, other) = (app.db_member(0).await, app.db_other_agent().await);
    let tokens = [
        a_token_of(&browser, &app).await,
        a_token_of(&browser, &app).await,
    ];
    let change = json!({ "currentPassword": PASSWORD, "newPassword": NEW });
    let changed = browser.post(PATH, change).await.ok();
    assert_eq!(changed["revokedTokens"], 0);
    tokens[0].get("/projects").await.ok();

    let wrong = json!({ "currentPassword": "another walrus", "newPassword": PASSWORD, "revokeTokens": true });
    browser.post(PATH, wrong).await.errors();
    tokens[0].get("/projects").await.ok();
    let change = json!({ "currentPassword": NEW, "newPassword": PASSWORD, "revokeTokens": true });
    let changed = browser.post(PATH, change).await.ok();
    assert_eq!(changed["revokedTokens"], 2);
    for token in &tokens {
        token.get("/projects").await.refused(401, "token-revoked");
    }
    other.get("/projects").await.ok();
    let log = revoked_in_the_log(&browser).await;
    assert_eq!(log, ["owner with the password"; 2]);
}

async fn signing_out_everywhere_revokes_tokens_if_requested(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let token = a_token_of(&browser, &app).await;
    let alone = browser.delete("/api/session?revokeTokens=true").await;
    assert_eq!(alone.errors()[0].0, "revokeTokens", "only with everywhere");
    let out = browser.delete("/api/session?everywhere=true").await.ok();
    assert_eq!(out["revokedTokens"], 0);
    token.get("/projects").await.ok();

    browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    let path = "/api/session?everywhere=true&revokeTokens=true";
    let out = browser.delete(path).await.ok();
    assert_eq!(
        (&out["endedSessions"], &out["revokedTokens"]),
        (&json!(1), &json!(1))
    );
    token.get("/projects").await.refused(401, "token-revoked");
    browser.sign_in("owner0@example.com", PASSWORD).await.ok();
    let log = revoked_in_the_log(&browser).await;
    assert_eq!(log, ["owner with all sessions"]);
}

async fn ending_other_sessions_revokes_tokens_if_requested(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let token = a_token_of(&browser, &app).await;
    // Without other sessions, tokens are revoked all the same.
    let path = "/api/settings/sessions?revokeTokens=true";
    let ended = browser.delete(path).await.ok();
    assert_eq!(
        (&ended["endedSessions"], &ended["revokedTokens"]),
        (&json!(0), &json!(1))
    );
    token.get("/projects").await.refused(401, "token-revoked");
    assert!(browser.is_signed_in().await);
}

async fn an_account_changes_one_password_at_a_time(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, other) = (app.db_member(0).await, app.db_member(1).await);
    let changed = async |browser: Browser| {
        let change = json!({ "currentPassword": PASSWORD, "newPassword": NEW });
        browser.post(PATH, change).await
    };
    // The first request waits for this transaction while it holds the account's slot.
    let writing = app.storage.write().await.unwrap();
    let mut under_way: JoinSet<_> = (0..3).map(|_| changed(browser.clone())).collect();
    for _ in 0..2 {
        let refused = under_way.join_next().await.unwrap().unwrap();
        refused.refused(429, "concurrency-limited");
    }
    let elsewhere = tokio::spawn(changed(other));
    drop(writing);
    under_way.join_next().await.unwrap().unwrap().ok();
    elsewhere.await.unwrap().ok();
}
