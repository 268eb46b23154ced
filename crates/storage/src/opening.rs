use crate::postgres_url::TlsOptionError;
use domain::ports::storage::StorageError;
use std::{io, path::PathBuf, time::Duration};
use thiserror::Error;

/// Who else may use the file of a `SQLite` database; `PostgreSQL` ignores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusive {
    /// A server: no second one may run on the same file.
    Server,
    /// A short-lived tool beside a server: its writes wait for the server's, up to 5 s.
    Tool,
}

#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Makes a missing `SQLite` file. Off: a mistyped path is an error, not an empty database.
    pub create: bool,
    pub exclusive: Exclusive,
    /// `PostgreSQL`: maximum of connections. `SQLite`: readers, beside the one writer.
    pub connections: u32,
    /// How long a caller waits for a connection; `None`: 2 s on `PostgreSQL`, 5 s on `SQLite`.
    pub connection_timeout: Option<Duration>,
    /// `PostgreSQL`: how long one statement of a request may take.
    pub statement_timeout: Duration,
    /// `PostgreSQL`: the same for a job, which publishes all that it found in one statement.
    pub work_statement_timeout: Duration,
    /// `PostgreSQL`: how long a statement waits for another's lock.
    pub lock_timeout: Duration,
    /// `PostgreSQL`: reached through a pooler in transaction mode (pgbouncer). Connections get no settings then, so
    /// that the role must have the timeouts: `docs/operate/postgresql.md`.
    pub through_pooler: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            create: false,
            exclusive: Exclusive::Server,
            connections: 10,
            connection_timeout: None,
            statement_timeout: Duration::from_secs(5),
            work_statement_timeout: Duration::from_mins(1),
            lock_timeout: Duration::from_secs(2),
            through_pooler: false,
        }
    }
}

#[derive(Debug, Error)]
pub enum OpenError {
    #[error("there is no folder {}: make it, or name another place", .0.display())]
    NoFolder(PathBuf),
    #[error("there is no database {}; `migrate` makes one", .0.display())]
    NoDatabase(PathBuf),
    #[error("{} is not an SQLite database", .0.display())]
    NotADatabase(PathBuf),
    #[error("another server is running on {}", .0.display())]
    InUse(PathBuf),
    #[error("the file {} cannot be used", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("database_url: {0}")]
    Tls(TlsOptionError),
    #[error("{} cannot be used for TLS to PostgreSQL: {reason}", .path.display())]
    Certificates { path: PathBuf, reason: String },
    #[error(
        "the sockets for TLS to PostgreSQL cannot be made in the folder for temporary files (TMPDIR)"
    )]
    Tunnel(#[source] io::Error),
    /// Retries do not help until something is changed.
    #[error("{0}")]
    Refused(String),
    #[error(
        "PostgreSQL at {0} is reached through a pooler: set database_pooler = true (SIGHTLINE_DATABASE_POOLER=true), or name the server itself; without, statements fail or run with the parameters of others"
    )]
    Pooler(String),
    /// A transfer into the database is unfinished.
    #[error("{0}")]
    Unfinished(String),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
