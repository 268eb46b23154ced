//! Statements that each connection prepares once. Diesel prepares every `UPDATE`, upsert and literal SQL for each
//! execution, since it cannot prove that the text takes few forms. That is most of the cost of the job queue's
//! statements, which differ only in values.

use crate::sql::{DatabaseKind, Db};
use diesel::backend::Backend;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::{QueryResult, RunQueryDsl};

pub struct CachedStatement<Q>(Q);

/// Marks a statement as safe to cache: its text takes few forms (no lists of variable length, nothing built at run
/// time).
pub const fn cached<Q>(query: Q) -> CachedStatement<Q> {
    CachedStatement(query)
}

/// Runs a [`cached`] statement that returns no rows.
pub fn execute_cached(db: &mut Db, statement: impl QueryFragment<DatabaseKind>) -> QueryResult<()> {
    cached(statement).execute(db).map(drop)
}

impl<Q> QueryId for CachedStatement<Q> {
    type QueryId = ();
    // The cache finds it by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: Query> Query for CachedStatement<Q> {
    type SqlType = Q::SqlType;
}

impl<Q, Connection> RunQueryDsl<Connection> for CachedStatement<Q> {}

impl<Q: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for CachedStatement<Q> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}
