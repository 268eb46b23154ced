use crate::files::is_disk_full;
use crate::postgres_url::{Parts, Server, TlsOptionError};
use crate::tls::{Check as TlsCheck, TlsOptions as TlsWanted};
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use thiserror::Error;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DatabaseKind {
        Postgres = "postgres",
        Sqlite = "sqlite",
    }
}

/// How a connection that leaves the machine is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    Missing,
    Tls(TlsCheck),
}

impl fmt::Display for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "not encrypted",
            Self::Tls(TlsCheck::Nothing) => "TLS; the server's certificate is not verified",
            Self::Tls(TlsCheck::Authority) => {
                "TLS; the server's certificate is verified, and not that it is for this host"
            }
            Self::Tls(TlsCheck::AuthorityAndName) => {
                "TLS; the server's certificate and its name are verified"
            }
        })
    }
}

/// Never shows its password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(pub(crate) Target);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Postgres(String),
    Sqlite(PathBuf),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DatabaseUrlError {
    #[error(
        "must begin with postgres:// or sqlite://, for example sqlite:///var/lib/sightline/data.db"
    )]
    UnknownScheme,
    #[error("must name a file after sqlite://")]
    NoPath,
    #[error("a database in memory is not supported: each connection would have its own")]
    InMemory,
    /// A part of a password could be taken for something else.
    #[error(
        "must be postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE with everything else escaped: write @ in a password as %40, / as %2F, ? as %3F, : as %3A, # as %23 and % as %25"
    )]
    Unescaped,
    #[error(transparent)]
    Tls(#[from] TlsOptionError),
}

impl DatabaseUrl {
    pub const fn file(path: PathBuf) -> Self {
        Self(Target::Sqlite(path))
    }

    /// Reads `postgres://…`, `postgresql://…` (as libpq reads them) or `sqlite://path`. Refuses URLs of `PostgreSQL`
    /// with no clear password: libpq repeats parts of such URLs in its errors.
    pub fn parse(url: &str) -> Result<Self, DatabaseUrlError> {
        if let Some((_, rest)) = url
            .split_once("://")
            .filter(|(scheme, _)| matches!(*scheme, "postgres" | "postgresql"))
        {
            if !is_unambiguous(rest) {
                return Err(DatabaseUrlError::Unescaped);
            }
            TlsWanted::from_url(&Parts::of(url))?;
            return Ok(Self(Target::Postgres(url.to_owned())));
        }
        let rest = url
            .strip_prefix("sqlite:")
            .ok_or(DatabaseUrlError::UnknownScheme)?;
        let path = rest.strip_prefix("//").unwrap_or(rest);
        match path {
            ":memory:" => Err(DatabaseUrlError::InMemory),
            "" => Err(DatabaseUrlError::NoPath),
            _ if !rest.starts_with("//") => Err(DatabaseUrlError::UnknownScheme),
            path => Ok(Self(Target::Sqlite(path.into()))),
        }
    }

    pub fn kind(&self) -> DatabaseKind {
        match self.0 {
            Target::Postgres(_) => DatabaseKind::Postgres,
            Target::Sqlite(_) => DatabaseKind::Sqlite,
        }
    }

    /// `None` for `SQLite`, and where no connection leaves this machine.
    pub fn encryption(&self) -> Option<Encryption> {
        let Target::Postgres(url) = &self.0 else {
            return None;
        };
        let parts = Parts::of(url);
        let leaves_the_machine = |server: Server| {
            let address = server.address.parse::<IpAddr>();
            let is_here = address.map_or(server.address == "localhost", |it| it.is_loopback());
            server.is_remote() && !is_here
        };
        match TlsWanted::from_url(&parts) {
            Ok(Some(wanted)) => Some(Encryption::Tls(wanted.check())),
            _ if parts.servers().into_iter().any(leaves_the_machine) => Some(Encryption::Missing),
            _ => None,
        }
    }

    /// `None` for `PostgreSQL`.
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            Target::Postgres(_) => None,
            Target::Sqlite(path) => Some(path),
        }
    }

    /// Whether the disk is too full to store anything. Always false for `PostgreSQL`, which reports its own disk.
    pub fn is_disk_full(&self) -> bool {
        self.path().is_some_and(is_disk_full)
    }
}

/// Whether the rest of the URL is unambiguous: `[user[:password]@][host[:port]][,…][/database][?name=value&…]`.
fn is_unambiguous(rest: &str) -> bool {
    let (user_info, behind) = rest.split_once('@').unwrap_or(("", rest));
    let (place, options) = behind.split_once('?').unwrap_or((behind, ""));
    let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
    user_info.matches(':').count() <= 1
        && !user_info.contains(['/', '?', '#', '[', ']', ' '])
        && !behind.contains('@')
        && hosts.split(',').all(has_a_port_or_none)
        && !database.contains(['/', ' '])
        && { options.split('&') }.all(|it| options.is_empty() || it.matches('=').count() == 1)
        && rest.split('%').skip(1).all(is_escape)
}

fn has_a_port_or_none(host: &str) -> bool {
    let behind = match host.strip_prefix('[') {
        Some(address) => address.split_once(']').map(|(_, behind)| behind),
        None => Some(host.find(':').map_or("", |at| &host[at..])),
    };
    behind.is_some_and(|it| {
        it.is_empty()
            || it
                .strip_prefix(':')
                .is_some_and(|it| it.parse::<u16>().is_ok())
    })
}

fn is_escape(behind: &str) -> bool {
    let digits = behind.as_bytes().get(..2);
    digits.is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit) && it != b"00")
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
    fn only_postgres_and_sqlite_urls_are_accepted() {
        let kind = |url| DatabaseUrl::parse(url).map(|it| it.kind());
        assert_eq!(kind("postgres://u:p@h/d"), Ok(DatabaseKind::Postgres));
        assert_eq!(
            kind("postgresql:///d?host=/run"),
            Ok(DatabaseKind::Postgres)
        );
        assert_eq!(kind("sqlite:///tmp/a.db"), Ok(DatabaseKind::Sqlite));
        assert_eq!(kind("sqlite://a.db"), Ok(DatabaseKind::Sqlite));
        assert_eq!(kind("sqlite://"), Err(DatabaseUrlError::NoPath));
        assert_eq!(kind("sqlite::memory:"), Err(DatabaseUrlError::InMemory));
        assert_eq!(kind("sqlite://:memory:"), Err(DatabaseUrlError::InMemory));
        assert_eq!(kind("mysql://h/d"), Err(DatabaseUrlError::UnknownScheme));
        assert_eq!(kind("sqlite:a.db"), Err(DatabaseUrlError::UnknownScheme));
    }

    #[test]
    fn ambiguous_urls_are_refused() {
        for clear in [
            "",
            "/d",
            "h",
            "h:5432/d",
            "ann@h/d",
            "ann:secret@h:5432/d?sslmode=require&application_name=a",
            "ann:%40%2F%3f%25@[::1]:5432/d",
            "h1:5432,h2:5433/d?target_session_attrs=any",
            "%2Frun%2Fpostgresql/d",
            "ann@/d?host=/run/postgresql",
            "/d?host=/run&password=a%26b",
        ] {
            let url = format!("postgres://{clear}");
            assert!(DatabaseUrl::parse(&url).is_ok(), "{url}");
        }
        for unclear in [
            "ann:sec?ret@h/d",
            "ann:sec/ret@h/d",
            "ann:sec@ret@h/d",
            "ann:sec#ret@h/d",
            "ann:sec:ret@h/d",
            "ann:sec%ret@h/d",
            "ann:sec%zzret@h/d",
            "ann:secret%2@h/d",
            "ann:secret",
            "ann:12/ret?x@h/d",
            "ann:12/re=t?x=@h/d",
            "ann:sec[ret@h/d",
            "h/d?secret",
            "h/d?password=sec&ret",
            "h/d?password=sec@ret",
            "h/d?password=sec=ret",
        ] {
            for scheme in ["postgres", "postgresql"] {
                let url = format!("{scheme}://{unclear}");
                let refused = DatabaseUrl::parse(&url);
                assert_eq!(refused, Err(DatabaseUrlError::Unescaped), "{url}");
            }
        }
    }

    #[test]
    fn encryption_is_reported_for_remote_servers() {
        for (url, encryption) in [
            ("sqlite:///tmp/a.db", None),
            ("postgres:///d", None),
            ("postgres://d?host=/run", None),
            ("postgres://localhost/d", None),
            ("postgres://127.0.0.2/d?sslmode=disable", None),
            ("postgres://[::1]/d", None),
            ("postgres://localhost,db/d", Some(Encryption::Missing)),
            ("postgres://db/d?sslmode=prefer", Some(Encryption::Missing)),
            (
                "postgres://localhost/d?sslmode=verify-full",
                Some(Encryption::Tls(TlsCheck::AuthorityAndName)),
            ),
        ] {
            assert_eq!(
                DatabaseUrl::parse(url).unwrap().encryption(),
                encryption,
                "{url}"
            );
        }
        assert_eq!(
            DatabaseUrl::parse("postgres://db/d?sslmode=verify-ca"),
            Err(DatabaseUrlError::Tls(TlsOptionError::NoAuthority))
        );
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
