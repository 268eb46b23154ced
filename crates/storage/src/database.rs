use crate::executor::session::TenantScope;
use crate::postgres::rls;
use crate::sql::{DatabaseKind, Db, Link};
use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::{Connection, ConnectionError, ConnectionResult, QueryResult};

impl Db {
    pub fn connect(kind: DatabaseKind, target: &str, setup: &str) -> ConnectionResult<Self> {
        let link = match kind {
            DatabaseKind::Postgres => Link::Postgres(establish(target, setup)?),
            DatabaseKind::Sqlite => Link::Sqlite(establish(target, setup)?),
        };
        Ok(link.into())
    }

    pub fn ping(&mut self) -> QueryResult<()> {
        self.batch_execute(match self.kind() {
            DatabaseKind::Postgres => "SELECT 1",
            DatabaseKind::Sqlite => "SELECT 1 FROM sqlite_schema",
        })
    }

    /// Sets the tenant of the transaction for row-level security of `PostgreSQL`. `SQLite` has none.
    pub fn set_tenant(&mut self, tenant: TenantScope) -> QueryResult<()> {
        match self.kind() {
            DatabaseKind::Postgres => rls::set_tenant(self, tenant),
            DatabaseKind::Sqlite => Ok(()),
        }
    }

    /// Begins a write transaction. `SQLite` locks for writing at once, so that the first write cannot fail on the lock.
    pub fn begin(&mut self) -> QueryResult<()> {
        let begin = match self.kind() {
            DatabaseKind::Postgres => "BEGIN",
            DatabaseKind::Sqlite => "BEGIN IMMEDIATE",
        };
        AnsiTransactionManager::begin_transaction_sql(self, begin)
    }

    /// Sets a savepoint.
    pub fn begin_savepoint(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::begin_transaction(self)
    }

    /// Commits the transaction, or releases the newest savepoint.
    pub fn commit(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::commit_transaction(self)
    }

    /// Rolls back the transaction, or to the newest savepoint.
    pub fn rollback(&mut self) -> QueryResult<()> {
        AnsiTransactionManager::rollback_transaction(self)
    }

    /// Whether Diesel's transaction manager is broken, or a transaction is open.
    pub fn has_open_transaction(&mut self) -> bool {
        AnsiTransactionManager::is_broken_transaction_manager(self)
    }
}

fn establish<C: Connection>(target: &str, setup: &str) -> ConnectionResult<C> {
    let mut connection = C::establish(target)?;
    if !setup.is_empty() {
        connection
            .batch_execute(setup)
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
    }
    Ok(connection)
}
