//! Statements that each connection prepares once. Diesel prepares anew, each time, whatever it cannot prove to have one
//! of few texts: every `UPDATE`, upsert and condition in literal SQL. That is most of the cost of the queue's
//! statements, whose texts stand in this crate and differ only in values.

use crate::sql::{DatabaseKind, Db};
use diesel::backend::Backend;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::{QueryResult, RunQueryDsl};

pub struct Steady<Q>(Q);

/// The text has to be one of few, to be worth keeping prepared: no list of changing length, nothing made at run time.
pub const fn steady<Q>(query: Q) -> Steady<Q> {
    Steady(query)
}

/// Runs a [`steady`] statement that answers with no rows.
pub fn say(db: &mut Db, statement: impl QueryFragment<DatabaseKind>) -> QueryResult<()> {
    steady(statement).execute(db).map(drop)
}

impl<Q> QueryId for Steady<Q> {
    type QueryId = ();
    // Found by its text.
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
