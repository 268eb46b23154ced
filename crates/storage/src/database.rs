//! What the two databases have in common, for pools and sessions.

use crate::{errors::Trouble, migrations::Taken, session::Whose};
use diesel::{
    Connection, ConnectionResult, QueryResult,
    connection::{AnsiTransactionManager, TransactionManager},
    result::{DatabaseErrorInformation, DatabaseErrorKind},
};
use diesel_migrations::EmbeddedMigrations;
use domain::ports::site_turns::SiteHash;
use std::time::Duration;

/// A connection to one of the databases.
pub trait Database: Connection<TransactionManager = AnsiTransactionManager> + 'static {
    /// What begins a transaction that changes something.
    const BEGIN: &'static str;
    /// The schema, step by step.
    const MIGRATIONS: EmbeddedMigrations;

    /// What an error means.
    fn weigh(kind: DatabaseErrorKind, about: &dyn DatabaseErrorInformation) -> Trouble;
    /// The steps of the schema that were taken.
    fn steps_taken(&mut self) -> QueryResult<Taken>;
    /// What time it is there, in milliseconds of Unix time.
    fn clock(&mut self) -> QueryResult<i64>;
    /// Takes a site's first free moment after a pause, and the distance behind it; how long it is until then.
    fn take_turn(
        &mut self,
        site: SiteHash,
        pause: Duration,
        distance: Duration,
    ) -> QueryResult<Duration>;
    /// Whether the connection answers.
    fn answer(&mut self) -> QueryResult<()>;

    /// Tells the database whose rows are asked for, until the transaction ends. Only `PostgreSQL`
    /// has a wall that listens.
    fn say_whose(&mut self, _whose: Whose) -> QueryResult<()> {
        Ok(())
    }

    /// A connection that is set up.
    fn connect(target: &str, setup: &str) -> ConnectionResult<Self> {
        let mut connection = Self::establish(target)?;
        if !setup.is_empty() {
            connection
                .batch_execute(setup)
                .map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
        }
        Ok(connection)
    }

    /// Begins a transaction.
    fn begin(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::begin_transaction_sql(self, Self::BEGIN)
    }

    /// Begins a part of a transaction that can be undone by itself.
    fn begin_part(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::begin_transaction(self)
    }

    /// Keeps what was done in it, or in the part that was begun last.
    fn commit(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::commit_transaction(self)
    }

    /// Undoes what was done in it, or in the part that was begun last.
    fn rollback(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::rollback_transaction(self)
    }

    /// Whether it was left in the middle of something.
    fn is_amid_something(&mut self) -> bool {
        AnsiTransactionManager::is_broken_transaction_manager(self)
    }
}
