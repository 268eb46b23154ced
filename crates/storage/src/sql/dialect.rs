use super::DatabaseKind;
use diesel::QueryResult;
use diesel::expression::{
    AppearsOnTable, AsExpression, Expression, SelectableExpression, ValidGrouping, is_aggregate,
};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Integer, Text};

/// Maximum of values in one statement on both databases (`SQLITE_MAX_VARIABLE_NUMBER` of the bundled library; 65,535 on
/// `PostgreSQL`).
pub const MAX_BINDS: usize = 32_766;

impl DatabaseKind {
    /// Counts the tables of applied migrations: 0 in an empty database.
    pub const fn count_version_tables(self) -> &'static str {
        match self {
            Self::Postgres => {
                "SELECT COUNT(*) AS number FROM pg_catalog.pg_tables \
                 WHERE tablename = '__diesel_schema_migrations' AND schemaname = ANY (current_schemas(false))"
            }
            Self::Sqlite => {
                "SELECT COUNT(*) AS number FROM sqlite_schema WHERE name = '__diesel_schema_migrations'"
            }
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
        }
    }

    /// Version of the database program.
    pub const fn product_version(self) -> &'static str {
        match self {
            Self::Postgres => "SELECT current_setting('server_version') AS version",
            Self::Sqlite => "SELECT sqlite_version() AS version",
        }
    }

    /// Unix time in milliseconds.
    pub const fn clock(self) -> &'static str {
        match self {
            Self::Postgres => {
                "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS number"
            }
            Self::Sqlite => "SELECT CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER) AS number",
        }
    }

    /// The time of evaluation, not of the statement's start.
    pub const fn now(self) -> &'static str {
        match self {
            Self::Postgres => "clock_timestamp()",
            Self::Sqlite => "CAST(unixepoch('now', 'subsec') * 1000000 AS INTEGER)",
        }
    }

    /// A microsecond, to calculate with.
    pub const fn microsecond(self) -> &'static str {
        match self {
            Self::Postgres => "INTERVAL '1 microsecond'",
            Self::Sqlite => "1",
        }
    }
}

#[derive(Debug, Clone, QueryId)]
pub struct PositionOf<T, P> {
    text: T,
    part: P,
}

/// From 1; 0 when `part` is not in `text`.
pub fn position_of<T, P>(text: T, part: P) -> PositionOf<T, P::Expression>
where
    T: Expression<SqlType = Text>,
    P: AsExpression<Text>,
{
    let part = part.as_expression();
    PositionOf { text, part }
}

impl<T, P> Expression for PositionOf<T, P> {
    type SqlType = Integer;
}

impl<T, P> ValidGrouping<()> for PositionOf<T, P> {
    type IsAggregate = is_aggregate::No;
}

impl<QS, T: AppearsOnTable<QS>, P: AppearsOnTable<QS>> AppearsOnTable<QS> for PositionOf<T, P> {}

impl<QS, T: SelectableExpression<QS>, P: SelectableExpression<QS>> SelectableExpression<QS>
    for PositionOf<T, P>
{
}

impl<T: QueryFragment<DatabaseKind>, P: QueryFragment<DatabaseKind>> QueryFragment<DatabaseKind>
    for PositionOf<T, P>
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DatabaseKind>) -> QueryResult<()> {
        out.push_sql(match out.backend() {
            DatabaseKind::Postgres => "strpos(",
            DatabaseKind::Sqlite => "instr(",
        });
        self.text.walk_ast(out.reborrow())?;
        out.push_sql(", ");
        self.part.walk_ast(out.reborrow())?;
        out.push_sql(")");
        Ok(())
    }
}
