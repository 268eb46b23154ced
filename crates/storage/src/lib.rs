//! Diesel behind the ports of the domain: every query is written once and compiled for both
//! PostgreSQL and SQLite.
//!
//! `queries/` is a child module of both `postgres` and `sqlite` (through `#[path]`); what has to
//! differ stands in their dialects. `rows/` turns entities into rows and back. `session.rs` is a
//! transaction that async code can hold. See `docs/DATABASES.md`.
//!
//! Deliberately absent: business rules, HTTP, other adapters, the ambient clock.
#![expect(
    clippy::duplicate_mod,
    reason = "one query source, compiled once for each database: docs/decisions/0002"
)]

mod backup;
mod close_by;
mod database;
mod database_url;
mod errors;
mod files;
mod group;
mod instant;
mod line;
mod migrations;
mod near;
mod opening;
mod ownership;
mod pool;
mod postgres;
mod rows;
mod schema;
mod session;
mod sqlite;
mod steady;
mod storage;
mod tenant_tables;
mod took;

pub use backup::{BackupError, Manifest, Restored, back_up, restore, verify};
pub use database_url::{DatabaseKind, DatabaseUrl, NotADatabaseUrl};
pub use migrations::MigrationError;
pub use opening::{Exclusive, OpenError, OpenOptions};
pub use ownership::{acted_as, as_owner_of, become_owner_of};
pub use postgres::wall::WallError;
pub use storage::{DieselStorage, PoolFigures, SqliteFigures};
pub use tenant_tables::TENANT_TABLES;
