//! Transactions are atomic, wait for each other's locks, and lose no connection.

use super::{examples::*, measurements::measurement};
use analysis::findings::rankings::RankState;
use chrono::{Days, TimeDelta};
use diesel::{Connection, PgConnection, connection::SimpleConnection};
use domain::{
    account::AccountUsage,
    ids::{JobId, ProjectId},
    job::slots::SlotKind,
    ports::storage::{Storage, StorageError, Transaction},
    project::Project,
};
use futures_util::future::{FutureExt, join_all};
use harness::{
    databases::{TestDatabase, TestStorage},
    on_every_storage,
    postgres_server::Lane,
};
use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
    sync::Arc,
    time::Duration,
};
use storage::{DatabaseKind, OpenOptions};

on_every_storage![
    a_dropped_transaction_leaves_nothing,
    a_failed_transaction_is_over,
    an_abandoned_transaction_returns_its_connection,
    an_empty_transaction_commits,
    the_storage_answers_a_ping;
    but not in memory:
    an_abandoned_call_returns_its_connection = "it has no connections",
    an_account_is_locked_until_its_transaction_ends = "nobody waits for a lock: the second to commit is interrupted",
    racing_writers_never_exceed_the_limit = "nobody waits for a lock: the second to commit is interrupted",
    a_locked_job_is_skipped = "nobody waits for a lock: the second to commit is interrupted",
];

async fn a_dropped_transaction_leaves_nothing(db: TestStorage) {
    two_accounts(&db).await;
    let mut tx = db.storage.write().await.unwrap();
    tx.projects().add(&project(ANN, 12)).await.unwrap();
    drop(tx);
    assert_eq!(
        read!(db, r => r.projects().find(ANN, ProjectId(12)).await.unwrap()),
        None
    );
    change!(db, tx => tx.projects().add(&project(ANN, 12)).await.unwrap());
}

async fn a_failed_transaction_is_over(db: TestStorage) {
    two_accounts(&db).await;
    let mut tx = db.storage.write().await.unwrap();
    tx.projects().add(&project(ANN, 12)).await.unwrap();
    assert!(tx.projects().add(&project(ANN, 12)).await.is_err());
    let more = tx.projects().add(&project(ANN, 13)).await;
    assert!(matches!(more, Err(StorageError::Unavailable(_))));
    assert!(matches!(
        tx.commit().await,
        Err(StorageError::Unavailable(_))
    ));
    read!(db, r => for id in [12, 13] {
        assert_eq!(r.projects().find(ANN, ProjectId(id)).await.unwrap(), None);
    });
}

async fn an_abandoned_call_returns_its_connection(db: TestStorage) {
    two_accounts(&db).await;
    let mut abandoned = 0;
    for id in 100..130 {
        let mut tx = db.storage.write().await.unwrap();
        let mine = project(ANN, id);
        // Polled once and dropped; sometimes it is complete by then.
        if tx.projects().add(&mine).now_or_never().is_none() {
            abandoned += 1;
            let after = tx.projects().find(ANN, SHOP).await;
            assert!(matches!(after, Err(StorageError::Unavailable(_))));
        }
    }
    assert!(abandoned > 0);
    // All connections are back: all can be taken at once.
    let connections = match db.database().kind() {
        DatabaseKind::Sqlite => 1,
        DatabaseKind::Postgres => OpenOptions::default().connections,
    };
    let mut writers = Vec::new();
    for _ in 0..connections {
        writers.push(db.storage.write().await.unwrap());
    }
    drop(writers);
    let listed = read!(db, r => r.projects().find(ANN, ProjectId(100)).await.unwrap());
    assert_eq!(listed, None);
    change!(db, tx => tx.projects().add(&project(ANN, 100)).await.unwrap());
}

async fn an_abandoned_transaction_returns_its_connection(db: TestStorage) {
    two_accounts(&db).await;
    for id in 100..130 {
        let mut tx = db.storage.write().await.unwrap();
        tx.projects().add(&project(ANN, id)).await.unwrap();
        drop(tx);
    }
    change!(db, tx => tx.projects().add(&project(ANN, 100)).await.unwrap());
}

async fn an_account_is_locked_until_its_transaction_ends(db: TestStorage) {
    two_accounts(&db).await;
    let usage = AccountUsage {
        projects: 5,
        ..AccountUsage::default()
    };
    let mut first = db.storage.write().await.unwrap();
    first.accounts().lock(ANN).await.unwrap();
    let storage = db.port();
    let mut second = tokio::spawn(async move {
        let mut tx = storage.write().await.unwrap();
        tx.accounts().lock(ANN).await.unwrap().unwrap()
    });
    let waiting = tokio::time::timeout(Duration::from_millis(50), &mut second).await;
    assert!(waiting.is_err());
    first.accounts().save_usage(ANN, usage).await.unwrap();
    first.commit().await.unwrap();
    assert_eq!(second.await.unwrap().usage, usage);
}

async fn racing_writers_never_exceed_the_limit(db: TestStorage) {
    two_accounts(&db).await;
    let limit = 3;
    let storage = db.port();
    let writers = (0..12).map(|_| {
        let storage = Arc::clone(&storage);
        tokio::spawn(async move {
            let mut tx = storage.write().await.unwrap();
            let account = tx.accounts().lock(ANN).await.unwrap().unwrap();
            if account.usage.projects == limit {
                return false;
            }
            let usage = AccountUsage {
                projects: account.usage.projects + 1,
                ..account.usage
            };
            tx.accounts().save_usage(ANN, usage).await.unwrap();
            tx.commit().await.unwrap();
            true
        })
    });
    let outcomes = join_all(writers).await;
    assert_eq!(
        outcomes
            .into_iter()
            .filter(|it| *it.as_ref().unwrap())
            .count(),
        3
    );
}

async fn a_locked_job_is_skipped(db: TestStorage) {
    if db.database().kind() == DatabaseKind::Sqlite {
        return the_second_writer_waits_for_the_first(&db).await;
    }
    two_accounts_at_work(&db).await;
    add_job(&db, &job(ANN, 32)).await;
    let mut first = db.storage.write().await.unwrap();
    let mut second = db.storage.write().await.unwrap();
    let taken = first
        .jobs()
        .lock_due(ANN, SlotKind::AnyJob, now(), 1)
        .await
        .unwrap()
        .remove(0);
    let next = second
        .jobs()
        .lock_due(ANN, SlotKind::AnyJob, now(), 1)
        .await
        .unwrap()
        .remove(0);
    assert_eq!((taken.id, next.id), (JobId(31), JobId(32)));
    first.jobs().lock_queue(ANN).await.unwrap();
    first.commit().await.unwrap();
    let mut first = db.storage.write().await.unwrap();
    assert!(first.jobs().try_lock_queue(ANN).await.unwrap().is_some());
    assert!(second.jobs().try_lock_queue(ANN).await.unwrap().is_none());
    drop(second);
    first
        .jobs()
        .lock_queue_and_jobs(ANN, &[JobId(31)])
        .await
        .unwrap();
    let mut second = db.storage.write().await.unwrap();
    assert!(second.jobs().try_lock_queue(ANN).await.unwrap().is_none());
}

/// `SQLite` has one writer: a second one waits in the queue, not for a lock.
async fn the_second_writer_waits_for_the_first(db: &TestStorage) {
    let first = db.storage.write().await.unwrap();
    let second = tokio::time::timeout(Duration::from_millis(50), db.storage.write()).await;
    assert!(second.is_err());
    drop(first);
    assert!(db.storage.write().await.is_ok());
}

async fn an_empty_transaction_commits(db: TestStorage) {
    let tx = db.storage.write().await.unwrap();
    tx.commit().await.unwrap();
}

async fn the_storage_answers_a_ping(db: TestStorage) {
    db.storage.ping().await.unwrap();
}

#[tokio::test]
async fn waiting_too_long_for_a_connection_is_an_error() {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let connection_timeout = Some(Duration::from_millis(500));
        let options = OpenOptions {
            connections: 1,
            connection_timeout,
            ..OpenOptions::default()
        };
        let db = TestDatabase::with_options(kind, options).await;
        let first = had_at_last(&db).await;
        let second = db.storage.write().await;
        assert!(
            matches!(second, Err(StorageError::Unavailable(_))),
            "{kind:?}"
        );
        drop(first);
        drop(had_at_last(&db).await);
    }
}

/// The only connection: a busy machine may take longer than the timeout to make it, or to roll back.
async fn had_at_last(db: &TestDatabase) -> Box<dyn Transaction> {
    let attempts = async {
        loop {
            if let Ok(tx) = db.storage.write().await {
                return tx;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), attempts)
        .await
        .expect("a connection")
}

#[tokio::test]
async fn a_lock_wait_times_out_with_an_error() {
    let lock_timeout = Duration::from_millis(50);
    let options = OpenOptions {
        lock_timeout,
        ..OpenOptions::default()
    };
    let db = TestDatabase::with_options(DatabaseKind::Postgres, options).await;
    two_accounts(&db).await;
    let mut first = db.storage.write().await.unwrap();
    first.accounts().lock(ANN).await.unwrap();
    let mut second = db.storage.write().await.unwrap();
    let outcome = second.accounts().lock(ANN).await;
    assert!(matches!(outcome, Err(StorageError::Unavailable(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_statement_may_outlast_the_request_timeout() {
    let options = OpenOptions {
        statement_timeout: Duration::from_millis(100),
        lock_timeout: Duration::from_secs(20),
        ..OpenOptions::default()
    };
    let db = TestDatabase::with_options(DatabaseKind::Postgres, options).await;
    if Lane::from_env() == Lane::Pgbouncer {
        // There the role has one timeout for both.
        return;
    }
    two_accounts(&db).await;
    let mut first = db.storage.write().await.unwrap();
    first.accounts().lock(ANN).await.unwrap();
    let mut request = db.storage.write().await.unwrap();
    let outcome = request.accounts().lock(ANN).await;
    assert!(
        matches!(outcome, Err(StorageError::Unavailable(_))),
        "{outcome:?}"
    );
    let for_work = db.storage.for_jobs();
    let job = tokio::spawn(async move {
        let mut job = for_work.write().await?;
        let found = job.accounts().lock(ANN).await?;
        job.commit().await.map(|()| found)
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!job.is_finished());
    first.commit().await.unwrap();
    assert!(job.await.unwrap().unwrap().is_some());
    // Both pools see the same rows, and the figures count both.
    let mut reader = db.storage.for_jobs().read().await.unwrap();
    assert!(reader.accounts().find(BOB).await.unwrap().is_some());
    assert!(db.storage.figures().idle >= 2);
}

#[tokio::test]
async fn a_deadlock_is_reported_as_interrupted() {
    let lock_timeout = Duration::from_secs(10);
    let options = OpenOptions {
        lock_timeout,
        ..OpenOptions::default()
    };
    let db = TestDatabase::with_options(DatabaseKind::Postgres, options).await;
    two_accounts(&db).await;
    change!(db, tx => tx.projects().add(&project(ANN, 12)).await.unwrap());
    let mut first = db.storage.write().await.unwrap();
    let mut second = db.storage.write().await.unwrap();
    let touched = |id, row_version| Project {
        row_version,
        ..project(ANN, id)
    };
    first.projects().save(&touched(11, 2)).await.unwrap();
    second.projects().save(&touched(12, 2)).await.unwrap();
    let (cross, other) = (touched(12, 3), touched(11, 3));
    let outcomes = tokio::join!(
        first.projects().save(&cross),
        second.projects().save(&other)
    );
    let interrupted = [outcomes.0, outcomes.1].into_iter().filter_map(Result::err);
    let interrupted: Vec<bool> = interrupted.map(|it| it.is_transient()).collect();
    assert_eq!(interrupted, [true]);
}

/// `PostgreSQL` chooses the partition of a row, waits for the lock on it, and then refuses the row.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_partition_created_meanwhile_interrupts_an_insertion() {
    let db = TestDatabase::empty(DatabaseKind::Postgres).await;
    two_accounts_at_work(&db).await;
    let mut other = PgConnection::establish(&db.url).unwrap();
    let attach = format!(
        "BEGIN; CREATE TABLE one_day (LIKE rank_history INCLUDING DEFAULTS INCLUDING CONSTRAINTS); \
         LOCK TABLE rank_history_rest IN ACCESS EXCLUSIVE MODE; \
         ALTER TABLE rank_history ATTACH PARTITION one_day FOR VALUES FROM ('{}') TO ('{}')",
        day(0),
        day(0) + Days::new(1),
    );
    other.batch_execute(&attach).unwrap();
    let measurements = [measurement(21, 31, 0, RankState::Ranked)];
    let insertion = tokio::spawn({
        let (storage, measurements) = (db.port(), measurements.clone());
        async move {
            let mut tx = storage.write().await?;
            let port = tx.measurements();
            port.add(ANN, SHOP, &measurements).await
        }
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!insertion.is_finished());
    other.batch_execute("COMMIT").unwrap();
    let outcome = insertion.await.unwrap();
    assert!(
        outcome.as_ref().is_err_and(StorageError::is_transient),
        "{outcome:?}"
    );
    change!(db, tx => tx.measurements().add(ANN, SHOP, &measurements).await.unwrap());
}

#[tokio::test]
async fn a_stalled_process_loses_its_locks() {
    let options = OpenOptions {
        lock_timeout: Duration::from_millis(50),
        ..OpenOptions::default()
    };
    let db = TestDatabase::with_options(DatabaseKind::Postgres, options).await;
    two_accounts(&db).await;
    let mut writer = stopped_after(
        &db,
        "BEGIN; LOCK TABLE accounts IN EXCLUSIVE MODE; SELECT txid_current()",
    );
    let reader = stopped_after(
        &db,
        "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM accounts",
    );
    let locks = async || {
        let mut work = db.storage.write().await.unwrap();
        work.accounts().lock(ANN).await.map(|_| ())
    };
    assert!(locks().await.is_err(), "it is held");
    let allowed = TimeDelta::minutes(1);
    assert_eq!(db.storage.end_stalled(allowed).await.unwrap(), 0);
    assert!(locks().await.is_err(), "it may still continue");

    tokio::time::sleep(Duration::from_millis(200)).await;
    let allowed = TimeDelta::milliseconds(100);
    assert_eq!(db.storage.end_stalled(allowed).await.unwrap(), 1);
    let mut remaining = Vec::new();
    writer.read_to_end(&mut remaining).unwrap();
    locks().await.unwrap();
    assert_eq!(db.storage.end_stalled(allowed).await.unwrap(), 0);
    drop(reader);
}

/// A connection that ran the statements, and stopped while it sent the next one.
fn stopped_after(db: &TestDatabase, statements: &str) -> UnixStream {
    let url = db.superuser_url().unwrap();
    let (_, folder) = url.split_once("host=").unwrap();
    let mut server = UnixStream::connect(format!("{folder}/.s.PGSQL.5432")).unwrap();
    let version = [0, 3, 0, 0];
    let parameters = format!(
        "user\0sightline\0database\0{}\0application_name\0sightline\0\0",
        db.name().unwrap()
    );
    server
        .write_all(&message(&[&version, parameters.as_bytes()].concat()))
        .unwrap();
    let mut query = vec![b'Q'];
    query.extend(message(format!("{statements}\0").as_bytes()));
    server.write_all(&query).unwrap();
    // Ready, in a transaction.
    let mut received = Vec::new();
    while !received.ends_with(b"Z\0\0\0\x05T") {
        let mut byte = [0];
        server.read_exact(&mut byte).unwrap();
        received.push(byte[0]);
    }
    server.write_all(b"Q\0\0\x01\0UPDATE").unwrap();
    server
}

/// A message of the protocol: its length, which counts itself, and its body.
fn message(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&length.to_be_bytes(), body].concat()
}
