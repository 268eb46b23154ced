//! Row-level security: when enabled, the database itself keeps accounts apart, whatever a statement forgets.
//! `TEST_LANE=wall` runs the whole suite with it.

use super::examples::*;
use diesel::{
    Connection, PgConnection, QueryableByName, RunQueryDsl, connection::InstrumentationEvent,
    sql_query, sql_types::BigInt,
};
use domain::ports::storage::{Storage, StorageError};
use harness::databases::TestDatabase;
use std::collections::BTreeSet;
use storage::{DatabaseKind, OpenOptions, RlsError, TENANT_TABLES};

async fn with_rls() -> TestDatabase {
    let db = TestDatabase::empty(DatabaseKind::Postgres).await;
    db.storage.set_rls(true).await.unwrap();
    two_accounts_at_work(&db).await;
    db
}

/// A connection without checks of its statements.
fn unwatched(db: &TestDatabase) -> PgConnection {
    let mut connection = PgConnection::establish(&db.url).unwrap();
    connection.set_instrumentation(|_: InstrumentationEvent<'_>| {});
    connection
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

/// Sets the tenant, runs a statement that names no account, and rolls back.
fn forgetful(
    db: &mut PgConnection,
    tenant: Option<&str>,
    statement: &str,
) -> diesel::QueryResult<i64> {
    let mut found = Err(diesel::result::Error::NotFound);
    let _ = db.transaction(|db| -> diesel::QueryResult<()> {
        if let Some(tenant) = tenant {
            sql_query(format!(
                "SELECT set_config('sightline.account_id', '{tenant}', true)"
            ))
            .execute(db)?;
        }
        found = sql_query(statement)
            .get_result(db)
            .map(|it: Counted| it.rows);
        Err(diesel::result::Error::RollbackTransaction)
    });
    found
}

fn rows(db: &mut PgConnection, tenant: Option<&str>, table: &str) -> i64 {
    forgetful(db, tenant, &format!("SELECT count(*) AS rows FROM {table}")).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rls_limits_unconditional_statements_to_one_account() {
    let db = with_rls().await;
    let mut raw = unwatched(&db);
    let mut seen = BTreeSet::new();
    for table in TENANT_TABLES {
        let all = rows(&mut raw, Some("everyone"), table);
        let (ann, bob) = (
            rows(&mut raw, Some("1"), table),
            rows(&mut raw, Some("2"), table),
        );
        assert_eq!(ann + bob, all, "{table}");
        assert_eq!(rows(&mut raw, None, table), 0, "{table}: no tenant was set");
        assert_eq!(
            rows(&mut raw, Some("11"), table),
            0,
            "{table}: no account has this id"
        );
        if ann > 0 && bob > 0 {
            seen.insert(table);
            let foreign = format!("SELECT count(*) AS rows FROM {table} WHERE account_id <> 1");
            assert_eq!(forgetful(&mut raw, Some("1"), &foreign), Ok(0), "{table}");
            let deleted = format!(
                "WITH gone AS (DELETE FROM {table} RETURNING account_id) SELECT count(*) AS rows FROM gone"
            );
            // Rows that others refer to stay; what goes is the account's own.
            let gone = forgetful(&mut raw, Some("1"), &deleted).unwrap_or(0);
            assert!(gone <= ann, "{table}: {gone} of {ann}");
        }
    }
    for table in ["accounts", "users", "projects", "keywords", "jobs"] {
        assert!(seen.contains(table), "{table} had no rows to be found");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rls_refuses_writes_into_another_account() {
    let db = with_rls().await;
    let mut raw = unwatched(&db);
    let moved = "WITH moved AS (UPDATE keywords SET account_id = 2, id = 99 RETURNING id) SELECT count(*) AS rows FROM moved";
    let error = forgetful(&mut raw, Some("1"), moved).unwrap_err();
    assert!(error.to_string().contains("row-level security"), "{error}");
    // Code that mixed two accounts up would be stopped as well.
    let mut tx = db.storage.write().await.unwrap();
    let mixed = [keyword(ANN, 41, "one"), keyword(BOB, 42, "two")];
    let refused = tx.keywords().add(&mixed).await.unwrap_err();
    assert!(
        matches!(refused, StorageError::Unavailable(_)),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rls_is_detected_on_open_and_can_be_disabled() {
    let db = with_rls().await;
    let other = harness::databases::open(&db.url, OpenOptions::default()).await;
    assert!(other.is_rls_enabled().await.unwrap());
    let mut reader = other.read().await.unwrap();
    assert_eq!(
        reader.accounts().find(BOB).await.unwrap(),
        Some(account(BOB))
    );
    assert_eq!(reader.accounts().list().await.unwrap().len(), 2);

    db.storage.set_rls(true).await.unwrap();
    db.storage.set_rls(false).await.unwrap();
    // A storage that is already open notices it at its next ping.
    db.storage.set_rls(true).await.unwrap();
    let late = harness::databases::open(&db.url, OpenOptions::default()).await;
    db.storage.set_rls(false).await.unwrap();
    late.ping().await.unwrap();
    assert!(
        late.read()
            .await
            .unwrap()
            .accounts()
            .find(ANN)
            .await
            .unwrap()
            .is_some()
    );
    db.storage.set_rls(true).await.unwrap();
    late.ping().await.unwrap();
    assert!(
        late.read()
            .await
            .unwrap()
            .accounts()
            .find(ANN)
            .await
            .unwrap()
            .is_some()
    );
    db.storage.set_rls(false).await.unwrap();
    assert!(!db.storage.is_rls_enabled().await.unwrap());
    let mut raw = unwatched(&db);
    assert_eq!(rows(&mut raw, None, "accounts"), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_that_bypasses_rls_cannot_enable_it() {
    let db = TestDatabase::empty(DatabaseKind::Postgres).await;
    let superuser = db.superuser_url().unwrap();
    let opened = harness::databases::open(&superuser, OpenOptions::default()).await;
    let refused = opened.set_rls(true).await.unwrap_err();
    assert!(matches!(refused, RlsError::RoleBypasses), "{refused}");

    let file = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let refused = file.storage.set_rls(true).await.unwrap_err();
    assert!(matches!(refused, RlsError::NotPostgres), "{refused}");
}
