//! The program `sightline` as real processes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod admin_client;
pub mod api;
pub mod loopback;
pub mod mail_server;
pub mod process;
pub mod website;
pub mod world;

/// Runs each test (`async fn(World)`) on both databases.
#[macro_export]
macro_rules! on_both {
    ($($(#[$attribute:meta])* $claim:ident),+ $(,)?) => {
        mod sqlite {
            $($(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                super::$claim($crate::processes::world::World::on(::storage::DatabaseKind::Sqlite).await).await;
            })+
        }
        mod postgres {
            $($(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                super::$claim($crate::processes::world::World::on(::storage::DatabaseKind::Postgres).await).await;
            })+
        }
    };
}
