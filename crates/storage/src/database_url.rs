//! Where the database is.

use std::{fmt, path::PathBuf};
use thiserror::Error;

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// A `PostgreSQL` server.
    Postgres,
    /// A file.
    Sqlite,
}

impl DatabaseKind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }
}

/// Where the database is; never shows its password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(pub(crate) Target);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Postgres(String),
    Sqlite(PathBuf),
}

/// The text does not say where a database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotADatabaseUrl {
    /// It begins with something else.
    #[error(
        "must begin with postgres:// or sqlite://, for example sqlite:///var/lib/sightline/data.db"
    )]
    UnknownScheme,
    /// It has no path.
    #[error("must name a file after sqlite://")]
    NoPath,
    /// Nothing would be remembered.
    #[error("a database in memory is not supported: each connection would have its own")]
    InMemory,
}

impl DatabaseUrl {
    /// A `SQLite` file.
    #[must_use]
    pub const fn file(path: PathBuf) -> Self {
        Self(Target::Sqlite(path))
    }

    /// Reads `postgres://…`, `postgresql://…` (as libpq reads them) or `sqlite://path`.
    pub fn parse(url: &str) -> Result<Self, NotADatabaseUrl> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self(Target::Postgres(url.to_owned())));
        }
        let rest = url
            .strip_prefix("sqlite:")
            .ok_or(NotADatabaseUrl::UnknownScheme)?;
        let path = rest.strip_prefix("//").unwrap_or(rest);
        match path {
            ":memory:" => Err(NotADatabaseUrl::InMemory),
            "" => Err(NotADatabaseUrl::NoPath),
            _ if !rest.starts_with("//") => Err(NotADatabaseUrl::UnknownScheme),
            path => Ok(Self(Target::Sqlite(path.into()))),
        }
    }

    /// Which database it is.
    #[must_use]
    pub fn kind(&self) -> DatabaseKind {
        match self.0 {
            Target::Postgres(_) => DatabaseKind::Postgres,
            Target::Sqlite(_) => DatabaseKind::Sqlite,
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The file, or the server's address without user, password and options.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Target::Sqlite(path) => path.display().fmt(f),
            Target::Postgres(url) => {
                let (_, rest) = url.split_once("://").unwrap_or_default();
                let place = rest.split('?').next().unwrap_or_default();
                let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
                write!(f, "postgres://{place}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_databases_are_recognised_and_nothing_else() {
        let kind = |url| DatabaseUrl::parse(url).map(|it| it.kind());
        assert_eq!(kind("postgres://u:p@h/d"), Ok(DatabaseKind::Postgres));
        assert_eq!(
            kind("postgresql:///d?host=/run"),
            Ok(DatabaseKind::Postgres)
        );
        assert_eq!(kind("sqlite:///tmp/a.db"), Ok(DatabaseKind::Sqlite));
        assert_eq!(kind("sqlite://a.db"), Ok(DatabaseKind::Sqlite));
        assert_eq!(kind("sqlite://"), Err(NotADatabaseUrl::NoPath));
        assert_eq!(kind("sqlite::memory:"), Err(NotADatabaseUrl::InMemory));
        assert_eq!(kind("sqlite://:memory:"), Err(NotADatabaseUrl::InMemory));
        assert_eq!(kind("mysql://h/d"), Err(NotADatabaseUrl::UnknownScheme));
        assert_eq!(kind("sqlite:a.db"), Err(NotADatabaseUrl::UnknownScheme));
    }

    #[test]
    fn a_password_is_never_shown() {
        for secret in ["ann:secret@db/sightline", "db/sightline?password=secret"] {
            let url = DatabaseUrl::parse(&format!("postgres://{secret}")).unwrap();
            assert_eq!(url.to_string(), "postgres://db/sightline");
            assert_eq!(format!("{url:?}"), "postgres://db/sightline");
        }
    }
}
