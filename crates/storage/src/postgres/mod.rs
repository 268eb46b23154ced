//! `PostgreSQL`: how it is opened, and the queries compiled for it.

pub mod dialect;
#[macro_use]
mod batches;
#[macro_use]
mod locking;
pub mod partitions;
#[path = "../queries/mod.rs"]
pub mod queries;
pub mod stalled;
pub mod wall;

use crate::{
    database::Database,
    errors::Trouble,
    migrations::Taken,
    opening::OpenOptions,
    pool::{Pool, PoolSettings},
    session::Whose,
};
use diesel::{
    PgConnection, QueryResult,
    connection::SimpleConnection,
    result::{DatabaseErrorInformation, DatabaseErrorKind},
};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use domain::ports::site_turns::SiteHash;
use std::{fmt::Write, sync::Arc, time::Duration};

/// The connection the queries are compiled for.
pub type Db = PgConnection;

/// What connections are called, for whoever looks who is connected.
pub const APPLICATION: &str = "sightline";

const PATIENCE: Duration = Duration::from_secs(2);

impl Database for PgConnection {
    const BEGIN: &'static str = "BEGIN";
    const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

    fn weigh(kind: DatabaseErrorKind, about: &dyn DatabaseErrorInformation) -> Trouble {
        let says = |text| about.message().contains(text);
        match kind {
            DatabaseErrorKind::UniqueViolation => {
                Trouble::Taken(about.constraint_name().unwrap_or_default().to_owned())
            }
            DatabaseErrorKind::SerializationFailure => Trouble::InTheWay,
            DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand => {
                Trouble::ConnectionLost
            }
            // Diesel does not tell SQLSTATE: 40P01, 57P01 and 57P02 are known by their words.
            _ if says("deadlock detected") => Trouble::InTheWay,
            _ if says("terminating connection") || says("closed the connection") => {
                Trouble::ConnectionLost
            }
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
        self.batch_execute("SELECT 1")
    }

    fn say_whose(&mut self, whose: Whose) -> QueryResult<()> {
        wall::say(self, whose)
    }
}

/// Connections for requests, or for jobs: a statement may take so long.
pub fn pool(
    url: &str,
    options: &OpenOptions,
    statement_timeout: Duration,
) -> Arc<Pool<PgConnection>> {
    Pool::new(PoolSettings {
        target: with_defaults(url),
        setup: setup(options, statement_timeout),
        size: options.connections.max(1),
        through_pooler: options.through_pooler,
        deadline: options.patience.unwrap_or(PATIENCE),
        is_writer: false,
    })
}

/// A connection for changing the schema: it waits longer, and its statements may take long.
pub fn connect_for_migration(url: &str) -> diesel::ConnectionResult<PgConnection> {
    let mut connection: PgConnection =
        Database::connect(&with_defaults(url), "SET lock_timeout = 3000")?;
    let is_up = wall::is_up(&mut connection);
    is_up
        .and_then(|it| {
            if it {
                wall::open_for_good(&mut connection)
            } else {
                Ok(())
            }
        })
        .map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
    Ok(connection)
}

/// What a new connection is told. No statement depends on it.
fn setup(options: &OpenOptions, statement_timeout: Duration) -> String {
    if options.through_pooler {
        return String::new();
    }
    format!(
        "SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = 10000",
        statement_timeout.as_millis(),
        options.lock_timeout.as_millis(),
    )
}

/// The URL with what libpq should know, where it does not say so itself: a dead server is noticed
/// in seconds, and operators see who is connected.
fn with_defaults(url: &str) -> String {
    let mut full = url.to_owned();
    for (name, value) in [
        ("connect_timeout", "2"),
        ("tcp_user_timeout", "15000"),
        ("application_name", APPLICATION),
    ] {
        if !url.contains(name) {
            let mark = if full.contains('?') { '&' } else { '?' };
            let _ = write!(full, "{mark}{name}={value}");
        }
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_url_says_itself_stands() {
        assert_eq!(
            with_defaults("postgres://h/d?connect_timeout=9"),
            "postgres://h/d?connect_timeout=9&tcp_user_timeout=15000&application_name=sightline"
        );
        assert!(with_defaults("postgres://h/d").contains("d?connect_timeout=2&"));
    }
}
