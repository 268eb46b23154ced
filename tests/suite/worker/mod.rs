//! The queue and the worker, as real processes that are killed, stopped and started again.

mod ai_paid;
mod ai_visibility;
mod api;
mod audit_command;
mod backups;
mod caps;
mod chat_model;
mod content_changes;
mod crashes;
mod demo;
mod effects;
mod endings;
mod every_kind;
mod fleet;
mod google;
mod hard_times;
mod hostile_report;
mod keys;
mod logs;
pub mod loopback;
mod metrics;
mod metrics_of_trouble;
mod owners_words;
mod paid;
mod power_loss;
mod probes;
pub mod process;
mod readme;
mod rendering;
mod restores;
mod root;
mod schedules;
mod search_console;
mod search_intelligence;
mod secrets;
mod serper;
mod settings;
mod shared_turns;
mod sign_in;
mod site_audit;
mod slots;
mod small_site;
mod suppliers;
mod watcher;
mod web_vitals;
pub mod website;
pub mod world;

/// Runs each of these tests (`async fn(World)`) on both databases.
macro_rules! on_both {
    ($($(#[$how:meta])* $claim:ident),+ $(,)?) => {
        mod sqlite {
            $($(#[$how])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                super::$claim($crate::worker::world::World::on(storage::DatabaseKind::Sqlite).await).await;
            })+
        }
        mod postgres {
            $($(#[$how])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                super::$claim($crate::worker::world::World::on(storage::DatabaseKind::Postgres).await).await;
            })+
        }
    };
}
pub(crate) use on_both;
