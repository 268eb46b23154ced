//! How a database is opened.

use crate::postgres::TlsRefusal;
use domain::ports::storage::StorageError;
use std::{io, path::PathBuf, time::Duration};
use thiserror::Error;

/// Who may use the file of a `SQLite` database at the same time. `PostgreSQL` serves everyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusive {
    /// A server: no second one may run on the same file.
    Server,
    /// A short-lived tool beside a server: its writes wait for the server's, up to 5 s.
    Tool,
}

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Whether a missing `SQLite` file is made. Off: a mistyped path is an error, not an empty
    /// database.
    pub create: bool,
    /// Who else may use the file.
    pub exclusive: Exclusive,
    /// `PostgreSQL`: connections at the most. `SQLite`: readers, beside the one writer.
    pub connections: u32,
    /// How long a caller waits for a connection; `None` is 2 s on `PostgreSQL` and 5 s on
    /// `SQLite`.
    pub patience: Option<Duration>,
    /// `PostgreSQL`: how long one statement of a request may take.
    pub statement_timeout: Duration,
    /// `PostgreSQL`: how long one of a job may take, which publishes all that it found in one.
    pub work_statement_timeout: Duration,
    /// `PostgreSQL`: how long a statement waits for another's lock.
    pub lock_timeout: Duration,
    /// `PostgreSQL`: whether a pooler in transaction mode (pgbouncer) stands before it. Then
    /// nothing is said to a connection that must hold beyond a transaction, so the role has to
    /// carry the time-outs: `docs/DATABASES.md`.
    pub through_pooler: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            create: false,
            exclusive: Exclusive::Server,
            connections: 10,
            patience: None,
            statement_timeout: Duration::from_secs(5),
            work_statement_timeout: Duration::from_mins(1),
            lock_timeout: Duration::from_secs(2),
            through_pooler: false,
        }
    }
}

/// Why a database is not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The folder of the file is not there.
    #[error("there is no folder {}: make it, or name another place", .0.display())]
    NoFolder(PathBuf),
    /// The file is not there, and was not to be made.
    #[error("there is no database {}; `migrate` makes one", .0.display())]
    NoDatabase(PathBuf),
    /// The file holds something else.
    #[error("{} is no SQLite database", .0.display())]
    NotADatabase(PathBuf),
    /// Another server has it.
    #[error("another server is running on {}", .0.display())]
    InUse(PathBuf),
    /// The file cannot be made or locked.
    #[error("the file {} cannot be used", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The URL asks for TLS in a way that is not possible.
    #[error("database_url: {0}")]
    Tls(TlsRefusal),
    /// A file of certificates or a key cannot be used.
    #[error("{} cannot be used for TLS to PostgreSQL: {why}", .path.display())]
    Certificates {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The sockets of the tunnel cannot be made.
    #[error(
        "the sockets for TLS to PostgreSQL cannot be made in the folder for temporary files (TMPDIR)"
    )]
    Tunnel(#[source] io::Error),
    /// The server refuses us, and will until something is changed.
    #[error("{0}")]
    Refused(String),
    /// A pooler gives each transaction another connection, and nobody said so.
    #[error(
        "PostgreSQL at {0} is reached through a pooler: set database_pooler = true (SIGHTLINE_DATABASE_POOLER=true), or name the server itself; without, statements fail or run with the parameters of others"
    )]
    Pooler(String),
    /// Rows are missing yet.
    #[error("{0}")]
    Unfinished(String),
    /// The database does not answer.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
