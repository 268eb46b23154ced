//! The state of the server, for operators, and how long an account's audit log is stored.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audit::{AuditAction, AuditEvent, AuditFilter},
    clock::Clock,
    ids::{AccountId, AuditEventId},
    job::{JobError, JobState},
    money::MicroUsd,
    ports::server_notes::{ServerNote, Topic},
    server_status::{Check, Source, SourceKind, SourceState, SupplierTerms},
    use_cases::maintenance::Retention,
};
use harness::{
    app::{Settings, TestApp},
    browsers::Browser,
    callers::id,
    databases::TestDatabase,
    on_every_database,
    sql_rules::statements_sent,
};
use serde_json::{Value, json};
use web::services::ServerFacts;

on_every_database![
    an_operator_sees_what_works_and_what_does_not,
    the_state_of_the_server_is_for_operators_alone,
    the_number_of_statements_does_not_depend_on_what_is_stored,
    an_account_sets_how_long_its_audit_log_is_stored,
    the_purge_follows_the_setting_of_each_account,
    the_audit_page_names_tokens_and_targets_of_failed_sign_ins,
];

const STATUS: &str = "/api/operator/status";

fn with_a_supplier(settings: &mut Settings) {
    settings.policies.prices.max_per_day = Some(MicroUsd(5_000_000));
    settings.server = ServerFacts {
        database: "PostgreSQL 17.1".to_owned(),
        sources: vec![Source {
            kind: SourceKind::SearchResults,
            suppliers: vec![SupplierTerms {
                name: "Serper".to_owned(),
                max_cost: Some(MicroUsd(10_000)),
                refusal: None,
            }],
            is_simulated: false,
            state: SourceState::Working,
            check: Check::good("search results", "at most 10 call(s) per keyword"),
        }],
    };
}

async fn operator(app: &TestApp) -> Browser {
    let operator = app.db_member(0).await;
    let person = app.db_owner(0).await;
    assert!(app.core().mark_operator(&person, true).await.unwrap());
    operator
}

async fn note(app: &TestApp, topic: Topic, note: &str, noted_at: DateTime<Utc>) {
    let mut work = app.storage.write().await.unwrap();
    let note = note.to_owned();
    let note = ServerNote {
        topic,
        note,
        noted_at,
    };
    work.server_notes().put(&note).await.unwrap();
    work.commit().await.unwrap();
}

/// A project of the first account with a job that failed now.
async fn failed_job(app: &TestApp) {
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("private.example.com", &["secret word"]).await;
    let job = agent.rank_check(project).await;
    let now = app.clock.now();
    app.db_job(job, |it| {
        it.state = JobState::Failed;
        it.finished_at = Some(now);
        it.errors = vec![JobError {
            code: "supplierUnauthorised".to_owned(),
            detail: "about private.example.com".to_owned(),
            retryable: false,
            hint: None,
            attempt: 1,
            at: now,
        }];
    })
    .await;
}

async fn an_operator_sees_what_works_and_what_does_not(db: TestDatabase) {
    let app = TestApp::with_settings(&db, with_a_supplier).await;
    let operator = operator(&app).await;
    let now = app.clock.now();
    let status = operator.get(STATUS).await.ok();
    assert_eq!(status["sources"][0]["state"], "working");
    assert_eq!(
        status["sources"][0]["suppliers"][0],
        json!({ "name": "Serper", "maxCost": "0.01", "costUnit": "keyword", "refusal": null })
    );
    assert_eq!(status["backup"]["check"]["state"], "notice");
    assert_eq!(status["backup"]["lastAt"], Value::Null);
    assert_eq!(status["mail"]["isSetUp"], false);
    assert_eq!(status["spending"]["limit"], "5.00");
    let page = operator.page("/operator").await;
    for text in [
        "Serper",
        "PostgreSQL 17.1",
        "No worker has an analysis now.",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("refused by the supplier"));

    let refusal = Topic::Refusal {
        provider: "serper".to_owned(),
        operation: "searchPage".to_owned(),
    };
    note(&app, refusal, "supplierUnauthorised", now).await;
    note(&app, Topic::Backup, "", now - TimeDelta::hours(2)).await;
    failed_job(&app).await;
    let status = operator.get(STATUS).await.ok();
    let source = &status["sources"][0];
    assert_eq!(source["state"], "refused");
    assert_eq!(
        source["refusals"],
        json!([{ "supplier": "serper", "code": "supplierUnauthorised", "at": now }])
    );
    assert!(source["check"]["todo"].is_string(), "{source}");
    assert_eq!(status["backup"]["check"]["state"], "good");
    let failures = json!([{ "code": "supplierUnauthorised", "count": 1 }]);
    assert_eq!(status["queue"]["failures"], failures);
    let page = operator.page("/operator").await;
    for text in [
        "refused by the supplier",
        "supplierUnauthorised",
        "(2 hours ago)",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    for text in ["private.example.com", "secret word"] {
        assert!(!page.contains(text) && !status.to_string().contains(text));
    }
}

async fn the_state_of_the_server_is_for_operators_alone(db: TestDatabase) {
    let app = TestApp::with_settings(&db, with_a_supplier).await;
    let owner = app.db_member(1).await;
    owner.get(STATUS).await.refused(404, "not-found");
    let operator = operator(&app).await;
    operator.get(STATUS).await.ok();
    app.clock.advance(TimeDelta::minutes(11));
    let late = operator.get(STATUS).await;
    late.refused(403, "reauthentication-required");
}

async fn the_number_of_statements_does_not_depend_on_what_is_stored(db: TestDatabase) {
    let app = TestApp::with_settings(&db, with_a_supplier).await;
    let operator = operator(&app).await;
    let cost = async || {
        let mut costs = [u64::MAX; 2];
        // One of the loads may open a connection, which sends statements to set it up.
        for _ in 0..2 {
            let before = statements_sent(&db.url);
            operator.get(STATUS).await.ok();
            let middle = statements_sent(&db.url);
            operator.page("/operator").await;
            let end = statements_sent(&db.url);
            costs = [costs[0].min(middle - before), costs[1].min(end - middle)];
        }
        costs
    };
    let before = cost().await;
    for account in 1..6 {
        app.db_owner(account).await;
    }
    for _ in 0..3 {
        failed_job_elsewhere(&app).await;
    }
    assert_eq!(cost().await, before);
    assert!(before.iter().all(|it| (9..=20).contains(it)), "{before:?}");
}

async fn failed_job_elsewhere(app: &TestApp) {
    let agent = app.db_other_agent().await;
    let name = format!("a{}.example.com", app.clock.now().timestamp());
    app.clock.advance(TimeDelta::seconds(1));
    let (project, _) = agent.project(&name, &["word"]).await;
    agent.rank_check(project).await;
}

async fn events(app: &TestApp, account: AccountId) -> Vec<AuditEvent> {
    let mut read = app.storage.read().await.unwrap();
    let filter = AuditFilter::default();
    read.audit().list(account, &filter, 50).await.unwrap()
}

async fn an_account_sets_how_long_its_audit_log_is_stored(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let log = "/api/settings/audit-log";
    let set =
        async |browser: &Browser, days: Value| browser.put(log, json!({ "days": days })).await;
    let read = owner.get(log).await.ok();
    assert_eq!(
        (&read["days"], &read["ownDays"], &read["defaultDays"]),
        (&json!(400), &Value::Null, &json!(400))
    );
    for (days, kept) in [(30, 30), (3_650, 3_650)] {
        let changed = set(&owner, json!(days)).await.ok();
        assert_eq!(changed["days"], kept);
        let page = owner.page("/settings/audit-log").await;
        assert!(page.contains(&format!("Kept for {days} days")), "{page}");
    }
    for wrong in [json!(29), json!(3_651), json!(30.5), json!("90")] {
        let refused = set(&owner, wrong.clone()).await;
        let errors = refused.errors();
        assert_eq!(errors.len(), 1, "{wrong}: {errors:?}");
        assert_eq!(errors[0].0, "/days");
    }
    let missing = owner.put(log, json!({})).await;
    assert_eq!(missing.errors(), [("/days".into(), "required".into())]);
    let editor = app.colleague(&owner, "editor", &[]).await;
    let refused = set(&editor, json!(90)).await;
    refused.refused(403, "role-insufficient");
    let admin = app.colleague(&owner, "admin", &[]).await;
    app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(set(&admin, json!(90)).await.ok()["ownDays"], 90);
    let account = app.db_account().await;
    // Off the request path, the refusal may be recorded later.
    let is_change = |it: &AuditEvent| it.action == AuditAction::AuditDaysChanged;
    let newest = events(&app, account).await;
    let newest = newest.into_iter().find(is_change).unwrap();
    let actor = newest.person.map(|it| it.name.to_string());
    assert_eq!(
        (newest.action, newest.detail.as_str(), actor.as_deref()),
        (AuditAction::AuditDaysChanged, "90 days", Some("A admin"))
    );
    // The same again changes and records nothing.
    let changes = async || {
        let all = events(&app, account).await;
        all.iter().filter(|it| is_change(it)).count()
    };
    let before = changes().await;
    set(&owner, json!(90)).await.ok();
    assert_eq!(changes().await, before);
    let reset = set(&owner, Value::Null).await.ok();
    assert_eq!(
        (&reset["days"], &reset["ownDays"]),
        (&json!(400), &Value::Null)
    );
}

async fn the_purge_follows_the_setting_of_each_account(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let retention = Retention {
        audit: Some(400),
        ..Retention::default()
    };
    let purge = async || {
        let mut core = app.core();
        core.policies.retention = retention;
        core.purge_expired().await.unwrap();
    };
    // The notice period begins with the first run.
    purge().await;
    app.clock.advance(TimeDelta::days(60));
    let mut accounts = Vec::new();
    for (number, days) in [(0, Some(90)), (1, None), (2, Some(1_000))] {
        let owner = app.db_owner(number).await;
        app.core().set_audit_days(&owner, days).await.unwrap();
        accounts.push(owner.account);
    }
    let now = app.clock.now();
    let ages = [89, 91, 399, 401, 999, 1_001];
    for account in &accounts {
        let mut work = app.storage.write().await.unwrap();
        for days in ages {
            let id = AuditEventId::of_subject(&format!("{account} {days}"));
            let at = now - TimeDelta::days(days);
            let by = domain::audit::Actor::Service;
            let event = AuditEvent {
                detail: days.to_string(),
                ..AuditEvent::new(id, *account, at, by, AuditAction::SessionExpired)
            };
            work.audit().record(&event).await.unwrap();
        }
        work.commit().await.unwrap();
    }
    purge().await;
    let kept = async |account| {
        let events = events(&app, account).await.into_iter();
        let days = events.filter_map(|it| it.detail.parse::<i64>().ok());
        days.collect::<Vec<_>>()
    };
    assert_eq!(kept(accounts[0]).await, [89]);
    assert_eq!(kept(accounts[1]).await, [89, 91, 399]);
    assert_eq!(kept(accounts[2]).await, [89, 91, 399, 401, 999]);
}

async fn the_audit_page_names_tokens_and_targets_of_failed_sign_ins(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let token = json!({ "name": "nightly robot", "scopes": ["projects:read"] });
    let token = owner
        .post("/api/settings/api-tokens", token)
        .await
        .created();
    let path = format!("/api/settings/api-tokens/{}", id(&token));
    owner.delete(&path).await;
    let wrong = app
        .browser()
        .sign_in("owner0@example.com", "a wrong walrus 7")
        .await;
    assert_eq!(wrong.status, 401);
    let defaults =
        json!({ "enabled": true, "frequency": "weekly", "includePdf": "no", "content": {} });
    owner
        .put("/api/settings/report-defaults", defaults)
        .await
        .ok();
    let page = owner.page("/settings/audit-log").await;
    let revoked = page.rsplit("Token revoked").next().unwrap();
    let revoked = revoked.split("</tr>").next().unwrap();
    assert!(revoked.contains("token nightly robot"), "{revoked}");
    assert!(page.contains("as Account 0"), "{page}");
    assert!(page.contains("on, weekly"), "{page}");
}
