//! What pools and sessions do with a connection to either database.

use crate::{
    migrations::Taken,
    postgres::wall,
    queries,
    session::Whose,
    sql::{Db, Dialect, Link},
};
use diesel::{
    Connection, ConnectionError, ConnectionResult, QueryResult,
    connection::{AnsiTransactionManager, SimpleConnection, TransactionManager},
};
use domain::ports::site_turns::SiteHash;
use std::time::Duration;

impl Db {
    /// A connection that is set up.
    pub fn connect(dialect: Dialect, target: &str, setup: &str) -> ConnectionResult<Self> {
        let link = match dialect {
            Dialect::Postgres => Link::Postgres(connected(target, setup)?),
            Dialect::Sqlite => Link::Sqlite(connected(target, setup)?),
        };
        Ok(link.into())
    }

    /// The steps of the schema that were taken.
    pub fn steps_taken(&mut self) -> QueryResult<Taken> {
        queries::versions::taken(self)
    }

    /// What time it is there, in milliseconds of Unix time.
    pub fn clock(&mut self) -> QueryResult<i64> {
        queries::clock::milliseconds(self)
    }

    /// Takes a site's first free moment after a pause, and the distance behind it; how long it is until then.
    pub fn take_turn(
        &mut self,
        site: SiteHash,
        pause: Duration,
        distance: Duration,
    ) -> QueryResult<Duration> {
        queries::site_turns::take(self, site, pause, distance)
    }

    /// Whether the connection answers.
    pub fn answer(&mut self) -> QueryResult<()> {
        self.batch_execute(match self.dialect() {
            Dialect::Postgres => "SELECT 1",
            Dialect::Sqlite => "SELECT 1 FROM sqlite_schema",
        })
    }

    /// Tells the database whose rows are asked for, until the transaction ends. Only `PostgreSQL`
    /// has a wall that listens.
    pub fn say_whose(&mut self, whose: Whose) -> QueryResult<()> {
        match self.dialect() {
            Dialect::Postgres => wall::say(self, whose),
            Dialect::Sqlite => Ok(()),
        }
    }

    /// Begins a transaction that changes something. One of `SQLite` that reads first and then finds that it cannot
    /// write never happens.
    pub fn begin(&mut self) -> QueryResult<()> {
        let begin = match self.dialect() {
            Dialect::Postgres => "BEGIN",
            Dialect::Sqlite => "BEGIN IMMEDIATE",
        };
        AnsiTransactionManager::begin_transaction_sql(self, begin)
    }

    /// Begins a part of a transaction that can be undone by itself.
    pub fn begin_part(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::begin_transaction(self)
    }

    /// Keeps what was done in it, or in the part that was begun last.
    pub fn commit(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::commit_transaction(self)
    }

    /// Undoes what was done in it, or in the part that was begun last.
    pub fn rollback(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::rollback_transaction(self)
    }

    /// Whether it was left in the middle of something.
    pub fn is_amid_something(&mut self) -> bool {
        AnsiTransactionManager::is_broken_transaction_manager(self)
    }
}

/// A connection of the database's own that is set up.
fn connected<C: Connection>(target: &str, setup: &str) -> ConnectionResult<C> {
    let mut connection = C::establish(target)?;
    if !setup.is_empty() {
        connection
            .batch_execute(setup)
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
    }
    Ok(connection)
}
