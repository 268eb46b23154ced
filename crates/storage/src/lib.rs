//! Diesel behind the ports of the domain: every query is written and compiled once, for both PostgreSQL and SQLite
//! (`docs/contribute/storage.md`). `sql/` is the backend of Diesel that sends `queries/` to either; `postgres/` and `sqlite/`
//! hold what only one of them knows.
//!
//! Deliberately absent: business rules, HTTP, other adapters, the ambient clock.

mod backup;
mod constraints;
mod database;
mod database_url;
mod errors;
mod executor;
mod files;
mod instant;
mod migration_plan;
mod migrations;
mod opening;
mod ownership;
mod postgres;
mod postgres_endpoint;
mod postgres_url;
mod queries;
mod rows;
mod schema;
mod soundness;
mod sql;
mod sqlite;
mod storage;
mod tls;
mod transfer;

pub use backup::{
    BackupError, Manifest, RestoreOptions, Restored, back_up, note_backup, restore, verify,
};
pub use database_url::{DatabaseKind, DatabaseUrl, DatabaseUrlError, Encryption};
pub use migration_plan::{PlannedAction, PlannedStep};
pub use migrations::MigrationError;
pub use opening::{Exclusive, OpenError, OpenOptions};
pub use ownership::{as_owner_of, become_owner_of, user_switch_message};
pub use postgres::{MAX_RECONNECT_DELAY, rls::RlsError};
pub use postgres_url::TlsOptionError;
pub use schema::TENANT_TABLES;
pub use sqlite::Compacted;
pub use storage::{DieselStorage, PoolFigures, SqliteFigures};
pub use tls::{Check as TlsCheck, remove_folders as remove_tls_folders};
pub use transfer::{
    TransferError, TransferProgress, TransferStep, Transferred, TransferredTable, transfer,
};
