//! Settings: tokens, names, report defaults, AI models.

use chrono::TimeDelta;
use harness::{
    app::{PASSWORD, Settings, TestApp},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};
use web::limits::Rate;

on_every_database![
    a_token_is_shown_once_works_and_is_revoked,
    new_token_settings_are_validated,
    a_token_lasts_no_longer_than_the_server_allows,
    a_maximum_lifetime_applies_to_existing_tokens,
    profile_changes_apply_and_emails_are_unique,
    report_defaults_are_inherited_by_projects,
    models_are_set_together_or_not_at_all,
    sessions_of_an_account_share_its_rate_of_writes,
];

const TOKENS: &str = "/api/settings/api-tokens";

async fn a_token_is_shown_once_works_and_is_revoked(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let wish =
        json!({ "name": "ci", "scopes": ["projects:read", "projects:write"], "expiresInDays": 30 });
    let keyed = browser
        .same_origin_request(reqwest::Method::POST, TOKENS)
        .header("Idempotency-Key", "one")
        .json(&wish);
    let answer = browser.send(keyed).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let created = answer.created();
    let agent = app.bearer(created["token"].as_str().unwrap());
    agent.project("shop.example.com", &[]).await;
    agent
        .get("/models")
        .await
        .refused(403, "insufficient-scope");

    let listed = browser.get(TOKENS).await;
    assert!(!listed.body.contains(created["token"].as_str().unwrap()));
    let listed = listed.ok();
    let item = &listed["items"][0];
    assert_eq!(
        (&item["name"], &item["status"]),
        (&json!("ci"), &json!("active"))
    );
    assert_eq!(item["scopes"], json!(["projects:read", "projects:write"]));
    let kept = app
        .storage
        .read()
        .await
        .unwrap()
        .idempotency()
        .find(app.db_account().await, "one")
        .await
        .unwrap();
    assert_eq!(
        kept, None,
        "an answer with a secret is not kept for repeats"
    );

    let path = format!("{TOKENS}/{}", created["id"]);
    let stranger = app.db_member(1).await;
    let foreign = stranger.delete(&path).await;
    foreign.refused(404, "not-found");
    let nobodys = stranger.delete(&format!("{TOKENS}/77")).await;
    assert_eq!(foreign.without_request_id(), nobodys.without_request_id());
    agent.get("/projects").await.ok();
    let revoked = browser.delete(&path).await.ok();
    assert_eq!(revoked["status"], "revoked");
    agent.get("/projects").await.refused(401, "token-revoked");
    assert_eq!(browser.delete(&path).await.ok(), revoked);
}

async fn new_token_settings_are_validated(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    for (wish, place) in [
        (json!({ "scopes": ["projects:read"] }), "/name"),
        (json!({ "name": "ci", "scopes": [] }), "/scopes"),
        (
            json!({ "name": "ci", "scopes": ["everything"] }),
            "/scopes/0",
        ),
        (
            json!({ "name": "ci", "scopes": ["projects:read"], "expiresInDays": 0.5 }),
            "/expiresInDays",
        ),
        (
            json!({ "name": "ci", "scopes": ["projects:read"], "expiresInDays": 366 }),
            "/expiresInDays",
        ),
        (
            json!({ "name": "ci", "scopes": ["projects:read"], "token": "mine" }),
            "/token",
        ),
    ] {
        assert_eq!(browser.post(TOKENS, wish).await.errors()[0].0, place);
    }
    let forever = json!({ "name": "ci", "scopes": ["projects:read"], "expiresInDays": null });
    let created = browser.post(TOKENS, forever).await.created();
    assert_eq!(created["expiresAt"], Value::Null);
}

/// Limits token lifetimes to 30 days.
fn thirty_days(config: &mut Settings) {
    config.policies.tokens.longest = Some(TimeDelta::days(30));
}

async fn a_token_lasts_no_longer_than_the_server_allows(db: TestDatabase) {
    let app = TestApp::with_settings(&db, thirty_days).await;
    let browser = app.db_member(0).await;
    for days in [json!(null), json!(31), json!(90)] {
        let wish = json!({ "name": "ci", "scopes": ["projects:read"], "expiresInDays": days });
        let refused = browser.post(TOKENS, wish).await;
        let problem = refused.refused(422, "validation-failed");
        let error = &problem["errors"][0];
        assert_eq!(
            (&error["pointer"], &error["max"]),
            (&json!("/expiresInDays"), &json!(30))
        );
        assert!(
            refused.body.contains("30 days at the most"),
            "{}",
            refused.body
        );
    }
    for wish in [
        json!({ "name": "ci", "scopes": ["projects:read"] }),
        json!({ "name": "ci", "scopes": ["projects:read"], "expiresInDays": 30 }),
    ] {
        let created = browser.post(TOKENS, wish).await.created();
        assert_eq!(created["expiresAt"], "2026-10-21T14:13:20Z");
    }
}

async fn a_maximum_lifetime_applies_to_existing_tokens(db: TestDatabase) {
    let app = TestApp::with_settings(&db, thirty_days).await;
    // The harness creates tokens without expiry, as before the limit existed.
    let agent = app.db_full_agent().await;
    app.clock
        .advance(TimeDelta::days(30) - TimeDelta::seconds(1));
    assert_eq!(
        agent.get("/health").await.ok()["token"]["expiresAt"],
        "2026-10-21T14:13:20Z"
    );
    let browser = app.db_member(0).await;
    let listed = |status: &'static str| {
        let browser = browser.clone();
        async move {
            let listed = browser.get(TOKENS).await.ok();
            assert_eq!(listed["items"][0]["status"], status);
            assert_eq!(listed["items"][0]["expiresAt"], "2026-10-21T14:13:20Z");
        }
    };
    listed("active").await;
    app.clock.advance(TimeDelta::seconds(1));
    agent.get("/health").await.refused(401, "token-expired");
    listed("expired").await;
}

async fn profile_changes_apply_and_emails_are_unique(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    app.db_owner(1).await;
    let path = "/api/settings/account";
    let patch = json!({ "accountName": "Orchard", "name": "Ann Lee" });
    let changed = browser.patch(path, patch).await.ok();
    assert_eq!(
        (&changed["account"]["name"], &changed["user"]["name"]),
        (&json!("Orchard"), &json!("Ann Lee"))
    );
    assert_eq!(browser.get(path).await.ok(), changed);
    let taken = json!({ "email": "owner1@example.com" });
    browser.patch(path, taken).await.refused(409, "email-taken");
    let wrong = json!({ "name": null, "id": 7 });
    let mut places: Vec<String> = browser
        .patch(path, wrong)
        .await
        .errors()
        .into_iter()
        .map(|it| it.0)
        .collect();
    places.sort();
    assert_eq!(places, ["/id", "/name"]);
    assert_eq!(browser.get(path).await.ok(), changed);
}

async fn report_defaults_are_inherited_by_projects(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let path = "/api/settings/report-defaults";
    let before = browser.get(path).await.ok();
    let wish = json!({ "enabled": true, "frequency": "weekly", "includePdf": "yes", "content": { "vitals": false } });
    let set = browser.put(path, wish.clone()).await.ok();
    assert_eq!(set["frequency"], "weekly");
    assert_eq!(set["content"]["vitals"], false);
    assert_eq!(set["content"]["rankings"], before["content"]["rankings"]);
    let created = browser
        .post("/api/projects", json!({ "domain": "shop.example.com" }))
        .await
        .created();
    assert_eq!(created["effectiveReportSettings"], set);
    let mut partial = wish;
    partial.as_object_mut().unwrap().remove("frequency");
    partial["content"]["nonsense"] = true.into();
    let places: Vec<String> = browser
        .put(path, partial)
        .await
        .errors()
        .into_iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(places, ["/frequency", "/content/nonsense"]);
    let other = app.db_member(1).await;
    assert_eq!(other.get(path).await.ok(), before);
}

async fn models_are_set_together_or_not_at_all(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, agent) = (app.db_member(0).await, app.db_full_agent().await);
    let path = "/api/settings/models";
    let wish = json!({ "items": [
        { "id": "gemini", "active": false, "samplesPerPrompt": 9, "country": "DE" },
        { "id": "chatgpt", "weight": 2.5 },
    ] });
    let set = browser.put(path, wish).await.ok();
    assert_eq!(set, agent.get("/models").await.ok(), "agents read the same");
    let of = |id: &str| {
        set["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["id"] == id)
            .unwrap()
            .clone()
    };
    assert_eq!(
        (
            of("gemini")["active"].clone(),
            of("gemini")["samplesPerPrompt"].clone()
        ),
        (json!(false), json!(9))
    );
    assert_eq!(of("chatgpt")["weight"], 2.5);
    for wrong in [
        json!({ "items": [{ "id": "gemini", "active": true }, { "id": "jarvis" }] }),
        json!({ "items": [{ "id": "gemini", "active": true }, { "id": "chatgpt", "samplesPerPrompt": 99 }] }),
    ] {
        browser.put(path, wrong).await.errors();
    }
    assert_eq!(browser.get(path).await.ok(), set);
}

async fn sessions_of_an_account_share_its_rate_of_writes(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| config.limits.writes = Rate::of(60, 4)).await;
    let owner = app.db_owner_with_password(0).await;
    let (first, second) = (app.browser(), app.browser());
    for browser in [&first, &second] {
        browser.sign_in(owner.email.as_str(), PASSWORD).await.ok();
    }
    let path = "/api/settings/account";
    for (number, browser) in [&first, &second, &first, &second].into_iter().enumerate() {
        let name = json!({ "name": format!("Ann {number}") });
        browser.patch(path, name).await.ok();
    }
    let refused = second.patch(path, json!({ "name": "Ann" })).await;
    let problem = refused.refused(429, "rate-limited");
    assert_eq!(problem["violated-policies"], json!(["session-writes"]));
    second.get(path).await.ok();
}
