//! What pools and sessions do with a connection to either database.

use crate::{
    postgres::wall,
    session::Whose,
    sql::{DatabaseKind, Db, Link},
};
use diesel::{
    Connection, ConnectionError, ConnectionResult, QueryResult,
    connection::{AnsiTransactionManager, SimpleConnection, TransactionManager},
};

impl Db {
    /// A connection that is set up.
    pub fn connect(kind: DatabaseKind, target: &str, setup: &str) -> ConnectionResult<Self> {
        let link = match kind {
            DatabaseKind::Postgres => Link::Postgres(connected(target, setup)?),
            DatabaseKind::Sqlite => Link::Sqlite(connected(target, setup)?),
        };
        Ok(link.into())
    }

    /// Whether the connection answers.
    pub fn answer(&mut self) -> QueryResult<()> {
        self.batch_execute(match self.kind() {
            DatabaseKind::Postgres => "SELECT 1",
            DatabaseKind::Sqlite => "SELECT 1 FROM sqlite_schema",
        })
    }

    /// Tells the database whose rows are asked for, until the transaction ends. Only `PostgreSQL`
    /// has a wall that listens.
    pub fn say_whose(&mut self, whose: Whose) -> QueryResult<()> {
        match self.kind() {
            DatabaseKind::Postgres => wall::say(self, whose),
            DatabaseKind::Sqlite => Ok(()),
        }
    }

    /// Begins a transaction that changes something. One of `SQLite` that reads first and then finds that it cannot
    /// write never happens.
    pub fn begin(&mut self) -> QueryResult<()> {
        let begin = match self.kind() {
            DatabaseKind::Postgres => "BEGIN",
            DatabaseKind::Sqlite => "BEGIN IMMEDIATE",
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
