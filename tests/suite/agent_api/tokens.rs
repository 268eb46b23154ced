//! Token lifecycle: rotation, leak reports, audit log.

use chrono::TimeDelta;
use domain::{
    audit::AuditAction,
    ids::IdMint,
    ports::{clock::Clock, randomness::Randomness},
    scope::Scopes,
    test_support::CountingRandomness,
    text::Label,
    token::{ApiToken, RevokeReason},
    use_cases::{
        Core,
        tokens::{NewToken, RotateTokenError},
    },
};
use harness::{
    app::TestApp,
    callers::{Answer, Caller},
    databases::TestDatabase,
    on_every_database,
};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use web::limits::Rate;

on_every_database![
    a_rotated_token_is_accepted_until_the_grace_period_ends,
    a_token_is_rotated_once,
    a_reported_token_is_revoked_immediately,
];
harness::on_sqlite![
    reports_reveal_nothing_and_pass_the_common_checks,
    reports_are_limited_by_address,
    a_token_is_not_accepted_as_request_id,
];

async fn issued(app: &TestApp) -> (Caller, ApiToken) {
    let owner = app.db_owner(0).await;
    app.clock.advance(TimeDelta::seconds(1));
    let new = NewToken {
        name: Label::parse("ci").unwrap(),
        scopes: Scopes::all(),
        lifetime: Some(TimeDelta::days(30)),
    };
    app.db_issue(&owner, &new).await
}

fn rotation(app: &TestApp) -> Core {
    let clock = Arc::clone(&app.clock) as Arc<dyn Clock>;
    // Another stream than the application's, to avoid equal ids and tokens.
    let random = CountingRandomness::default();
    random.fill(&mut [0; 4_096]);
    let randomness: Arc<dyn Randomness> = Arc::new(random);
    let mint = Arc::new(IdMint::new(clock, Arc::clone(&randomness)));
    Core {
        randomness,
        mint,
        ..app.core()
    }
}

async fn a_rotated_token_is_accepted_until_the_grace_period_ends(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (old, token) = issued(&app).await;
    app.clock.advance(TimeDelta::days(10));
    let rotated = rotation(&app)
        .rotate_token(token.account, token.id, TimeDelta::hours(2))
        .await;
    let (plain, fresh) = rotated.unwrap();
    let new = app.bearer(plain.reveal());
    assert_eq!(fresh.rotated_from, Some(token.id));
    assert_eq!((&fresh.name, fresh.scopes), (&token.name, token.scopes));
    assert_eq!(
        fresh.expires_at.unwrap() - fresh.created_at,
        TimeDelta::days(30),
        "as long a life as the old one had"
    );

    app.clock
        .advance(TimeDelta::hours(2) - TimeDelta::seconds(1));
    old.get("/health").await.ok();
    new.get("/health").await.ok();
    app.clock.advance(TimeDelta::seconds(1));
    old.get("/health").await.refused(401, "token-revoked");
    new.get("/health").await.ok();

    let events = app
        .core()
        .audit_events(token.account, &domain::audit::AuditFilter::default(), 10)
        .await
        .unwrap();
    let recorded: Vec<_> = events.iter().map(|it| (it.action, it.token)).collect();
    assert_eq!(
        recorded,
        [
            (AuditAction::TokenRotated, Some(fresh.id)),
            (AuditAction::TokenCreated, Some(token.id)),
            (AuditAction::AccountCreated, None),
        ]
    );
}

async fn a_token_is_rotated_once(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (_, token) = issued(&app).await;
    let rotation = rotation(&app);
    let rotate = || rotation.rotate_token(token.account, token.id, TimeDelta::hours(1));
    let outcomes = tokio::join!(rotate(), rotate(), rotate());
    let outcomes = [outcomes.0, outcomes.1, outcomes.2];
    let made = outcomes.iter().filter(|it| it.is_ok()).count();
    assert_eq!(made, 1, "{outcomes:?}");
    assert!(matches!(rotate().await, Err(RotateTokenError::NoSuchToken)));
    let tokens = app.core().tokens(token.account).await.unwrap();
    assert_eq!(tokens.len(), 2);
}

async fn report(app: &TestApp, body: &Value) -> Answer {
    let finder = app.anonymous();
    let request = finder.request_path(Method::POST, "/api/token-revocations");
    finder.send(request.json(body)).await
}

async fn a_reported_token_is_revoked_immediately(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (leaked, token) = issued(&app).await;
    let (bystander, _) = issued(&app).await;
    leaked.get("/health").await.ok();
    let text = leaked.token().unwrap();
    let first = report(&app, &json!({ "token": text })).await;
    first.accepted();
    leaked.get("/health").await.refused(401, "token-revoked");
    bystander.get("/health").await.ok();
    // Repeated and unknown tokens: same response, no effect.
    let unknown = format!("{}{}", &text[..text.len() - 1], "!");
    for other in [text.as_str(), &unknown, "hello"] {
        let again = report(&app, &json!({ "token": other })).await;
        assert_eq!((again.status, &again.body), (first.status, &first.body));
    }
    let tokens = app.core().tokens(token.account).await.unwrap();
    let ended = tokens.iter().find(|it| it.id == token.id).unwrap();
    assert_eq!(ended.revoke_reason, Some(RevokeReason::Leaked));
    let events = app
        .core()
        .audit_events(token.account, &domain::audit::AuditFilter::default(), 10)
        .await
        .unwrap();
    let leaks: Vec<_> = events
        .iter()
        .filter(|it| it.action == AuditAction::TokenLeaked)
        .collect();
    assert_eq!(leaks.len(), 1);
    assert!(!leaks[0].detail.contains(&text), "{}", leaks[0].detail);
}

async fn reports_reveal_nothing_and_pass_the_common_checks(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    for (wrong, place) in [
        (json!({}), "/token"),
        (json!({ "token": 7 }), "/token"),
        (json!({ "token": "" }), "/token"),
        (json!({ "token": "a", "tokn": "b" }), "/tokn"),
    ] {
        assert_eq!(report(&app, &wrong).await.errors()[0].0, place, "{wrong}");
    }
    let finder = app.anonymous();
    let request = |method: Method| finder.request_path(method, "/api/token-revocations");
    let answer = finder.send(request(Method::GET)).await;
    answer.refused(405, "method-not-allowed");
    assert_eq!(answer.header("allow"), "POST, OPTIONS");
    let options = finder.send(request(Method::OPTIONS)).await;
    assert_eq!(options.header("allow"), "POST, OPTIONS");
    finder
        .send(request(Method::POST).body("token=x"))
        .await
        .refused(415, "unsupported-media-type");
}

async fn reports_are_limited_by_address(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.limits.anonymous = Rate::of(60, 2);
    })
    .await;
    for _ in 0..2 {
        report(&app, &json!({ "token": "guess" })).await.accepted();
    }
    report(&app, &json!({ "token": "guess" }))
        .await
        .refused(429, "rate-limited");
}

async fn a_token_is_not_accepted_as_request_id(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, _) = issued(&app).await;
    let text = agent.token().unwrap();
    let request = agent
        .request(Method::GET, "/models")
        .header("x-request-id", &text);
    let answer = agent.send(request).await;
    answer.ok();
    assert_eq!(answer.header("x-request-id").len(), 36);
}
