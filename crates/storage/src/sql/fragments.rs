//! What the two databases say differently, and what Diesel asks each backend to write itself.

use super::{Db, Dialect, Lists};
use diesel::{
    QueryResult, RunQueryDsl,
    expression::array_comparison::{In, InExpression, Many, NotIn},
    query_builder::{
        AstPass, BoxedLimitOffsetClause, IntoBoxedClause, LimitOffsetClause, Query, QueryFragment,
        QueryId,
    },
    serialize::ToSql,
    sql_types::{Array, HasSqlType, SingleValue},
};

impl<T, U> QueryFragment<Dialect, Lists> for In<T, U>
where
    T: QueryFragment<Dialect>,
    U: QueryFragment<Dialect> + InExpression,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Dialect>) -> QueryResult<()> {
        among(&self.left, &self.values, ["1=0", " = ANY(", " IN ("], out)
    }
}

impl<T, U> QueryFragment<Dialect, Lists> for NotIn<T, U>
where
    T: QueryFragment<Dialect>,
    U: QueryFragment<Dialect> + InExpression,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Dialect>) -> QueryResult<()> {
        among(
            &self.left,
            &self.values,
            ["1=1", " != ALL(", " NOT IN ("],
            out,
        )
    }
}

/// A comparison with a list: what stands for an empty one, for an array, and for values in a row.
fn among<'b, U: QueryFragment<Dialect> + InExpression>(
    left: &'b impl QueryFragment<Dialect>,
    values: &'b U,
    [empty, array, row]: [&str; 3],
    mut out: AstPass<'_, 'b, Dialect>,
) -> QueryResult<()> {
    if values.is_empty() {
        out.push_sql(empty);
        return Ok(());
    }
    left.walk_ast(out.reborrow())?;
    out.push_sql(match out.backend() {
        Dialect::Postgres => array,
        Dialect::Sqlite => row,
    });
    values.walk_ast(out.reborrow())?;
    out.push_sql(")");
    Ok(())
}

impl<ST, I> QueryFragment<Dialect, Lists> for Many<ST, I>
where
    ST: SingleValue,
    I: ToSql<ST, Dialect>,
    [I]: ToSql<Array<ST>, Dialect>,
    Dialect: HasSqlType<ST>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Dialect>) -> QueryResult<()> {
        if *out.backend() == Dialect::Postgres {
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

impl<L, O> QueryFragment<Dialect> for LimitOffsetClause<L, O>
where
    L: QueryFragment<Dialect>,
    O: QueryFragment<Dialect>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Dialect>) -> QueryResult<()> {
        self.limit_clause.walk_ast(out.reborrow())?;
        self.offset_clause.walk_ast(out)
    }
}

impl QueryFragment<Dialect> for BoxedLimitOffsetClause<'_, Dialect> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Dialect>) -> QueryResult<()> {
        for clause in [&self.limit, &self.offset].into_iter().flatten() {
            clause.walk_ast(out.reborrow())?;
        }
        Ok(())
    }
}

impl<'a, L, O> IntoBoxedClause<'a, Dialect> for LimitOffsetClause<L, O>
where
    L: QueryFragment<Dialect> + Send + 'a,
    O: QueryFragment<Dialect> + Send + 'a,
{
    type BoxedClause = BoxedLimitOffsetClause<'a, Dialect>;

    fn into_boxed(self) -> Self::BoxedClause {
        BoxedLimitOffsetClause {
            limit: Some(Box::new(self.limit_clause)),
            offset: Some(Box::new(self.offset_clause)),
        }
    }
}

/// A query whose rows are kept from other writers.
#[derive(Debug, Clone, Copy)]
pub struct Locked<Q, const PASSES_OVER: bool>(Q);

/// Locks the rows until the transaction ends. Weaker than `FOR UPDATE`: whoever adds a row that refers to a locked
/// one does not wait, and cannot deadlock with it. `SQLite` has one writer, from `BEGIN IMMEDIATE` on.
pub const fn locked<Q>(query: Q) -> Locked<Q, false> {
    Locked(query)
}

/// The same, passing over rows that others have locked.
pub const fn locked_passing_over<Q>(query: Q) -> Locked<Q, true> {
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

impl<Q: QueryFragment<Dialect>, const PASSES_OVER: bool> QueryFragment<Dialect>
    for Locked<Q, PASSES_OVER>
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Dialect>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        if *out.backend() == Dialect::Postgres {
            out.push_sql(if PASSES_OVER {
                " FOR NO KEY UPDATE SKIP LOCKED"
            } else {
                " FOR NO KEY UPDATE"
            });
        }
        Ok(())
    }
}
