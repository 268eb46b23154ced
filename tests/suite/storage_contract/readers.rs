//! Readers: they see what is committed, call by call, and change nothing.

use super::examples::*;
use analysis::result_type::ResultType;
use domain::project_overrides::{IgnoredSuggestion, SiteAnnotation, SiteRole};
use domain::{
    ids::{JobId, SessionId, TokenId},
    job::slots::SlotKind,
    money::MicroUsd,
    ports::{
        paid_call_ledger::{LedgerEntry, PaidCallOutcome},
        paid_calls::PaidCallKey,
        spending::Counter,
        storage::StorageError,
    },
    project::Project,
    search_console::{ImportInfo, Origin},
    test_support::a_new_event,
    token::RevokeReason,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    every_change_through_a_reader_is_refused,
    a_reader_sees_what_is_committed_between_two_calls,
    uncommitted_changes_are_visible_to_their_transaction_only,
];

fn a_call() -> PaidCallKey {
    let (number, max_cost) = (1, MicroUsd(1));
    PaidCallKey {
        account: ANN,
        job: JobId(31),
        epoch: 1,
        entry: LedgerEntry { number, max_cost },
    }
}

fn a_competitor() -> SiteAnnotation {
    SiteAnnotation {
        domain: "rival.com".to_owned(),
        role: SiteRole::Competitor,
        class: None,
        annotated_at: now(),
    }
}

fn an_ignored_suggestion() -> IgnoredSuggestion {
    IgnoredSuggestion {
        id: "a1".to_owned(),
        reason: None,
        ignored_at: now(),
    }
}

async fn every_change_through_a_reader_is_refused(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let mut reader = db.storage.read().await.unwrap();
    let r = &mut *reader;
    macro_rules! refused {
        ($($call:expr),+ $(,)?) => {
            $(assert!(matches!($call.await, Err(StorageError::ReadOnly)), "{}", stringify!($call));)+
        };
    }
    refused![
        r.accounts().add(&account(ANN), &owner(ANN)),
        r.accounts().lock(ANN),
        r.sessions().lock(ANN, SessionId(1)),
        r.accounts().save(&account(ANN)),
        r.accounts().save_usage(ANN, account(ANN).usage),
        r.tokens()
            .revoke(ANN, TokenId(1), now(), RevokeReason::Owner),
        r.tokens().note_use(ANN, TokenId(1), now()),
        r.projects().add(&project(ANN, 12)),
        r.projects().lock(ANN, SHOP),
        r.projects().save(&project(ANN, 11)),
        r.projects().note_analysis(ANN, SHOP, now()),
        r.project_overrides()
            .set_site_role(ANN, SHOP, &a_competitor()),
        r.project_overrides()
            .remove_site_role(ANN, SHOP, "rival.com"),
        r.project_overrides()
            .ignore_suggestion(ANN, SHOP, &an_ignored_suggestion()),
        r.project_overrides().unignore_suggestion(ANN, SHOP, "a1"),
        r.keywords().add(&[]),
        r.keywords().save(&keyword(ANN, 21, "x")),
        r.keywords().save_all(&[]),
        r.keywords().save_latest(ANN, &[]),
        r.jobs().add(&job(ANN, 33)),
        r.jobs().lock(ANN, JobId(31)),
        r.jobs().save(&job(ANN, 31)),
        r.jobs().lock_unfinished(ANN, Some(SHOP)),
        r.jobs().lock_queue(ANN),
        r.jobs().try_lock_queue(ANN),
        r.jobs().refresh_queue(ANN, 0.0),
        r.jobs().lock_due(ANN, SlotKind::AnyJob, now(), 1),
        r.jobs().lock_all(ANN, &[JobId(31)]),
        r.jobs().lock_queue_and_jobs(ANN, &[JobId(31)]),
        r.jobs().lock_with_project(ANN, SHOP),
        r.jobs().lock_newcomer_with_project(ANN, SHOP),
        r.jobs().save_all(&[job(ANN, 31)]),
        r.jobs().lock_needing_attention(ANN, now(), 1),
        r.measurements().add(ANN, SHOP, &[]),
        r.measurements().stage(ANN, JobId(31), &[]),
        r.measurements().discard(ANN, JobId(31)),
        r.measurements().append_journal(ANN, JobId(31), &[]),
        r.results().publish(ANN, SHOP, JobId(31), &[], &[]),
        r.results()
            .copy_staged(ANN, SHOP, (ResultType::Serp, JobId(31)), None, 1),
        r.results().discard_copied(ANN, SHOP, JobId(31)),
        r.console_rows().replace(
            ANN,
            SHOP,
            &[],
            &[],
            &ImportInfo {
                origin: Origin::Export,
                label: String::new(),
                at: now(),
            }
        ),
        r.stored_data().recount(ANN, None),
        r.projects().purge_batch(ANN, SHOP),
        r.audit().purge_before(ANN, now(), 1),
        r.events().append(ANN, &[a_new_event(1)]),
        r.events().purge_before(ANN, now(), 1),
        r.console_rows().purge_before(ANN, MONTH, 1),
        r.console_bindings().remove(ANN, SHOP),
        r.spending()
            .reserve(Counter::Month(ANN, MONTH), MicroUsd(0), None),
        r.spending()
            .settle(Counter::Month(ANN, MONTH), MicroUsd(0), MicroUsd(0)),
        r.spending()
            .reserve(Counter::Day(ANN, MONTH), MicroUsd(0), None),
        r.spending()
            .settle(Counter::Day(ANN, MONTH), MicroUsd(0), MicroUsd(0)),
        r.spending()
            .reserve(Counter::ServerDay(MONTH), MicroUsd(0), None),
        r.spending()
            .settle(Counter::ServerDay(MONTH), MicroUsd(0), MicroUsd(0)),
        r.paid_calls().begin(a_call(), "x", now()),
        r.paid_calls()
            .end(a_call(), &PaidCallOutcome::default(), now()),
        r.paid_calls().purge_before(ANN, now(), 1),
        r.idempotency().purge_before(ANN, now()),
        r.host_throttle().purge_before(now(), 1),
        r.secrets().find_or_add("x", [0; 32]),
        r.secrets().remove("x"),
        r.secrets().add_server_key(&server_key(1, 1)),
        r.secrets().rewrap_server_key(&server_key(1, 1)),
        r.secrets().add_sealed(&sealed("x", 1)),
        r.secrets().remove_sealed("x", 1),
    ];
}

async fn a_reader_sees_what_is_committed_between_two_calls(db: TestStorage) {
    two_accounts(&db).await;
    let mut reader = db.storage.read().await.unwrap();
    assert_eq!(
        reader
            .projects()
            .find(ANN, SHOP)
            .await
            .unwrap()
            .unwrap()
            .row_version,
        1
    );
    change!(db, tx => tx.projects().save(&Project { row_version: 2, ..project(ANN, 11) }).await.unwrap());
    assert_eq!(
        reader
            .projects()
            .find(ANN, SHOP)
            .await
            .unwrap()
            .unwrap()
            .row_version,
        2
    );
}

async fn uncommitted_changes_are_visible_to_their_transaction_only(db: TestStorage) {
    two_accounts(&db).await;
    let mut tx = db.storage.write().await.unwrap();
    tx.projects()
        .save(&Project {
            row_version: 2,
            ..project(ANN, 11)
        })
        .await
        .unwrap();
    assert_eq!(
        tx.projects()
            .find(ANN, SHOP)
            .await
            .unwrap()
            .unwrap()
            .row_version,
        2
    );
    let seen = read!(db, r => r.projects().find(ANN, SHOP).await.unwrap().unwrap());
    assert_eq!(seen.row_version, 1);
}
