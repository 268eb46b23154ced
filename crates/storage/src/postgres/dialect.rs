//! What only `PostgreSQL` says this way.

use diesel::{declare_sql_function, sql_types::Text};

/// How many values one statement may carry.
pub const MOST_BINDS: usize = 65_535;

/// Counts the tables that remember which migrations were applied: none in an empty database.
pub const COUNT_VERSION_TABLES: &str = "SELECT COUNT(*) AS number FROM pg_catalog.pg_tables \
     WHERE tablename = '__diesel_schema_migrations' AND schemaname = ANY (current_schemas(false))";

/// What time it is, in milliseconds of Unix time.
pub const CLOCK: &str =
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS number";

/// The moment at which a statement gets to it, and a microsecond to reckon with.
pub const NOW: &str = "clock_timestamp()";
pub const MICROSECOND: &str = "INTERVAL '1 microsecond'";

#[declare_sql_function]
extern "SQL" {
    /// Where `part` begins in `text`, from 1; 0 when it does not stand there.
    #[sql_name = "strpos"]
    fn position_of(text: Text, part: Text) -> diesel::sql_types::Integer;
}
