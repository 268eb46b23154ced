use crate::sql::{DatabaseKind, Db};
use diesel::{QueryResult, QueryableByName, RunQueryDsl, sql_query, sql_types::BigInt};
use include_dir::{Dir, include_dir};
use serde::Serialize;
use std::collections::BTreeMap;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../migrations");

/// Rows a second for a step that touches every row of a table. Measured on a million rows of `findings` with records of
/// 800 bytes (two busy cores, a local disk, November 2026): an index of five columns took 3.0 s on `SQLite` and 2.4 s
/// on `PostgreSQL`, and changing every row 13.0 s and 27.8 s.
const ROWS_A_SECOND: u64 = 30_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedStep {
    /// Date, number and name: the name of its folder.
    pub name: String,
    pub actions: Vec<PlannedAction>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedAction {
    pub statement: String,
    /// The table of which all rows are read or written.
    pub table: Option<String>,
    /// How many rows that has: counted on `SQLite`, estimated on `PostgreSQL`; 0 where the table is not there yet.
    pub rows: u64,
}

impl PlannedAction {
    /// Estimate in whole seconds; 0 for what touches no rows. A slow disk takes several times as long.
    pub fn seconds(&self) -> u64 {
        self.rows.div_ceil(ROWS_A_SECOND)
    }
}

pub fn plan(db: &mut Db, pending: &[String]) -> QueryResult<Vec<PlannedStep>> {
    let mut rows = BTreeMap::new();
    let mut steps = Vec::new();
    for (name, text) in up_scripts(db.kind()) {
        if !pending.contains(&version(name)) {
            continue;
        }
        let mut actions = Vec::new();
        for statement in statements(text) {
            let table = full_scan_table(&statement);
            let number = match &table {
                None => 0,
                Some(table) => match rows.get(table) {
                    Some(known) => *known,
                    None => *rows.entry(table.clone()).or_insert(count(db, table)?),
                },
            };
            actions.push(PlannedAction {
                statement,
                table,
                rows: number,
            });
        }
        let name = name.to_owned();
        steps.push(PlannedStep { name, actions });
    }
    Ok(steps)
}

fn up_scripts(kind: DatabaseKind) -> Vec<(&'static str, &'static str)> {
    let folder = FILES.get_dir(kind.name());
    let mut texts: Vec<_> = { folder.into_iter().flat_map(Dir::dirs) }
        .filter_map(|step| {
            let name = step.path().file_name()?.to_str()?;
            let file = step.get_file(step.path().join("up.sql"))?;
            Some((name, file.contents_utf8()?))
        })
        .collect();
    texts.sort_unstable();
    texts
}

/// As Diesel derives it: the part before the name, without hyphens.
fn version(name: &str) -> String {
    let before = name.split('_').next().unwrap_or(name);
    before.replace('-', "")
}

/// Statements on one line each, without comments. No step has a semicolon inside of one.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|it| it.split("--").next().unwrap_or(it));
    let code = lines.collect::<Vec<_>>().join(" ");
    let statements = code.split(';').map(|it| {
        let words: Vec<&str> = it.split_whitespace().collect();
        words.join(" ")
    });
    statements.filter(|it| !it.is_empty()).collect()
}

fn full_scan_table(statement: &str) -> Option<String> {
    let words: Vec<&str> = statement.split(' ').collect();
    let after = |word: &str| {
        let at = words.iter().position(|it| it.eq_ignore_ascii_case(word))?;
        words.get(at + 1).copied()
    };
    let has = |word: &str| words.iter().any(|it| it.eq_ignore_ascii_case(word));
    let first = words.first()?.to_ascii_uppercase();
    let table = match first.as_str() {
        "CREATE" if has("INDEX") => after("ON"),
        // A new column without a value, or with a constant one, changes the catalog only.
        "ALTER" if has("ADD") => None,
        "ALTER" => after("TABLE"),
        "UPDATE" => after("UPDATE"),
        "INSERT" | "DELETE" => after("FROM"),
        _ => None,
    }?;
    let name = table.split('(').next().unwrap_or(table);
    Some(name.trim_matches('"').to_owned())
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

fn count(db: &mut Db, table: &str) -> QueryResult<u64> {
    let is_there = match db.kind() {
        DatabaseKind::Postgres => {
            "SELECT COALESCE(CAST(SUM(GREATEST(reltuples, 0)) AS BIGINT), 0) AS number FROM pg_class \
             WHERE oid IN (SELECT relid FROM pg_partition_tree(to_regclass('{table}'))) \
             OR oid = to_regclass('{table}')"
        }
        DatabaseKind::Sqlite => {
            "SELECT count(*) AS number FROM sqlite_schema WHERE name = '{table}'"
        }
    };
    let found: Number = sql_query(is_there.replace("{table}", table)).get_result(db)?;
    if db.kind() == DatabaseKind::Postgres || found.number == 0 {
        return Ok(found.number.unsigned_abs());
    }
    let found: Number =
        sql_query(format!("SELECT count(*) AS number FROM \"{table}\"")).get_result(db)?;
    Ok(found.number.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{migrations, queries::versions::AppliedMigrations};

    #[test]
    fn every_step_has_a_text_and_a_version() {
        for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
            let found: Vec<String> = up_scripts(kind).iter().map(|it| version(it.0)).collect();
            let known = migrations::pending(kind, &AppliedMigrations::default()).unwrap();
            assert_eq!(found, known, "{kind:?}");
            for (name, text) in up_scripts(kind) {
                assert!(!statements(text).is_empty(), "{name}");
            }
        }
    }

    #[test]
    fn full_table_scans_are_attributed_to_their_table() {
        for (statement, table) in [
            ("CREATE UNIQUE INDEX a ON jobs (account_id)", Some("jobs")),
            ("CREATE INDEX a ON jobs(account_id)", Some("jobs")),
            ("CREATE TABLE t (a BIGINT)", None),
            ("ALTER TABLE findings ADD COLUMN packed BLOB", None),
            ("ALTER TABLE findings DROP COLUMN packed", Some("findings")),
            ("UPDATE jobs SET a = 1", Some("jobs")),
            (
                "INSERT INTO a (b) SELECT c FROM jobs GROUP BY c",
                Some("jobs"),
            ),
            ("INSERT INTO schema_breaks (version) VALUES (1)", None),
            ("DELETE FROM jobs WHERE a = 1", Some("jobs")),
            ("DROP TABLE jobs", None),
        ] {
            assert_eq!(full_scan_table(statement).as_deref(), table, "{statement}");
        }
    }
}
