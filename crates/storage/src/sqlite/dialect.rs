//! What only `SQLite` says this way.

use diesel::{declare_sql_function, sql_types::Text};

/// How many values one statement may carry (`SQLITE_MAX_VARIABLE_NUMBER` of the bundled library).
pub const MOST_BINDS: usize = 32_766;

/// Counts the tables that remember which migrations were applied: none in an empty database.
pub const COUNT_VERSION_TABLES: &str =
    "SELECT COUNT(*) AS number FROM sqlite_schema WHERE name = '__diesel_schema_migrations'";

/// What time it is, in milliseconds of Unix time.
pub const CLOCK: &str = "SELECT CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER) AS number";

/// The moment at which a statement gets to it, and a microsecond to reckon with.
pub const NOW: &str = "CAST(unixepoch('now', 'subsec') * 1000000 AS INTEGER)";
pub const MICROSECOND: &str = "1";

#[declare_sql_function]
extern "SQL" {
    /// Where `part` begins in `text`, from 1; 0 when it does not stand there.
    #[sql_name = "instr"]
    fn position_of(text: Text, part: Text) -> diesel::sql_types::Integer;
}

/// Unique indexes, which `SQLite` names by their columns, with the names `PostgreSQL` says.
const NAMED: [(&str, &str); 4] = [
    (
        "projects.account_id, projects.domain",
        "projects_active_domain",
    ),
    ("jobs.account_id, jobs.dedupe_key", "jobs_unfinished_key"),
    (
        "console_spans.account_id, console_spans.project_id, console_spans.cut, \
         console_spans.first_day, console_spans.last_day",
        "console_spans_once",
    ),
    (
        "keywords.account_id, keywords.project_id, keywords.normalized, keywords.country, \
         keywords.language, keywords.device, keywords.location",
        "keywords_text_in_market",
    ),
];

/// The name of the constraint that a message is about.
pub fn constraint_of(message: &str) -> String {
    let columns = message.rsplit(": ").next().unwrap_or(message);
    let named = NAMED.iter().find(|(known, _)| *known == columns);
    named.map_or_else(
        || format!("{}_pkey", columns.split('.').next().unwrap_or(columns)),
        |(_, name)| (*name).to_owned(),
    )
}
