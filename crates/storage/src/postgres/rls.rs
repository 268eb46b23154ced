//! Row-level security, which a `PostgreSQL` database may have besides the conditions of every query. While enabled, the
//! database shows and accepts only rows of the transaction's account, whatever a query forgets. It binds the tables'
//! owner too, but no superuser or role with `BYPASSRLS`: these cannot enable it.

use super::partitions;
use crate::{errors::unavailable, executor::session::TenantScope, schema::TENANT_TABLES, sql::Db};
use diesel::connection::SimpleConnection;
use diesel::sql_types::{Bool, Text};
use diesel::{Connection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use domain::ports::storage::StorageError;
use thiserror::Error;

/// Its value is an account's id, or [`ALL_ACCOUNTS`].
const SETTING: &str = "sightline.account_id";
const ALL_ACCOUNTS: &str = "everyone";

#[derive(Debug, Error)]
pub enum RlsError {
    #[error("row-level security needs PostgreSQL; an SQLite database relies on the queries alone")]
    NotPostgres,
    #[error(
        "the database's role is a superuser or has BYPASSRLS, so that row-level security would not bind it: let the server use an ordinary role"
    )]
    RoleBypasses,
    #[error("the database has no schema yet: run `sightline migrate` first")]
    NoSchema,
    #[error(transparent)]
    Storage(#[from] StorageError),
}

pub fn is_enabled(db: &mut Db) -> QueryResult<bool> {
    is(
        db,
        "EXISTS (SELECT 1 FROM pg_class WHERE oid = to_regclass('projects') AND relforcerowsecurity)",
    )
}

/// Enables it on every table, also on those added since.
pub fn enable(db: &mut Db) -> Result<(), RlsError> {
    let bypasses = "EXISTS (SELECT 1 FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls))";
    if is(db, bypasses).map_err(unavailable)? {
        return Err(RlsError::RoleBypasses);
    }
    if !is(db, "to_regclass('projects') IS NOT NULL").map_err(unavailable)? {
        return Err(RlsError::NoSchema);
    }
    Ok(enable_on_all_tables(db).map_err(unavailable)?)
}

/// Where it is enabled, enables it on tables added since.
pub fn repair(db: &mut Db) -> QueryResult<()> {
    if is_enabled(db)? {
        enable_on_all_tables(db)?;
    }
    Ok(())
}

fn enable_on_all_tables(db: &mut Db) -> QueryResult<()> {
    run_on_all_tables(db, policy)
}

pub fn enable_on_table(db: &mut Db, table: &str) -> QueryResult<()> {
    db.batch_execute(&policy(table))
}

fn policy(table: &str) -> String {
    format!(
        "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
         DROP POLICY IF EXISTS own_rows ON {table};
         CREATE POLICY own_rows ON {table}
             USING (current_setting('{SETTING}', true) IN (account_id::text, '{ALL_ACCOUNTS}'));"
    )
}

pub fn disable(db: &mut Db) -> Result<(), RlsError> {
    let lowered = run_on_all_tables(db, |table| {
        format!(
            "DROP POLICY IF EXISTS own_rows ON {table};
             ALTER TABLE {table} DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;"
        )
    });
    Ok(lowered.map_err(unavailable)?)
}

/// Sets the tenant of this transaction.
pub fn set_tenant(db: &mut Db, tenant: TenantScope) -> QueryResult<()> {
    let value = match tenant {
        TenantScope::Account(account) => account.0.to_string(),
        TenantScope::System => ALL_ACCOUNTS.to_owned(),
    };
    sql_query(format!("SELECT set_config('{SETTING}', $1, true)"))
        .bind::<Text, _>(value)
        .execute(db)
        .map(drop)
}

/// Lets a connection that changes the schema see all rows until it closes.
pub fn allow_all_rows(db: &mut Db) -> QueryResult<()> {
    db.batch_execute(&format!("SET {SETTING} = '{ALL_ACCOUNTS}'"))
}

fn run_on_all_tables(db: &mut Db, statements: impl Fn(&str) -> String) -> QueryResult<()> {
    let parts = partitions::names(db)?;
    let tables = TENANT_TABLES.iter().copied();
    let tables = tables.chain(parts.iter().map(String::as_str));
    let all: String = tables.map(statements).collect();
    db.transaction(|db| db.batch_execute(&all))
}

fn is(db: &mut Db, condition: &str) -> QueryResult<bool> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Bool)]
        is_so: bool,
    }
    let found: Found = sql_query(format!("SELECT {condition} AS is_so")).get_result(db)?;
    Ok(found.is_so)
}
