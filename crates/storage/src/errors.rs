use crate::constraints::constraint_of;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use domain::ports::storage::{NoConnection, StorageError};

#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The connection is gone; a new one may work.
    ConnectionLost,
    /// A deadlock, a lock, or a failure to serialize.
    InTheWay,
    /// A unique constraint, by name.
    Taken(String),
    Full,
    /// `SQLite`'s file is damaged.
    Broken,
    Other,
}

/// Primary keys whose id the application generates.
const MINTED: [&str; 10] = [
    "accounts_pkey",
    "users_pkey",
    "api_tokens_pkey",
    "projects_pkey",
    "keywords_pkey",
    "jobs_pkey",
    "sessions_pkey",
    "content_plans_pkey",
    "keyword_reservations_pkey",
    "keyword_searches_pkey",
];

pub fn trouble(error: &Error) -> Trouble {
    match error {
        Error::DatabaseError(kind, about) => weighed(*kind, about.as_ref()),
        Error::RollbackErrorOnCommit { commit_error, .. } => trouble(commit_error),
        Error::BrokenTransactionManager => Trouble::ConnectionLost,
        _ => Trouble::Other,
    }
}

/// Diesel hides SQLSTATE: 40P01, 57P01, 57P02 and errors of `SQLite` are recognized by their messages.
fn weighed(kind: DatabaseErrorKind, about: &dyn DatabaseErrorInformation) -> Trouble {
    let says = |text| about.message().contains(text);
    match kind {
        DatabaseErrorKind::UniqueViolation => Trouble::Taken(
            about
                .constraint_name()
                .map_or_else(|| constraint_of(about.message()), str::to_owned),
        ),
        DatabaseErrorKind::SerializationFailure => Trouble::InTheWay,
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand => {
            Trouble::ConnectionLost
        }
        // SQLITE_FULL, and PostgreSQL's message for 53100.
        _ if says("disk is full") || says("No space left on device") => Trouble::Full,
        _ if tells_of_corruption(about.message()) => Trouble::Broken,
        _ if says("deadlock detected") || says("is locked") => Trouble::InTheWay,
        _ if says("terminating connection") || says("closed the connection") => {
            Trouble::ConnectionLost
        }
        _ => Trouble::Other,
    }
}

/// Whether a message is that of `SQLITE_CORRUPT` or `SQLITE_NOTADB`.
pub fn tells_of_corruption(message: &str) -> bool {
    const WORDS: [&str; 3] = [
        "database disk image is malformed",
        "malformed database schema",
        "file is not a database",
    ];
    WORDS.iter().any(|it| message.contains(it))
}

pub fn told(error: Error) -> StorageError {
    match trouble(&error) {
        Trouble::InTheWay => StorageError::Interrupted(Box::new(error)),
        Trouble::Taken(constraint) if MINTED.contains(&constraint.as_str()) => {
            StorageError::IdTaken
        }
        Trouble::Taken(constraint) => StorageError::Conflict { constraint },
        Trouble::Full => StorageError::Full(Box::new(error)),
        Trouble::Broken => StorageError::Broken(Box::new(error)),
        Trouble::ConnectionLost => unavailable(NoConnection(error.to_string())),
        Trouble::Other => unavailable(error),
    }
}

pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StorageError {
    StorageError::Unavailable(cause.into())
}
