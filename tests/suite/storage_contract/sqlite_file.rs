//! The file of a `SQLite` database.

use super::examples::*;
use domain::ports::storage::Storage;
use harness::databases::TestDatabase;
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};
use storage::{DatabaseKind, DatabaseUrl, DieselStorage, Exclusive, OpenError, OpenOptions};

async fn opened(url: &str, options: OpenOptions) -> Result<DieselStorage, OpenError> {
    DieselStorage::open(DatabaseUrl::parse(url).unwrap(), options).await
}

fn path(db: &TestDatabase) -> PathBuf {
    db.url.trim_start_matches("sqlite://").into()
}

#[tokio::test]
async fn a_second_server_on_the_same_file_is_refused_and_a_tool_is_not() {
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
    assert!(ask!(db, r => r.accounts().find(ANN).await.unwrap()).is_some());
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
async fn a_mistyped_path_is_an_error_and_makes_nothing() {
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
