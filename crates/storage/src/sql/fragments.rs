//! SQL that differs between the databases, and what Diesel lets each backend write.

use super::{DatabaseKind, Db, Lists};
use diesel::expression::array_comparison::{In, InExpression, Many, NotIn};
use diesel::query_builder::{
    AstPass, BoxedLimitOffsetClause, IntoBoxedClause, LimitOffsetClause, Query, QueryFragment,
    QueryId,
};
use diesel::serialize::ToSql;
use diesel::sql_types::{Array, HasSqlType, SingleValue};
use diesel::{QueryResult, RunQueryDsl};

impl<T, U> QueryFragment<DatabaseKind, Lists> for In<T, U>
where
    T: QueryFragment<DatabaseKind>,
    U: QueryFragment<DatabaseKind> + InExpression,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DatabaseKind>) -> QueryResult<()> {
        compare_with_list(&self.left, &self.values, ["1=0", " = ANY(", " IN ("], out)
    }
}

impl<T, U> QueryFragment<DatabaseKind, Lists> for NotIn<T, U>
where
    T: QueryFragment<DatabaseKind>,
    U: QueryFragment<DatabaseKind> + InExpression,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DatabaseKind>) -> QueryResult<()> {
        compare_with_list(
            &self.left,
            &self.values,
            ["1=1", " != ALL(", " NOT IN ("],
            out,
        )
    }
}

/// A comparison with a list: the text for an empty list, for an array, and for a list of parameters.
fn compare_with_list<'b, U: QueryFragment<DatabaseKind> + InExpression>(
    left: &'b impl QueryFragment<DatabaseKind>,
    values: &'b U,
    [empty, array, row]: [&str; 3],
    mut out: AstPass<'_, 'b, DatabaseKind>,
) -> QueryResult<()> {
    if values.is_empty() {
        out.push_sql(empty);
        return Ok(());
    }
    left.walk_ast(out.reborrow())?;
    out.push_sql(match out.backend() {
        DatabaseKind::Postgres => array,
        DatabaseKind::Sqlite => row,
    });
    values.walk_ast(out.reborrow())?;
    out.push_sql(")");
    Ok(())
}

impl<ST, I> QueryFragment<DatabaseKind, Lists> for Many<ST, I>
where
    ST: SingleValue,
    I: ToSql<ST, DatabaseKind>,
    [I]: ToSql<Array<ST>, DatabaseKind>,
    DatabaseKind: HasSqlType<ST>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DatabaseKind>) -> QueryResult<()> {
        if *out.backend() == DatabaseKind::Postgres {
            return out.push_bind_param::<Array<ST>, [I]>(self.values.as_slice());
        }
        out.unsafe_to_cache_prepared();
        for (index, value) in self.values.iter().enumerate() {
            if index > 0 {
                out.push_sql(", ");
            }
            out.push_bind_param::<ST, I>(value)?;
        }
        Ok(())
    }
}

impl<L, O> QueryFragment<DatabaseKind> for LimitOffsetClause<L, O>
where
    L: QueryFragment<DatabaseKind>,
    O: QueryFragment<DatabaseKind>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DatabaseKind>) -> QueryResult<()> {
        self.limit_clause.walk_ast(out.reborrow())?;
        self.offset_clause.walk_ast(out)
    }
}

impl QueryFragment<DatabaseKind> for BoxedLimitOffsetClause<'_, DatabaseKind> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DatabaseKind>) -> QueryResult<()> {
        for clause in [&self.limit, &self.offset].into_iter().flatten() {
            clause.walk_ast(out.reborrow())?;
        }
        Ok(())
    }
}

impl<'a, L, O> IntoBoxedClause<'a, DatabaseKind> for LimitOffsetClause<L, O>
where
    L: QueryFragment<DatabaseKind> + Send + 'a,
    O: QueryFragment<DatabaseKind> + Send + 'a,
{
    type BoxedClause = BoxedLimitOffsetClause<'a, DatabaseKind>;

    fn into_boxed(self) -> Self::BoxedClause {
        BoxedLimitOffsetClause {
            limit: Some(Box::new(self.limit_clause)),
            offset: Some(Box::new(self.offset_clause)),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Locked<Q, const PASSES_OVER: bool>(Q);

/// Locks the rows until the transaction ends. Weaker than `FOR UPDATE`: a transaction that adds a row with a reference
/// to a locked one does not wait, and cannot deadlock with it. `SQLite` has one writer, from `BEGIN IMMEDIATE` on.
pub const fn locked<Q>(query: Q) -> Locked<Q, false> {
    Locked(query)
}

/// Skips rows that others have locked.
pub const fn skip_locked<Q>(query: Q) -> Locked<Q, true> {
    Locked(query)
}

impl<Q: Query, const PASSES_OVER: bool> Query for Locked<Q, PASSES_OVER> {
    type SqlType = Q::SqlType;
}

impl<Q: QueryId, const PASSES_OVER: bool> QueryId for Locked<Q, PASSES_OVER> {
    type QueryId = Locked<Q::QueryId, PASSES_OVER>;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}

impl<Q, const PASSES_OVER: bool> RunQueryDsl<Db> for Locked<Q, PASSES_OVER> {}

impl<Q: QueryFragment<DatabaseKind>, const PASSES_OVER: bool> QueryFragment<DatabaseKind>
    for Locked<Q, PASSES_OVER>
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DatabaseKind>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        if *out.backend() == DatabaseKind::Postgres {
            out.push_sql(if PASSES_OVER {
                " FOR NO KEY UPDATE SKIP LOCKED"
            } else {
                " FOR NO KEY UPDATE"
            });
        }
        Ok(())
    }
}
