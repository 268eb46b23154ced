mod connection_check;
pub mod other_connections;
pub mod partitions;
pub mod rls;
pub mod stalled;

use crate::executor::pool::{Endpoint, Pool, PoolSettings};
use crate::opening::OpenOptions;
use crate::postgres_endpoint::PostgresEndpoint;
use crate::sql::Db;
use diesel::{ConnectionError, ConnectionResult};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use std::{sync::Arc, time::Duration};

/// Longest wait for connections after an outage: r2d2 pauses for at most half of the time that a call waits for one.
pub const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(1);
const CONNECTION_TIMEOUT: Duration = MAX_RECONNECT_DELAY.saturating_mul(2);

pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

impl PostgresEndpoint {
    /// For schema changes: a longer lock timeout, and no statement timeout.
    pub fn connect_for_migration(&self) -> ConnectionResult<Db> {
        let mut connection = self.connect("SET lock_timeout = 3000")?;
        let is_up = rls::is_enabled(&mut connection);
        is_up
            .and_then(|it| {
                if it {
                    rls::allow_all_rows(&mut connection)
                } else {
                    Ok(())
                }
            })
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }
}

pub fn pool(
    endpoint: &PostgresEndpoint,
    options: &OpenOptions,
    statement_timeout: Duration,
) -> Arc<Pool> {
    Pool::new(PoolSettings {
        endpoint: Endpoint::Postgres(endpoint.clone()),
        setup: setup(options, statement_timeout),
        size: options.connections.max(1),
        through_pooler: options.through_pooler,
        connection_timeout: options.connection_timeout.unwrap_or(CONNECTION_TIMEOUT),
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
