//! `crates/storage/src/schema.rs` matches what the migrations make, on both databases.

use crate::portability::QUEUES;
use diesel::{
    Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query,
    sql_types::{BigInt, Bool, Text},
};
use harness::databases::TestDatabase;
use std::{collections::BTreeMap, fmt::Write, fs, path::Path};
use storage::DatabaseKind;

const KEPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/storage/src/schema.rs"
);

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    type_name: String,
    #[diesel(sql_type = Bool)]
    may_be_missing: bool,
    /// From 1; 0 outside of the primary key.
    #[diesel(sql_type = BigInt)]
    key_position: i64,
}

/// In the order of the table, without partitions.
const POSTGRES: &str = "SELECT c.relname::TEXT AS table_name, a.attname::TEXT AS name, \
     pg_catalog.format_type(a.atttypid, NULL) AS type_name, NOT a.attnotnull AS may_be_missing, \
     COALESCE((SELECT k.position FROM pg_catalog.pg_index i, \
         unnest(i.indkey) WITH ORDINALITY AS k (attnum, position) \
         WHERE i.indrelid = c.oid AND i.indisprimary AND k.attnum = a.attnum), 0) AS key_position \
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition \
     ORDER BY c.relname, a.attnum";

const SQLITE: &str = "SELECT m.name AS table_name, c.name AS name, c.type AS type_name, \
     NOT (c.\"notnull\" OR c.pk) AS may_be_missing, c.pk AS key_position \
     FROM sqlite_schema m JOIN pragma_table_info(m.name) c \
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.name, c.cid";

type Tables = BTreeMap<String, Vec<Column>>;

async fn tables(kind: DatabaseKind) -> Tables {
    let db = TestDatabase::empty(kind).await;
    let columns: Vec<Column> = match kind {
        DatabaseKind::Postgres => {
            let mut connection = PgConnection::establish(&db.url).unwrap();
            sql_query(POSTGRES).load(&mut connection).unwrap()
        }
        DatabaseKind::Sqlite => {
            let path = db.url.trim_start_matches("sqlite://");
            let mut connection = SqliteConnection::establish(path).unwrap();
            sql_query(SQLITE).load(&mut connection).unwrap()
        }
    };
    let mut tables = Tables::new();
    for it in columns {
        // Tables that no query reads through the schema.
        if !it.table_name.starts_with("__diesel") && it.table_name != "schema_breaks" {
            tables.entry(it.table_name.clone()).or_default().push(it);
        }
    }
    tables
}

/// Diesel's name for the type of a column of `PostgreSQL`; `portability.rs` lists the allowed types.
fn diesel_type(of: &Column) -> String {
    let name = match of.type_name.as_str() {
        "bigint" => "BigInt",
        "integer" => "Integer",
        "text" => "Text",
        "bytea" => "Binary",
        "boolean" => "Bool",
        "date" => "Date",
        "double precision" => "Double",
        "timestamp with time zone" => "Instant",
        other => panic!("{}.{} is of type {other}", of.table_name, of.name),
    };
    if of.may_be_missing {
        format!("Nullable<{name}>")
    } else {
        name.to_owned()
    }
}

/// The columns of the primary key, in its order.
fn key(columns: &[Column]) -> String {
    let mut key: Vec<&Column> = columns.iter().filter(|it| it.key_position > 0).collect();
    key.sort_by_key(|it| it.key_position);
    let names: Vec<&str> = key.iter().map(|it| it.name.as_str()).collect();
    names.join(", ")
}

fn section(name: &str, tables: &[(&String, &Vec<Column>)]) -> String {
    let tables: Vec<String> = tables
        .iter()
        .map(|(table, columns)| {
            let mut written = format!("        {table} ({}) {{\n", key(columns));
            for it in *columns {
                writeln!(written, "            {} -> {},", it.name, diesel_type(it)).unwrap();
            }
            written + "        }\n"
        })
        .collect();
    format!("    {name} {{\n{}    }}\n", tables.join("\n"))
}

/// The text between the braces of `tables!`.
fn written(tables: &Tables) -> String {
    let has_account = |columns: &[Column]| columns.iter().any(|it| it.name == "account_id");
    let (tenants, shared): (Vec<_>, Vec<_>) = tables
        .iter()
        .partition(|(table, columns)| has_account(columns) && !QUEUES.contains(&table.as_str()));
    section("tenants", &tenants) + "\n" + &section("shared", &shared)
}

/// The file before the braces of `tables!`, and the text between them.
fn kept() -> (String, String) {
    let kept = fs::read_to_string(KEPT).unwrap();
    let (before, tables) = kept.split_once("\ntables! {\n").unwrap();
    let tables = tables.strip_suffix("}\n").unwrap();
    (format!("{before}\ntables! {{\n"), tables.to_owned())
}

/// `table.column type` and `table (key)`, by table and column.
fn lines(written: &str) -> BTreeMap<String, String> {
    let (mut lines, mut table) = (BTreeMap::new(), "");
    for line in written.lines().map(str::trim) {
        if let Some((column, of_type)) = line.trim_end_matches(',').split_once(" -> ") {
            lines.insert(format!("{table}.{column}"), of_type.to_owned());
        } else if let Some((name, key)) = line.trim_end_matches(" {").split_once(" (") {
            table = name;
            lines.insert(table.to_owned(), format!("({key}"));
        }
    }
    lines
}

fn differing(kept: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> Vec<String> {
    let names = kept
        .keys()
        .chain(found.keys().filter(|it| !kept.contains_key(*it)));
    names
        .filter(|it| kept.get(*it) != found.get(*it))
        .map(|it| {
            format!(
                "{it}: {:?} in schema.rs, {:?} there",
                kept.get(it),
                found.get(it)
            )
        })
        .collect()
}

#[tokio::test]
async fn the_schema_is_what_migrations_make_on_postgres() {
    let (before, tables_kept) = kept();
    let tables = written(&tables(DatabaseKind::Postgres).await);
    if tables_kept != tables {
        let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema.rs");
        fs::write(&fresh, format!("{before}{tables}}}\n")).unwrap();
        let differing = differing(&lines(&tables_kept), &lines(&tables));
        panic!(
            "not what the migrations make; to take that over: cp {} {KEPT}\n{}",
            fresh.display(),
            differing.join("\n")
        );
    }
}

/// The storage class of a type on `SQLite`.
fn class_of(diesel_type: &str) -> String {
    let (bare, is_nullable) = match diesel_type.strip_prefix("Nullable<") {
        Some(it) => (it.trim_end_matches('>'), true),
        None => (diesel_type, false),
    };
    let class = match bare {
        "BigInt" | "Integer" | "Bool" | "Instant" => "INTEGER",
        "Text" | "Date" => "TEXT",
        "Binary" => "BLOB",
        "Double" => "REAL",
        other => panic!("{other} is not a column type"),
    };
    described(class, is_nullable)
}

fn described(class: &str, may_be_missing: bool) -> String {
    class.to_owned() + if may_be_missing { " or nothing" } else { "" }
}

#[tokio::test]
async fn the_schema_is_what_migrations_make_on_sqlite() {
    let kept = lines(&kept().1).into_iter().map(|(name, it)| {
        let is_key = it.starts_with('(');
        (name, if is_key { it } else { class_of(&it) })
    });
    let mut found = BTreeMap::new();
    for (table, columns) in tables(DatabaseKind::Sqlite).await {
        found.insert(table.clone(), format!("({})", key(&columns)));
        found.extend(columns.iter().map(|it| {
            let name = format!("{table}.{}", it.name);
            (name, described(&it.type_name, it.may_be_missing))
        }));
    }
    assert!(found.len() > 400, "{}", found.len());
    assert_eq!(differing(&kept.collect(), &found), Vec::<String>::new());
}
