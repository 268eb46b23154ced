//! The suite: the product from outside, on both databases.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::similar_names, reason = "a path and its patch are called so")]

/// Runs each of these tests (`async fn(TestDatabase)`) on an empty `SQLite` database.
macro_rules! on_sqlite {
    ($($(#[$how:meta])* $claim:ident),+ $(,)?) => {
        mod sqlite_alone {
            $($(#[$how])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                let database = ::harness::databases::TestDatabase::empty(::storage::DatabaseKind::Sqlite).await;
                super::$claim(database).await;
            })+
        }
    };
}

mod access;
mod agent_api;
mod browser;
mod deployment;
mod documents;
mod layers;
mod mcp;
mod migrations;
mod modules;
mod pages;
mod portability;
mod queue;
mod session;
mod storage_contract;
mod worker;
