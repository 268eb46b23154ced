//! A restart of `PostgreSQL` needs no restart of Sightline.

use super::examples::*;
use domain::ports::storage::{Storage, StorageError};
use harness::{databases::open, postgres_server::PostgresServer};
use storage::OpenOptions;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_storage_recovers_from_a_restart_of_its_server() {
    let start = || {
        let server = PostgresServer::start();
        server.execute("CREATE DATABASE restarted OWNER sightline");
        server
    };
    let mut server = tokio::task::spawn_blocking(start).await.unwrap();
    let storage = open(&server.url("restarted"), OpenOptions::default()).await;
    storage.migrate().await.unwrap();
    let mut warm = storage.write().await.unwrap();
    warm.accounts()
        .add(&account(ANN), &owner(ANN))
        .await
        .unwrap();
    warm.commit().await.unwrap();
    // Several connections, all of which will be dead, and one in the middle of a transaction.
    let mut amid = storage.write().await.unwrap();
    amid.accounts().lock(ANN).await.unwrap();
    let mut reader = storage.read().await.unwrap();
    reader.accounts().list().await.unwrap();

    let server = tokio::task::spawn_blocking(move || {
        server.restart();
        server
    })
    .await
    .unwrap();

    assert_eq!(
        reader.accounts().find(ANN).await.unwrap(),
        Some(account(ANN))
    );
    let lost = amid.accounts().save(&account(ANN)).await;
    assert!(
        matches!(lost, Err(StorageError::Interrupted(_))),
        "{lost:?}"
    );
    let mut fresh = storage.write().await.unwrap();
    fresh
        .accounts()
        .add(&account(BOB), &owner(BOB))
        .await
        .unwrap();
    fresh.commit().await.unwrap();

    server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'restarted'",
    );
    let mut fresh = storage.write().await.unwrap();
    assert!(fresh.accounts().lock(BOB).await.unwrap().is_some());
    fresh.commit().await.unwrap();
    storage.ping().await.unwrap();
}
