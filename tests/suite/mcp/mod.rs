//! The tools, as clients of MCP meet them.

/// Runs each of these tests (`async fn(TestDatabase)`) on an empty `SQLite` database.
macro_rules! on_sqlite {
    ($($claim:ident),+ $(,)?) => {
        mod sqlite_alone {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                let database = ::harness::databases::TestDatabase::empty(::storage::DatabaseKind::Sqlite).await;
                super::$claim(database).await;
            })+
        }
    };
}

mod clients;
mod conformance;
mod documented;
mod door;
mod messages;
mod same;
mod sizes;
mod waiting;
