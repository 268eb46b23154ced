//! `SQLite`: one writer, many readers, and what only it has.

mod compact;
mod file;

use crate::executor::pool::{Endpoint, Pool, PoolSettings};
use crate::opening::OpenOptions;
use crate::soundness::Soundness;
use crate::sql::{DatabaseKind, Db};
pub use compact::{Compacted, compact};
use diesel::{QueryResult, RunQueryDsl, connection::SimpleConnection, dsl::sql, sql_types::Text};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
pub use file::{Prepared, is_database, lock, prepare, resolve_path};
use std::{path::Path, sync::Arc, time::Duration};

const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// `busy_timeout` comes first, and is for other processes only: this one has a single writer.
pub const SETUP: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; \
     PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; \
     PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 1000; \
     PRAGMA temp_store = MEMORY;";

pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// The first five faults of `quick_check`, which skips entries of indexes: checking them takes several times as long.
pub fn faults(db: &mut Db) -> QueryResult<Vec<String>> {
    let found =
        sql::<Text>("SELECT quick_check FROM pragma_quick_check LIMIT 5").load::<String>(db)?;
    Ok(found.into_iter().filter(|it| it != "ok").collect())
}

/// The only writer. Its permit serializes writes.
pub fn writer(path: &Path, options: &OpenOptions, soundness: &Arc<Soundness>) -> Arc<Pool> {
    pool(path, options, (1, true), "", soundness)
}

/// Cannot change anything.
pub fn readers(path: &Path, options: &OpenOptions, soundness: &Arc<Soundness>) -> Arc<Pool> {
    let size = options.connections.max(1);
    let more = "PRAGMA query_only = ON;";
    pool(path, options, (size, false), more, soundness)
}

/// Moves the write-ahead log into the file, as far as no reader needs it.
pub fn truncate_wal(db: &mut Db) -> QueryResult<()> {
    db.batch_execute("PRAGMA wal_checkpoint(TRUNCATE);")
}

/// A file URI with the parameters `query`.
pub fn uri(file: &Path, query: &str) -> String {
    let path = file.to_string_lossy();
    let escaped = path
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    format!("file:{escaped}?{query}")
}

pub fn connect_for_migration(path: &Path) -> diesel::ConnectionResult<Db> {
    Db::connect(DatabaseKind::Sqlite, &path.to_string_lossy(), SETUP)
}

fn pool(
    path: &Path,
    options: &OpenOptions,
    (size, is_writer): (u32, bool),
    more: &str,
    soundness: &Arc<Soundness>,
) -> Arc<Pool> {
    Pool::new(PoolSettings {
        endpoint: Endpoint::Sqlite(path.to_string_lossy().into_owned()),
        setup: format!("{SETUP} {more}"),
        size,
        through_pooler: false,
        connection_timeout: options.connection_timeout.unwrap_or(CONNECTION_TIMEOUT),
        is_writer,
        soundness: Arc::clone(soundness),
    })
}
