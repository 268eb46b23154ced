//! The operator's page and the form of the audit log: accessible with everything that they show.

use super::accessibility::{assert_no_violations, check_page};
use super::{served_with, signed_in};
use chrono::TimeDelta;
use domain::{
    clock::Clock,
    ids::JobId,
    job::{Job, JobError, JobState, Lease},
    money::MicroUsd,
    ports::server_notes::{ServerNote, Topic},
    project::Project,
    server_status::{Check, Source, SourceKind, SourceState, SupplierTerms},
    test_support::{a_job, a_project},
};
use harness::app::{Settings, TestApp};
use web::services::ServerFacts;

fn a_source_of_each_kind(settings: &mut Settings) {
    let terms = SupplierTerms {
        name: "A supplier with a long name, then another".to_owned(),
        max_cost: Some(MicroUsd(10_000)),
        refusal: None,
    };
    let states = [
        SourceState::Working,
        SourceState::Off,
        SourceState::Working,
        SourceState::NotSetUp,
        SourceState::Working,
    ];
    let sources = SourceKind::ALL.into_iter().zip(states);
    let sources = sources.map(|(kind, state)| Source {
        kind,
        suppliers: vec![terms.clone(), terms.clone()],
        is_simulated: kind == SourceKind::KeywordData,
        state,
        check: Check::notice(
            kind.title(),
            "what is set up",
            "Set a.very.long_settings_key to true.",
        ),
    });
    settings.server = ServerFacts {
        database: "SQLite 3.50".to_owned(),
        sources: sources.collect(),
    };
}

/// A job that failed and one that runs, and a refusal.
async fn a_bad_morning(app: &TestApp) {
    let (account, now) = (app.db_account().await, app.clock.now());
    let project = Project {
        account,
        ..a_project()
    };
    let running = Job {
        account,
        project: project.id,
        state: JobState::Running,
        lease: Some(Lease {
            epoch: 1,
            owner: "worker-1234-00c0ffee".to_owned(),
            until: now + TimeDelta::seconds(30),
        }),
        ..a_job()
    };
    let error = JobError {
        code: "supplierUnauthorised".to_owned(),
        detail: "It did not work.".to_owned(),
        retryable: false,
        hint: None,
        attempt: 1,
        at: now,
    };
    let failed = Job {
        id: JobId(running.id.0 + 1),
        state: JobState::Failed,
        lease: None,
        finished_at: Some(now),
        errors: vec![error],
        ..running.clone()
    };
    let refusal = ServerNote {
        topic: Topic::Refusal {
            provider: "supplier".to_owned(),
            operation: "searchPage".to_owned(),
        },
        note: "supplierUnauthorised".to_owned(),
        noted_at: now,
    };
    let mut work = app.storage.write().await.unwrap();
    work.projects().add(&project).await.unwrap();
    for job in [running, failed] {
        assert!(work.jobs().add(&job).await.unwrap());
    }
    work.server_notes().put(&refusal).await.unwrap();
    work.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_server_is_accessible() {
    let (app, _database) = served_with(a_source_of_each_kind).await;
    let tab = signed_in(&app).await;
    let owner = app.db_owner(0).await;
    assert!(app.core().mark_operator(&owner, true).await.unwrap());
    let mut faults = Vec::new();
    tab.go("/operator").await;
    tab.wait_for_text("No worker has an analysis now.").await;
    check_page(&tab, "a new server", &mut faults).await;
    a_bad_morning(&app).await;
    tab.reload().await;
    tab.wait_for_text("refused by the supplier").await;
    tab.wait_for_text("worker-1234-00c0ffee").await;
    check_page(&tab, "a server on a bad morning", &mut faults).await;
    tab.assert_clean("/operator");
    tab.close().await;
    assert_no_violations(&faults);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_audit_log_takes_a_number_of_days() {
    let (app, _database) = served_with(|_| {}).await;
    let tab = signed_in(&app).await;
    let mut faults = Vec::new();
    tab.go("/settings/audit-log").await;
    tab.wait_for_text("Kept for 400 days").await;
    check_page(&tab, "the audit log", &mut faults).await;
    tab.fill("Days", "90").await;
    tab.press("Enter").await;
    tab.wait_for_text("Kept for 90 days").await;
    tab.wait_for_text("90 days").await;
    tab.assert_clean("/settings/audit-log");
    tab.close().await;
    assert_no_violations(&faults);
}
