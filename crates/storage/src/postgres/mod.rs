pub mod others;
pub mod partitions;
mod parts;
mod refusal;
pub mod stalled;
mod tls;
pub mod wall;

use crate::{
    opening::{OpenError, OpenOptions},
    pool::{Place, Pool, PoolSettings},
    sql::{DatabaseKind, Db},
};
use diesel::{ConnectionError, ConnectionResult};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
pub use parts::{Parts, Server};
use std::{sync::Arc, time::Duration};
pub use tls::{Check as TlsCheck, TlsRefusal, Tunnel, Wanted as TlsWanted, remove_folders};

/// What connections are called in `pg_stat_activity`.
pub const APPLICATION: &str = "sightline";

/// Longest wait for connections after an outage: r2d2 pauses for at most half of the time that a call waits for one.
pub const RECONNECTS_WITHIN: Duration = Duration::from_secs(1);
const PATIENCE: Duration = RECONNECTS_WITHIN.saturating_mul(2);

pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

#[derive(Clone)]
pub struct Reach {
    /// As libpq takes it.
    target: String,
    /// Where the URL asks for TLS.
    tunnel: Option<Arc<Tunnel>>,
}

impl Reach {
    /// Connects to nothing yet.
    pub fn of(url: &str) -> Result<Self, OpenError> {
        let mut parts = Parts::of(url);
        // A dead server is noticed in seconds, and operators see who is connected.
        for (name, value) in [
            ("connect_timeout", tls::CONNECT_SECONDS),
            ("tcp_user_timeout", "15000"),
            ("application_name", APPLICATION),
        ] {
            parts.set_default(name, value);
        }
        let (target, tunnel) = tls::reached(parts)?;
        Ok(Self { target, tunnel })
    }

    /// What a program of `PostgreSQL`'s takes to reach the server in the same way, while this lives: a URL without its
    /// password, and the password.
    pub fn for_programs(&self) -> (String, Option<String>) {
        let mut parts = Parts::of(&self.target);
        let password = parts.take_password();
        (parts.to_string(), password)
    }

    pub fn connect(&self, setup: &str) -> ConnectionResult<Db> {
        self.connect_by(&self.target, setup)
    }

    fn connect_by(&self, target: &str, setup: &str) -> ConnectionResult<Db> {
        let connected = Db::connect(DatabaseKind::Postgres, target, setup);
        let connected = connected.map(|it| it.through(self.tunnel.clone()));
        connected.map_err(|error| match error {
            ConnectionError::BadConnection(told) => {
                let told = match &self.tunnel {
                    Some(tunnel) => tunnel.in_words(&told),
                    None => told,
                };
                ConnectionError::BadConnection(told.trim().replace('\n', "; "))
            }
            other => other,
        })
    }

    /// For changing the schema: it waits longer, and its statements may take long.
    pub fn connect_for_migration(&self) -> ConnectionResult<Db> {
        let mut connection = self.connect("SET lock_timeout = 3000")?;
        let is_up = wall::is_up(&mut connection);
        is_up
            .and_then(|it| {
                if it {
                    wall::open_for_good(&mut connection)
                } else {
                    Ok(())
                }
            })
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }
}

pub fn pool(reach: &Reach, options: &OpenOptions, statement_timeout: Duration) -> Arc<Pool> {
    Pool::new(PoolSettings {
        place: Place::Postgres(reach.clone()),
        setup: setup(options, statement_timeout),
        size: options.connections.max(1),
        through_pooler: options.through_pooler,
        deadline: options.patience.unwrap_or(PATIENCE),
        is_writer: false,
        soundness: Arc::default(),
    })
}

/// Settings of a new connection. No statement depends on them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_url_says_itself_stands() {
        let target = |url| Reach::of(url).unwrap().target;
        assert_eq!(
            target("postgres://h/d?connect_timeout=9"),
            "postgres://h/d?connect_timeout=9&tcp_user_timeout=15000&application_name=sightline"
        );
        assert!(target("postgres://h/d").contains("d?connect_timeout=2&"));
        assert!(!target("postgres://h/d?sslmode=prefer").contains("ssl"));
    }
}
