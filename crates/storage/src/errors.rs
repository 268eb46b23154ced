use crate::constraints::postgres_constraint_name;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use domain::ports::storage::{NoConnection, StorageError};

#[derive(Debug, PartialEq, Eq)]
pub enum DbErrorKind {
    /// The connection is gone; a new one may work.
    ConnectionLost,
    /// A deadlock, a lock, a failure to serialize, or a partition created meanwhile.
    Contention,
    /// A unique constraint, by name.
    UniqueViolation(String),
    DiskFull,
    /// `SQLite`'s file is damaged.
    Corrupted,
    Other,
}

/// Primary keys with an id that the application generates.
const GENERATED_ID_KEYS: [&str; 11] = [
    "accounts_pkey",
    "users_pkey",
    "api_tokens_pkey",
    "projects_pkey",
    "keywords_pkey",
    "jobs_pkey",
    "sessions_pkey",
    "invitations_pkey",
    "content_plans_pkey",
    "keyword_reservations_pkey",
    "keyword_searches_pkey",
];

pub fn classify(error: &Error) -> DbErrorKind {
    match error {
        Error::DatabaseError(kind, about) => classify_database_error(*kind, about.as_ref()),
        Error::RollbackErrorOnCommit { commit_error, .. } => classify(commit_error),
        Error::BrokenTransactionManager => DbErrorKind::ConnectionLost,
        _ => DbErrorKind::Other,
    }
}

/// Diesel hides SQLSTATE: 40P01, 57P01, 57P02 and errors of `SQLite` are recognized by their messages.
fn classify_database_error(
    kind: DatabaseErrorKind,
    about: &dyn DatabaseErrorInformation,
) -> DbErrorKind {
    let contains = |text| about.message().contains(text);
    match kind {
        DatabaseErrorKind::UniqueViolation => DbErrorKind::UniqueViolation(
            about
                .constraint_name()
                .map_or_else(|| postgres_constraint_name(about.message()), str::to_owned),
        ),
        DatabaseErrorKind::SerializationFailure => DbErrorKind::Contention,
        // A partition constraint has no name: the row's month got its partition after `PostgreSQL`
        // had chosen the default one.
        DatabaseErrorKind::CheckViolation
            if about.table_name().is_some() && about.constraint_name().is_none() =>
        {
            DbErrorKind::Contention
        }
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand => {
            DbErrorKind::ConnectionLost
        }
        // SQLITE_FULL, and PostgreSQL's message for 53100.
        _ if contains("disk is full") || contains("No space left on device") => {
            DbErrorKind::DiskFull
        }
        _ if is_corruption_message(about.message()) => DbErrorKind::Corrupted,
        _ if contains("deadlock detected") || contains("is locked") => DbErrorKind::Contention,
        _ if contains("terminating connection") || contains("closed the connection") => {
            DbErrorKind::ConnectionLost
        }
        _ => DbErrorKind::Other,
    }
}

/// Whether a message is that of `SQLITE_CORRUPT` or `SQLITE_NOTADB`.
pub fn is_corruption_message(message: &str) -> bool {
    const WORDS: [&str; 3] = [
        "database disk image is malformed",
        "malformed database schema",
        "file is not a database",
    ];
    WORDS.iter().any(|it| message.contains(it))
}

pub fn into_storage_error(error: Error) -> StorageError {
    match classify(&error) {
        DbErrorKind::Contention => StorageError::Interrupted(Box::new(error)),
        DbErrorKind::UniqueViolation(constraint)
            if GENERATED_ID_KEYS.contains(&constraint.as_str()) =>
        {
            StorageError::IdTaken
        }
        DbErrorKind::UniqueViolation(constraint) => StorageError::Conflict { constraint },
        DbErrorKind::DiskFull => StorageError::Full(Box::new(error)),
        DbErrorKind::Corrupted => StorageError::Damaged(Box::new(error)),
        DbErrorKind::ConnectionLost => unavailable(NoConnection(error.to_string())),
        DbErrorKind::Other => unavailable(error),
    }
}

pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StorageError {
    StorageError::Unavailable(cause.into())
}
