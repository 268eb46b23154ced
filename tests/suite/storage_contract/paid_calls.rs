//! Calls that cost money.

use super::examples::*;
use domain::{
    ids::{AccountId, JobId},
    money::MicroUsd,
    ports::{
        paid_call_ledger::{LedgerEntry, PaidCallOutcome},
        paid_calls::PaidCallKey,
    },
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    an_answer_is_found_by_its_step_in_every_attempt,
    a_call_without_an_answer_brings_none,
    old_calls_are_deleted_in_batches,
    answers_are_isolated_by_account,
];

const JOB: JobId = JobId(31);

fn key(account: AccountId, epoch: i64, number: i64) -> PaidCallKey {
    let max_cost = MicroUsd(30);
    PaidCallKey {
        account,
        job: JOB,
        epoch,
        entry: LedgerEntry { number, max_cost },
    }
}

fn answered(answer: &str) -> PaidCallOutcome {
    PaidCallOutcome {
        calls: 1,
        cost: MicroUsd(10),
        answer: Some(answer.as_bytes().to_vec()),
    }
}

async fn write_down(
    db: &TestStorage,
    call: PaidCallKey,
    step: &str,
    ended: Option<&PaidCallOutcome>,
) {
    let at = after(call.entry.number);
    change!(db, tx => tx.paid_calls().begin(call, step, at).await.unwrap());
    if let Some(ended) = ended {
        change!(db, tx => {
            assert!(tx.paid_calls().end(call, ended, at).await.unwrap());
            let again = answered("another");
            assert!(!tx.paid_calls().end(call, &again, at).await.unwrap(), "it ends once");
        });
    }
}

async fn answer(db: &TestStorage, account: AccountId, step: &str) -> Option<String> {
    let found = read!(db, r => r.paid_calls().answer(account, JOB, step).await.unwrap());
    found.map(|it| String::from_utf8(it.body).unwrap())
}

async fn an_answer_is_found_by_its_step_in_every_attempt(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let long = "{\"organic\": []}".repeat(10_000);
    write_down(
        &db,
        key(ANN, 1, 1),
        "page 1 of žluť",
        Some(&answered(&long)),
    )
    .await;
    write_down(&db, key(ANN, 1, 2), "page 2 of žluť", Some(&answered("2"))).await;
    assert_eq!(answer(&db, ANN, "page 1 of žluť").await, Some(long));
    assert_eq!(answer(&db, ANN, "page 2 of žluť").await, Some("2".into()));
    assert_eq!(answer(&db, ANN, "page 3 of žluť").await, None);
    // A later attempt's answer takes precedence.
    write_down(&db, key(ANN, 3, 1), "page 2 of žluť", Some(&answered("3"))).await;
    assert_eq!(answer(&db, ANN, "page 2 of žluť").await, Some("3".into()));
    let found = read!(db, r => r.paid_calls().answer(ANN, JOB, "page 2 of žluť").await.unwrap());
    assert_eq!(found.unwrap().at, after(1), "when it came");
}

async fn a_call_without_an_answer_brings_none(db: TestStorage) {
    two_accounts_at_work(&db).await;
    write_down(&db, key(ANN, 1, 1), "a", None).await;
    write_down(&db, key(ANN, 1, 2), "b", Some(&PaidCallOutcome::default())).await;
    assert_eq!(answer(&db, ANN, "a").await, None);
    assert_eq!(answer(&db, ANN, "b").await, None);
    write_down(&db, key(ANN, 2, 1), "a", Some(&answered(""))).await;
    write_down(&db, key(ANN, 3, 1), "a", None).await;
    assert_eq!(answer(&db, ANN, "a").await, Some(String::new()));
}

async fn old_calls_are_deleted_in_batches(db: TestStorage) {
    two_accounts_at_work(&db).await;
    for number in 1..=9 {
        let call = key(ANN, number % 2, number);
        write_down(&db, call, &number.to_string(), Some(&answered("x"))).await;
    }
    let forget = async |limit| change!(db, tx => tx.paid_calls().purge_before(ANN, after(7), limit).await.unwrap());
    assert_eq!(forget(4).await, 4, "the oldest first");
    assert_eq!(answer(&db, ANN, "4").await, None);
    assert!(answer(&db, ANN, "5").await.is_some());
    assert_eq!(forget(4).await, 2);
    assert_eq!(forget(4).await, 0);
    assert!(answer(&db, ANN, "7").await.is_some());
}

async fn answers_are_isolated_by_account(db: TestStorage) {
    two_accounts_at_work(&db).await;
    write_down(&db, key(ANN, 1, 1), "a", Some(&answered("x"))).await;
    // The other account's job has the same id.
    assert_eq!(answer(&db, BOB, "a").await, None);
    change!(db, tx => {
        assert!(!tx.paid_calls().end(key(BOB, 1, 1), &answered("y"), now()).await.unwrap());
        assert_eq!(tx.paid_calls().purge_before(BOB, after(999), 9).await.unwrap(), 0);
    });
    assert_eq!(answer(&db, ANN, "a").await, Some("x".into()));
}
