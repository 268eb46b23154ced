//! `SQLite`: one writer, many readers, and the queries compiled for it.

pub mod dialect;
#[macro_use]
mod batches;
#[macro_use]
mod locking;
mod file;
#[path = "../queries/mod.rs"]
pub mod queries;

use crate::{
    database::Database,
    errors::Trouble,
    migrations::Taken,
    opening::OpenOptions,
    pool::{Pool, PoolSettings},
};
use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    dsl::sql,
    result::{DatabaseErrorInformation, DatabaseErrorKind},
    sql_types::Text,
};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use domain::ports::site_turns::SiteHash;
pub use file::{Prepared, is_database, lock, prepare, real};
use std::{path::Path, sync::Arc, time::Duration};

/// The connection the queries are compiled for.
pub type Db = SqliteConnection;

const PATIENCE: Duration = Duration::from_secs(5);

/// What every connection is told (reliability.md 6.1). `busy_timeout` comes first, and is only
/// for other processes: inside ours there is one writer.
pub const SETUP: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; \
     PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; \
     PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 1000; \
     PRAGMA temp_store = MEMORY;";

impl Database for SqliteConnection {
    /// A transaction that reads first and then finds that it cannot write never happens.
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

    fn weigh(kind: DatabaseErrorKind, about: &dyn DatabaseErrorInformation) -> Trouble {
        match kind {
            DatabaseErrorKind::UniqueViolation => {
                Trouble::Taken(dialect::constraint_of(about.message()))
            }
            _ if about.message().contains("is locked") => Trouble::InTheWay,
            _ => Trouble::Other,
        }
    }

    fn steps_taken(&mut self) -> QueryResult<Taken> {
        queries::versions::taken(self)
    }

    fn clock(&mut self) -> QueryResult<i64> {
        queries::clock::milliseconds(self)
    }

    fn take_turn(
        &mut self,
        site: SiteHash,
        pause: Duration,
        distance: Duration,
    ) -> QueryResult<Duration> {
        queries::site_turns::take(self, site, pause, distance)
    }

    fn answer(&mut self) -> QueryResult<()> {
        self.batch_execute("SELECT 1 FROM sqlite_schema")
    }
}

/// What its own check finds, without that of each index's entries, which takes several times as long.
pub fn faults(db: &mut SqliteConnection) -> QueryResult<Vec<String>> {
    let found =
        sql::<Text>("SELECT quick_check FROM pragma_quick_check LIMIT 5").load::<String>(db)?;
    Ok(found.into_iter().filter(|it| it != "ok").collect())
}

/// The one writer. Its permit is the queue.
pub fn writer(path: &Path, options: &OpenOptions) -> Arc<Pool<SqliteConnection>> {
    pool(path, options, 1, "", true)
}

/// The readers, which cannot change anything.
pub fn readers(path: &Path, options: &OpenOptions) -> Arc<Pool<SqliteConnection>> {
    pool(
        path,
        options,
        options.connections.max(1),
        "PRAGMA query_only = ON;",
        false,
    )
}

/// A connection for changing the schema.
pub fn connect_for_migration(path: &Path) -> diesel::ConnectionResult<SqliteConnection> {
    Database::connect(&path.to_string_lossy(), SETUP)
}

fn pool(
    path: &Path,
    options: &OpenOptions,
    size: u32,
    more: &str,
    is_writer: bool,
) -> Arc<Pool<SqliteConnection>> {
    Pool::new(PoolSettings {
        target: path.to_string_lossy().into_owned(),
        setup: format!("{SETUP} {more}"),
        size,
        through_pooler: false,
        deadline: options.patience.unwrap_or(PATIENCE),
        is_writer,
    })
}
