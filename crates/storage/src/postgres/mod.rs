pub mod others;
pub mod partitions;
mod refusal;
pub mod stalled;
pub mod wall;

use crate::executor::pool::{Place, Pool, PoolSettings};
use crate::opening::OpenOptions;
use crate::reach::Reach;
use crate::sql::Db;
use diesel::{ConnectionError, ConnectionResult};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use std::{sync::Arc, time::Duration};

/// Longest wait for connections after an outage: r2d2 pauses for at most half of the time that a call waits for one.
pub const RECONNECTS_WITHIN: Duration = Duration::from_secs(1);
const PATIENCE: Duration = RECONNECTS_WITHIN.saturating_mul(2);

pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

impl Reach {
    /// For schema changes: a longer lock timeout, and no statement timeout.
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
