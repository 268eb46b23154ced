//! `PostgreSQL`: how it is opened, and what only it has.

pub mod partitions;
pub mod stalled;
pub mod wall;

use crate::{
    opening::OpenOptions,
    pool::{Pool, PoolSettings},
    sql::{DatabaseKind, Db},
};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use std::{fmt::Write, sync::Arc, time::Duration};

/// What connections are called, for whoever looks who is connected.
pub const APPLICATION: &str = "sightline";

const PATIENCE: Duration = Duration::from_secs(2);

/// The schema, step by step.
pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// Connections for requests, or for jobs: a statement may take so long.
pub fn pool(url: &str, options: &OpenOptions, statement_timeout: Duration) -> Arc<Pool> {
    Pool::new(PoolSettings {
        kind: DatabaseKind::Postgres,
        target: with_defaults(url),
        setup: setup(options, statement_timeout),
        size: options.connections.max(1),
        through_pooler: options.through_pooler,
        deadline: options.patience.unwrap_or(PATIENCE),
        is_writer: false,
    })
}

/// A connection for changing the schema: it waits longer, and its statements may take long.
pub fn connect_for_migration(url: &str) -> diesel::ConnectionResult<Db> {
    let mut connection = Db::connect(
        DatabaseKind::Postgres,
        &with_defaults(url),
        "SET lock_timeout = 3000",
    )?;
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
