//! Group commits on `SQLite` that fail: every writer of the group gets the error, none reports success, and the storage
//! works afterwards.
//!
//! A trigger simulates the disk. An open foreign key makes the commit fail; `RAISE(ROLLBACK)` undoes the whole
//! transaction, as a full disk does.

use super::examples::*;
use domain::{
    ids::AccountId,
    ports::storage::{Storage, StorageError, run_with_retries},
};
use harness::databases::TestDatabase;
use std::{sync::Arc, time::Duration};
use storage::DatabaseKind;

const WRITERS: i64 = 8;
/// The writer of the row that triggers the fault.
const ODD: i64 = 5;

/// Adds an account as workers do, in place.
async fn add(storage: Arc<dyn Storage>, id: i64) -> Result<(), StorageError> {
    let id = AccountId(id);
    run_with_retries(storage.as_ref(), async || {
        let mut tx = storage.write().await?;
        tx.accounts().add(&account(id), &owner(id)).await?;
        tx.commit().await
    })
    .await
}

/// Queues the writers one after the other, so that they form a group; returns those that succeeded.
async fn successful_writers(db: &TestDatabase) -> Vec<i64> {
    let permit = db.storage.write().await.unwrap();
    let mut writers = vec![];
    for id in 1..=WRITERS {
        writers.push(tokio::spawn(add(db.port(), id)));
        let in_line = || db.storage.figures().sqlite.unwrap().writers_waiting;
        while in_line() < writers.len() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    drop(permit);
    let mut succeeded = vec![];
    for (id, writer) in (1..).zip(writers) {
        match writer.await.unwrap() {
            Ok(()) => succeeded.push(id),
            Err(StorageError::Unavailable(_) | StorageError::Full(_)) => {}
            Err(error) => panic!("{id}: {error}"),
        }
    }
    succeeded
}

/// The accounts that exist.
async fn kept(db: &TestDatabase) -> Vec<i64> {
    let mut kept = vec![];
    for id in 1..=WRITERS {
        if read!(db, r => r.accounts().find(AccountId(id)).await.unwrap()).is_some() {
            kept.push(id);
        }
    }
    kept
}

/// A database with this trigger on the odd writer's row.
async fn with_trigger(action: &str) -> TestDatabase {
    let db = TestDatabase::empty(DatabaseKind::Sqlite).await;
    db.run_sql(&format!(
        "CREATE TABLE nobody (id INTEGER PRIMARY KEY); \
         CREATE TABLE orphans (parent INTEGER REFERENCES nobody (id) DEFERRABLE INITIALLY DEFERRED); \
         CREATE TRIGGER fault AFTER INSERT ON accounts WHEN NEW.account_id = {ODD} BEGIN {action} END"
    ));
    db
}

/// Without the trigger, all writers succeed.
async fn works_again(db: &TestDatabase) {
    let tables = ["user_directory", "users", "accounts"];
    let emptied = tables.map(|it| format!("; DELETE FROM {it}")).concat();
    db.run_sql(&format!("DROP TRIGGER fault{emptied}"));
    let all: Vec<i64> = (1..=WRITERS).collect();
    assert_eq!(successful_writers(db).await, all);
    assert_eq!(kept(db).await, all);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_group_commit_fails_every_writer() {
    let db = with_trigger("INSERT INTO orphans VALUES (7);").await;
    assert_eq!(successful_writers(&db).await, Vec::<i64>::new());
    assert_eq!(kept(&db).await, Vec::<i64>::new());
    works_again(&db).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_rollback_fails_every_earlier_writer() {
    let db = with_trigger("SELECT RAISE(ROLLBACK, 'database or disk is full');").await;
    // Later writers begin a new transaction, which is not undone.
    assert_eq!(successful_writers(&db).await, [6, 7, 8]);
    assert_eq!(kept(&db).await, [6, 7, 8]);
    works_again(&db).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_writer_does_not_undo_the_others() {
    let db = with_trigger("SELECT RAISE(ABORT, 'not this one');").await;
    assert_eq!(successful_writers(&db).await, [1, 2, 3, 4, 6, 7, 8]);
    assert_eq!(kept(&db).await, [1, 2, 3, 4, 6, 7, 8]);
    works_again(&db).await;
}
