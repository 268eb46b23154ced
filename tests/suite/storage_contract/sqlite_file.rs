//! The file of a `SQLite` database.

use super::examples::*;
use diesel::{
    Connection, SqliteConnection,
    connection::{InstrumentationEvent, SimpleConnection},
};
use domain::{ids::AccountId, ports::storage::Storage};
use harness::databases::TestDatabase;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
};
use storage::{DatabaseKind, DatabaseUrl, DieselStorage, Exclusive, OpenError, OpenOptions};

async fn opened(url: &str, options: OpenOptions) -> Result<DieselStorage, OpenError> {
    DieselStorage::open(DatabaseUrl::parse(url).unwrap(), options).await
}

fn path(db: &TestDatabase) -> PathBuf {
    db.url.trim_start_matches("sqlite://").into()
}

#[tokio::test]
async fn a_second_server_is_refused_and_a_tool_is_not() {
    let db = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let second = opened(&db.url, OpenOptions::default()).await;
    assert!(matches!(second.err(), Some(OpenError::InUse(_))));
    let tool = OpenOptions {
        exclusive: Exclusive::Tool,
        ..OpenOptions::default()
    };
    let tool = opened(&db.url, tool).await.unwrap();
    let mut tx = tool.write().await.unwrap();
    tx.accounts().add(&account(ANN), &owner(ANN)).await.unwrap();
    tx.commit().await.unwrap();
    assert!(read!(db, r => r.accounts().find(ANN).await.unwrap()).is_some());
}

/// A copy of the file alone must contain the schema.
#[tokio::test]
async fn a_new_schema_is_checkpointed_into_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.db");
    let create = OpenOptions {
        create: true,
        ..OpenOptions::default()
    };
    let url = format!("sqlite://{}", file.display());
    let storage = opened(&url, create).await.unwrap();
    storage.migrate().await.unwrap();
    let copy = folder.path().join("copy.db");
    fs::copy(&file, &copy).unwrap();
    let mut copy = SqliteConnection::establish(copy.to_str().unwrap()).unwrap();
    copy.set_instrumentation(|_: InstrumentationEvent<'_>| {});
    copy.batch_execute("SELECT 1 FROM accounts; SELECT 1 FROM findings;")
        .unwrap();
}

#[tokio::test]
async fn a_file_has_one_server_under_every_path() {
    let db = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let (file, folder) = (path(&db), tempfile::tempdir().unwrap());
    let place = |name: &str| folder.path().join(name);
    symlink(&file, place("link")).unwrap();
    symlink(place("link"), place("link-to-it")).unwrap();
    symlink(file.parent().unwrap(), place("folder")).unwrap();
    for name in ["link", "link-to-it", "folder/data.db"] {
        let url = format!("sqlite://{}", place(name).display());
        let second = opened(&url, OpenOptions::default()).await;
        assert!(
            matches!(second.err(), Some(OpenError::InUse(path)) if path == file),
            "{name}"
        );
    }
    // A dangling link is a path like any other, and a circular one is none.
    let create = OpenOptions {
        create: true,
        ..OpenOptions::default()
    };
    symlink("to-be.db", place("dangling")).unwrap();
    let url = |name: &str| format!("sqlite://{}", place(name).display());
    let first = opened(&url("dangling"), create.clone()).await.unwrap();
    assert!(place("to-be.db").is_file());
    let second = opened(&url("to-be.db"), create.clone()).await;
    assert!(matches!(second.err(), Some(OpenError::InUse(_))));
    drop(first);
    symlink("circle", place("circle")).unwrap();
    let outcome = opened(&url("circle"), create).await;
    assert!(matches!(outcome.err(), Some(OpenError::File { .. })));
}

#[tokio::test]
async fn a_removed_or_replaced_file_is_detected() {
    let db = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let (file, away) = (path(&db), path(&db).with_extension("away"));
    assert_eq!(db.storage.pending().await.unwrap(), Vec::<String>::new());
    fs::rename(&file, &away).unwrap();
    db.storage.pending().await.unwrap_err();
    fs::copy(&away, &file).unwrap();
    db.storage.pending().await.unwrap_err();
    db.storage.ping().await.unwrap_err();
    fs::rename(&away, &file).unwrap();
    db.storage.ping().await.unwrap();
}

#[tokio::test]
async fn the_lock_ends_with_the_server() {
    let db = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let url = format!("{}.second", db.url);
    let options = OpenOptions {
        create: true,
        ..OpenOptions::default()
    };
    drop(opened(&url, options.clone()).await.unwrap());
    opened(&url, options).await.unwrap();
}

#[tokio::test]
async fn a_mistyped_path_is_an_error_and_creates_nothing() {
    let db = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let missing = path(&db).with_file_name("missing.db");
    let url = format!("sqlite://{}", missing.display());
    let outcome = opened(&url, OpenOptions::default()).await;
    assert!(matches!(outcome.err(), Some(OpenError::NoDatabase(path)) if path == missing));
    let create = OpenOptions {
        create: true,
        ..OpenOptions::default()
    };
    let outcome = opened("sqlite:///nowhere/at/all.db", create).await;
    assert!(matches!(outcome.err(), Some(OpenError::NoFolder(_))));
    let beside = fs::read_dir(missing.parent().unwrap()).unwrap().flatten();
    assert!(
        beside
            .into_iter()
            .all(|it| !it.path().starts_with(&missing))
    );
}

#[tokio::test]
async fn only_its_owner_reads_the_file() {
    let db = TestDatabase::empty(DatabaseKind::Sqlite).await;
    two_accounts(&db).await;
    let folder = path(&db);
    let files: Vec<_> = fs::read_dir(folder.parent().unwrap())
        .unwrap()
        .flatten()
        .collect();
    assert!(files.len() >= 2);
    for file in files {
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
}

#[tokio::test]
async fn the_wal_shrinks_after_a_long_reader_ends() {
    const MAX: u64 = 64 << 20;
    let db = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let file = path(&db).display().to_string();
    let log = || fs::metadata(format!("{file}-wal")).unwrap().len();
    let mut reader = SqliteConnection::establish(&file).unwrap();
    reader
        .batch_execute("BEGIN; SELECT count(*) FROM accounts;")
        .unwrap();
    let mut other = SqliteConnection::establish(&file).unwrap();
    let megabytes = "PRAGMA busy_timeout = 5000; CREATE TABLE bulk (bytes BLOB); \
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80) \
        INSERT INTO bulk SELECT zeroblob(1048576) FROM n;";
    other.batch_execute(megabytes).unwrap();
    drop(other);
    // Nothing that the reader may still need is overwritten, and no writer waits for it.
    two_accounts(&db).await;
    assert!(log() > MAX, "{}", log());
    drop(reader);
    // One write checkpoints the log, the next restarts it.
    for number in 3..5 {
        let id = AccountId(number);
        change!(db, tx => tx.accounts().add(&account(id), &owner(id)).await.unwrap());
    }
    assert!(log() <= MAX, "{}", log());
}
