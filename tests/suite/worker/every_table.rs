//! Databases with rows in every table, and dumps that are comparable between both kinds.

use super::world::World;
use chrono::{NaiveDate, TimeDelta};
use diesel::{
    Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::InstrumentationEvent, sql_query, sql_types::Text,
};
use harness::databases::{Template, TestDatabase};
use std::{collections::BTreeMap, fmt::Write};
use storage::{DatabaseKind, Exclusive, OpenOptions};
use tokio::sync::OnceCell;

/// Rows per table.
#[derive(Clone, Copy)]
pub enum Rows {
    /// 8.
    Few,
    /// 150, more than one batch.
    Many,
}

/// An empty database without a schema.
pub async fn elsewhere(kind: DatabaseKind) -> TestDatabase {
    let target = match kind {
        DatabaseKind::Postgres => TestDatabase::without_schema(kind).await,
        DatabaseKind::Sqlite => {
            let tool = OpenOptions {
                exclusive: Exclusive::Tool,
                ..OpenOptions::default()
            };
            TestDatabase::from_template(&Template::Sqlite(vec![]), tool).await
        }
    };
    target.end_connections();
    target
}

/// Name, PostgreSQL type, and whether it is nullable.
type Column = (String, String, bool);
type Tables = BTreeMap<String, Vec<Column>>;

/// All tables of a new PostgreSQL database: its types are finer than SQLite's.
static TABLES: OnceCell<Tables> = OnceCell::const_new();

/// Tables about the schema.
const ASIDE: [&str; 2] = ["__diesel_schema_migrations", "schema_breaks"];

async fn tables() -> &'static Tables {
    let read = async || {
        let empty = TestDatabase::empty(DatabaseKind::Postgres).await;
        let found = lines(
            &empty,
            "SELECT table_name || '|' || column_name || '|' || data_type || '|' || is_nullable AS line \
             FROM information_schema.columns WHERE table_schema = 'public' \
             AND NOT (SELECT relispartition FROM pg_class WHERE oid = to_regclass(table_name))",
        );
        let mut tables = Tables::new();
        for line in found {
            let parts: Vec<&str> = line.split('|').collect();
            if !ASIDE.contains(&parts[0]) {
                let column = (parts[1].to_owned(), parts[2].to_owned(), parts[3] == "YES");
                tables.entry(parts[0].to_owned()).or_default().push(column);
            }
        }
        assert!(tables.len() > 45, "{}", tables.len());
        tables
    };
    TABLES.get_or_init(read).await
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

fn lines(database: &TestDatabase, query: &str) -> Vec<String> {
    let ignore_events = |_: InstrumentationEvent<'_>| ();
    let found: Vec<Line> = if let Some(url) = database.superuser_url() {
        let mut connection = PgConnection::establish(&url).unwrap();
        connection.set_instrumentation(ignore_events);
        sql_query(query).load(&mut connection).unwrap()
    } else {
        let path = database.url.trim_start_matches("sqlite://");
        let mut connection = SqliteConnection::establish(path).unwrap();
        connection.set_instrumentation(ignore_events);
        sql_query(query).load(&mut connection).unwrap()
    };
    found.into_iter().map(|it| it.line).collect()
}

/// Fills every table. All numbers of row `n` are `n`, so that every reference resolves; two rows have the minimum and
/// maximum numbers, and one record is larger than a batch.
pub async fn fill(world: &World, rows: Rows) {
    let database = &world.database;
    let last = match rows {
        Rows::Few => 6,
        Rows::Many => 148,
    };
    let kind = database.kind();
    let mut statements = match kind {
        DatabaseKind::Postgres => "SET session_replication_role = replica;".to_owned(),
        DatabaseKind::Sqlite => "PRAGMA foreign_keys = OFF;".to_owned(),
    };
    for (table, columns) in tables().await {
        let names: Vec<String> = columns.iter().map(|it| format!("\"{}\"", it.0)).collect();
        let all = (1..=last).chain([i64::MIN, i64::MAX]);
        let all: Vec<String> = all
            .map(|number| {
                let values = columns.iter().enumerate();
                let values = values.map(|(at, it)| value(kind, number, at, it));
                format!("({})", values.collect::<Vec<_>>().join(","))
            })
            .collect();
        let (names, all) = (names.join(","), all.join(","));
        write!(
            statements,
            "INSERT INTO \"{table}\" ({names}) VALUES {all};"
        )
        .unwrap();
    }
    database.run_sql(&statements);
}

fn value(
    kind: DatabaseKind,
    number: i64,
    at: usize,
    (name, sql_type, may_be_missing): &Column,
) -> String {
    let is_postgres = kind == DatabaseKind::Postgres;
    let small = number.rem_euclid(1_000);
    if *may_be_missing && (small + i64::try_from(at).unwrap()) % 3 == 0 {
        return "NULL".to_owned();
    }
    match sql_type.as_str() {
        "bigint" if is_postgres => format!("'{number}'::BIGINT"),
        "bigint" => number.to_string(),
        "integer" => (small - 500).to_string(),
        "boolean" if is_postgres => (small % 2 == 0).to_string(),
        "boolean" => (small % 2).to_string(),
        "date" => {
            let first = NaiveDate::from_ymd_opt(2025, 1, 1).unwrap();
            format!("'{}'", first + TimeDelta::days(small))
        }
        "timestamp with time zone" if is_postgres => format!(
            "TIMESTAMPTZ '2026-11-20 00:00:00.000001+00' + {small} * INTERVAL '1.000001 second'"
        ),
        "timestamp with time zone" => {
            (1_763_596_800_000_001 + 31_536_000_000_000 + small * 1_000_001).to_string()
        }
        "double precision" if small == 2 => "0.0".to_owned(),
        "double precision" => format!("{small}.125"),
        "bytea" if is_postgres => format!("decode('00ff{small:04}27', 'hex')"),
        "bytea" => format!("X'00ff{small:04}27'"),
        "text" if name == "record" && small == 3 && is_postgres => {
            "repeat('xy', 4500000)".to_owned()
        }
        "text" if name == "record" && small == 3 => {
            "replace(hex(zeroblob(4500000)), '00', 'xy')".to_owned()
        }
        // Unique by the number, and in another order than collation gives.
        "text" => format!(
            "'{}{small} é''\\\"\t\n🙂'",
            if small % 2 == 0 { "a" } else { "Z" }
        ),
        other => panic!("{name} is {other}"),
    }
}

/// The rows of each table, in order.
#[derive(PartialEq, Eq)]
pub struct Dump(pub BTreeMap<String, Vec<String>>);

impl Dump {
    pub fn rows(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// Reports a single row of one table at most.
    pub fn assert_is(&self, other: &Self) {
        for (table, rows) in &self.0 {
            let others = &other.0[table];
            assert_eq!(rows.len(), others.len(), "{table}");
            for (row, other) in rows.iter().zip(others) {
                let start = |it: &String| it.chars().take(2_000).collect::<String>();
                assert!(row == other, "{table}: {} {}", start(row), start(other));
            }
        }
    }
}

pub async fn dump(database: &TestDatabase) -> Dump {
    let kind = database.kind();
    let mut all = BTreeMap::new();
    for (table, columns) in tables().await {
        let texts: Vec<String> = columns.iter().map(|it| text(kind, it)).collect();
        let query = format!(
            "SELECT {} AS line FROM \"{table}\"",
            texts.join(" || '|' || ")
        );
        let mut rows = lines(database, &query);
        rows.sort_unstable();
        all.insert(table.clone(), rows);
    }
    Dump(all)
}

fn text(kind: DatabaseKind, (name, sql_type, _): &Column) -> String {
    let is_postgres = kind == DatabaseKind::Postgres;
    let text = match sql_type.as_str() {
        "text" => format!("\"{name}\""),
        "bytea" if is_postgres => format!("upper(encode(\"{name}\", 'hex'))"),
        // `hex` turns NULL into an empty string.
        "bytea" => format!("CASE WHEN \"{name}\" IS NOT NULL THEN hex(\"{name}\") END"),
        "boolean" if is_postgres => format!("\"{name}\"::INT::TEXT"),
        "date" if is_postgres => format!("to_char(\"{name}\", 'YYYY-MM-DD')"),
        "timestamp with time zone" if is_postgres => {
            format!("(extract(epoch FROM \"{name}\") * 1000000)::BIGINT::TEXT")
        }
        // The databases format floating point differently.
        "double precision" => format!("CAST(CAST(\"{name}\" * 1000 AS BIGINT) AS TEXT)"),
        _ => format!("CAST(\"{name}\" AS TEXT)"),
    };
    format!("COALESCE({text}, 'NULL')")
}
