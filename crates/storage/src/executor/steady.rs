//! Statements that each connection prepares once. Diesel prepares every `UPDATE`, upsert and literal SQL anew each
//! time, since it cannot prove that the text takes few forms. That is most of the cost of the job queue's statements,
//! which differ only in values.

use crate::sql::{DatabaseKind, Db};
use diesel::backend::Backend;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::{QueryResult, RunQueryDsl};

pub struct Steady<Q>(Q);

/// Marks a statement whose text takes few forms (no lists of variable length, nothing built at run time) as safe to
/// cache.
pub const fn steady<Q>(query: Q) -> Steady<Q> {
    Steady(query)
}

/// Runs a [`steady`] statement that returns no rows.
pub fn say(db: &mut Db, statement: impl QueryFragment<DatabaseKind>) -> QueryResult<()> {
    steady(statement).execute(db).map(drop)
}

impl<Q> QueryId for Steady<Q> {
    type QueryId = ();
    // The cache finds it by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: Query> Query for Steady<Q> {
    type SqlType = Q::SqlType;
}

impl<Q, Connection> RunQueryDsl<Connection> for Steady<Q> {}

impl<Q: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for Steady<Q> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}
