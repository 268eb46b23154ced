//! One Diesel backend for both databases, so that each query is compiled once; sending it chooses the database.
//! Statements for one database only are in `postgres/`, `sqlite/` and `backup/`.

mod connection;
pub mod dialect;
mod fragments;
mod rows;
mod values;

pub use crate::database_url::DatabaseKind;
pub use connection::{Db, Link};
pub use fragments::{locked, skip_locked};

use diesel::QueryResult;
use diesel::backend::{
    Backend, DieselReserveSpecialization, SqlDialect, TrustedBackend, sql_dialect as of,
};
use diesel::query_builder::QueryBuilder;
pub use values::{Bind, Kind};
use values::{Binds, Value};

pub struct OnConflict;

/// A list of values: one array on `PostgreSQL`, one parameter for each on `SQLite`.
pub struct Lists;

impl Backend for DatabaseKind {
    type QueryBuilder = Text;
    type RawValue<'a> = Value<'a>;
    type BindCollector<'a> = Binds;
}

impl SqlDialect for DatabaseKind {
    type ReturningClause = of::returning_clause::PgLikeReturningClause;
    type OnConflictClause = OnConflict;
    // `SQLite` has no DEFAULT for a value, and no row of this crate needs it.
    type InsertWithDefaultKeyword = of::default_keyword_for_insert::IsoSqlDefaultKeyword;
    type BatchInsertSupport = of::batch_insert_support::PostgresLikeBatchInsertSupport;
    type ConcatClause = of::concat_clause::ConcatWithPipesClause;
    type DefaultValueClauseForInsert = of::default_value_clause::AnsiDefaultValueClause;
    type EmptyFromClauseSyntax = of::from_clause_syntax::AnsiSqlFromClauseSyntax;
    type SelectStatementSyntax = of::select_statement_syntax::AnsiSqlSelectStatement;
    type ExistsSyntax = of::exists_syntax::AnsiSqlExistsSyntax;
    type ArrayComparison = Lists;
    type AliasSyntax = of::alias_syntax::AsAliasSyntax;
    type WindowFrameClauseGroupSupport =
        of::window_frame_clause_group_support::NoGroupWindowFrameUnit;
    type WindowFrameExclusionSupport =
        of::window_frame_exclusion_support::NoFrameFrameExclusionSupport;
    type AggregateFunctionExpressions =
        of::aggregate_function_expressions::PostgresLikeAggregateFunctionExpressions;
    type BuiltInWindowFunctionRequireOrder =
        of::built_in_window_function_require_order::NoOrderRequired;
}

impl DieselReserveSpecialization for DatabaseKind {}
impl TrustedBackend for DatabaseKind {}
impl of::on_conflict_clause::SupportsOnConflictClause for OnConflict {}
impl of::on_conflict_clause::SupportsOnConflictClauseWhere for OnConflict {}
impl of::on_conflict_clause::PgLikeOnConflictClause for OnConflict {}

pub struct Text {
    written: String,
    kind: DatabaseKind,
    parameters: u32,
}

impl Text {
    fn new(kind: DatabaseKind) -> Self {
        Self {
            written: String::new(),
            kind,
            parameters: 0,
        }
    }
}

// The text of most queries is written once for each connection, but their values are collected every time, by the same
// walk over the query. Cold calls keep that walk small enough to be inlined.
impl QueryBuilder<DatabaseKind> for Text {
    #[cold]
    fn push_sql(&mut self, sql: &str) {
        self.written.push_str(sql);
    }

    /// Names come from this crate: none contains a quotation mark.
    #[cold]
    fn push_identifier(&mut self, identifier: &str) -> QueryResult<()> {
        self.written.push('"');
        self.written.push_str(identifier);
        self.written.push('"');
        Ok(())
    }

    /// `SQLite` looks up numbered parameters by name, one after the other; it counts these itself.
    #[cold]
    fn push_bind_param(&mut self) {
        self.parameters += 1;
        match self.kind {
            DatabaseKind::Postgres => {
                self.written.push('$');
                self.written.push_str(&self.parameters.to_string());
            }
            DatabaseKind::Sqlite => self.written.push('?'),
        }
    }

    fn push_bind_param_value_only(&mut self) {
        self.parameters += 1;
    }

    fn finish(self) -> String {
        self.written
    }
}
