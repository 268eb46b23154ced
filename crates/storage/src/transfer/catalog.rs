//! Tables, columns and keys, read from the databases: tables that migrations add are transferred automatically.

use super::{End, Key, TransferError, row::Row};
use crate::migrations::VERSION_TABLES;
use crate::sql::{DatabaseKind, Db, Kind};
use diesel::sql_types::{BigInt, Text};
use diesel::{QueryResult, QueryableByName, RunQueryDsl, sql_query};
use std::collections::{BTreeMap, BTreeSet};

pub const PROGRESS: &str = "transfer_progress";
/// Notes between processes, not transferred: a backup writes there, even during a transfer.
const NOTES: &str = "server_notes";

pub struct Table {
    pub name: String,
    /// By name: the two databases may have them in different orders.
    pub columns: Vec<Column>,
    /// The columns of the primary key, in its order.
    pub key: Vec<usize>,
}

pub struct Column {
    pub name: String,
    pub kind: Kind,
}

impl Table {
    pub fn kinds(&self) -> Vec<Kind> {
        self.columns.iter().map(|it| it.kind).collect()
    }

    pub fn key_kinds(&self) -> impl Iterator<Item = Kind> {
        self.key.iter().map(|it| self.columns[*it].kind)
    }

    pub fn key_of(&self, row: &Row) -> Key {
        self.key.iter().map(|it| row[*it].clone()).collect()
    }

    fn names(&self) -> String {
        let names = self.columns.iter().map(|it| format!("\"{}\"", it.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// In no order.
    pub fn select_all(&self) -> String {
        format!("SELECT {} FROM \"{}\"", self.names(), self.name)
    }

    /// In the order of the key, from the first row or after a key.
    pub fn select_batch(&self, kind: DatabaseKind, is_behind: bool, limit: usize) -> String {
        let key = self.key.iter().map(|it| &self.columns[*it].name);
        let key: Vec<String> = key.map(|it| format!("\"{it}\"")).collect();
        let key = key.join(", ");
        let behind = if is_behind {
            let values = (1..=self.key.len()).map(|it| parameter(kind, it));
            let values = values.collect::<Vec<_>>().join(", ");
            format!(" WHERE ({key}) > ({values})")
        } else {
            String::new()
        };
        format!("{}{behind} ORDER BY {key} LIMIT {limit}", self.select_all())
    }

    pub fn insert_statement(&self, kind: DatabaseKind, rows: usize) -> String {
        let width = self.columns.len();
        let rows = (0..rows).map(|row| {
            let values = (1..=width).map(|it| parameter(kind, row * width + it));
            format!("({})", values.collect::<Vec<_>>().join(", "))
        });
        let rows = rows.collect::<Vec<_>>().join(", ");
        format!(
            "INSERT INTO \"{}\" ({}) VALUES {rows}",
            self.name,
            self.names()
        )
    }
}

pub fn parameter(kind: DatabaseKind, number: usize) -> String {
    match kind {
        DatabaseKind::Postgres => format!("${number}"),
        DatabaseKind::Sqlite => "?".to_owned(),
    }
}

#[derive(QueryableByName)]
struct ColumnRow {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    type_name: String,
    /// From 1; 0 outside of the primary key.
    #[diesel(sql_type = BigInt)]
    key_position: i64,
}

#[derive(QueryableByName)]
struct Reference {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    refers_to: String,
}

/// Types and positions in the primary key, by table and column.
pub type Schema = BTreeMap<String, BTreeMap<String, (String, i64)>>;

const POSTGRES_COLUMNS: &str = "SELECT c.relname::TEXT AS table_name, a.attname::TEXT AS column_name, \
     pg_catalog.format_type(a.atttypid, NULL) AS type_name, \
     COALESCE((SELECT k.position FROM pg_catalog.pg_index i, \
         unnest(i.indkey) WITH ORDINALITY AS k (attnum, position) \
         WHERE i.indrelid = c.oid AND i.indisprimary AND k.attnum = a.attnum), 0) AS key_position \
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition";

const SQLITE_COLUMNS: &str = "SELECT m.name AS table_name, c.name AS column_name, c.type AS type_name, c.pk AS key_position \
     FROM sqlite_schema m JOIN pragma_table_info(m.name) c \
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

const POSTGRES_REFERENCES: &str = "SELECT DISTINCT c.relname::TEXT AS table_name, p.relname::TEXT AS refers_to \
     FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class c ON c.oid = f.conrelid \
     JOIN pg_catalog.pg_class p ON p.oid = f.confrelid \
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     WHERE f.contype = 'f' AND n.nspname = current_schema() AND NOT c.relispartition";

const SQLITE_REFERENCES: &str = "SELECT DISTINCT m.name AS table_name, f.\"table\" AS refers_to \
     FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'";

/// Without the tables that describe the database, its schema or a transfer.
pub fn read_schema(end: &mut End) -> Result<Schema, TransferError> {
    let columns = match end.kind() {
        DatabaseKind::Postgres => POSTGRES_COLUMNS,
        DatabaseKind::Sqlite => SQLITE_COLUMNS,
    };
    let found: QueryResult<Vec<ColumnRow>> = sql_query(columns).load(&mut end.db);
    let found = found.map_err(|it| end.failed("cannot read its catalogue", it))?;
    let mut shape = Schema::new();
    for it in found {
        let name = it.table_name.as_str();
        if ![PROGRESS, NOTES].contains(&name) && !VERSION_TABLES.contains(&name) {
            let columns = shape.entry(it.table_name).or_default();
            columns.insert(it.column_name, (it.type_name, it.key_position));
        }
    }
    Ok(shape)
}

/// Quoted, without the notes, with commas between them.
pub fn names(db: &mut Db) -> QueryResult<String> {
    let found: Vec<ColumnRow> = sql_query(POSTGRES_COLUMNS).load(db)?;
    let names: BTreeSet<String> = { found.into_iter() }
        .filter(|it| it.table_name != NOTES)
        .map(|it| format!("\"{}\"", it.table_name))
        .collect();
    Ok(Vec::from_iter(names).join(", "))
}

/// The tables of both ends, each after those that it references.
pub fn shared_tables(source: &mut End, target: &mut End) -> Result<Vec<Table>, TransferError> {
    let (from, to) = (read_schema(source)?, read_schema(target)?);
    expect_the_same(&from, &to)?;
    // PostgreSQL distinguishes more types.
    let typed = match source.kind() {
        DatabaseKind::Postgres => &from,
        DatabaseKind::Sqlite => &to,
    };
    let tables = typed.iter().map(|(name, columns)| table(name, columns));
    let tables = tables.collect::<Result<_, _>>()?;
    sort_by_references(tables, &references(target)?)
}

fn expect_the_same(from: &Schema, to: &Schema) -> Result<(), TransferError> {
    let lines = |shape: &Schema| -> BTreeSet<String> {
        let columns = shape.iter().flat_map(|(table, columns)| {
            let columns = columns.iter();
            columns.map(move |(column, (_, position))| match position {
                0 => format!("{table}.{column}"),
                _ => format!("{table}.{column} (key {position})"),
            })
        });
        columns.collect()
    };
    let (from, to) = (lines(from), lines(to));
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>, side: &str| {
        let only: Vec<String> = a.difference(b).cloned().collect();
        (!only.is_empty()).then(|| format!("only in the {side}: {}", only.join(", ")))
    };
    let differences = [only(&from, &to, "source"), only(&to, &from, "target")];
    let differences: Vec<String> = differences.into_iter().flatten().collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(TransferError::Schema(differences.join("; ")))
}

fn table(name: &str, columns: &BTreeMap<String, (String, i64)>) -> Result<Table, TransferError> {
    let of_type = |column: &String, (type_name, _): &(String, i64)| {
        let kind = kind_of(type_name).ok_or_else(|| {
            TransferError::Schema(format!(
                "{name}.{column} is of type {type_name}, which this version cannot transfer"
            ))
        })?;
        let name = column.clone();
        Ok(Column { name, kind })
    };
    let mut key: Vec<(i64, usize)> = { columns.values().enumerate() }
        .filter(|(_, (_, position))| *position > 0)
        .map(|(at, (_, position))| (*position, at))
        .collect();
    key.sort_unstable();
    if key.is_empty() {
        return Err(TransferError::Schema(format!("{name} has no primary key")));
    }
    let described = columns.iter().map(|(column, type_)| of_type(column, type_));
    Ok(Table {
        name: name.to_owned(),
        columns: described.collect::<Result<_, TransferError>>()?,
        key: key.into_iter().map(|(_, at)| at).collect(),
    })
}

/// `tests/suite/portability.rs` lists the allowed types; `SQLite` has four.
fn kind_of(type_name: &str) -> Option<Kind> {
    Some(match type_name {
        "bigint" | "INTEGER" => Kind::BigInt,
        "integer" => Kind::Integer,
        "text" | "TEXT" => Kind::Text,
        "bytea" | "BLOB" => Kind::Binary,
        "boolean" => Kind::Bool,
        "date" => Kind::Date,
        "double precision" | "REAL" => Kind::Double,
        "timestamp with time zone" => Kind::Instant,
        _ => return None,
    })
}

fn references(end: &mut End) -> Result<BTreeMap<String, BTreeSet<String>>, TransferError> {
    let references = match end.kind() {
        DatabaseKind::Postgres => POSTGRES_REFERENCES,
        DatabaseKind::Sqlite => SQLITE_REFERENCES,
    };
    let found: QueryResult<Vec<Reference>> = sql_query(references).load(&mut end.db);
    let found = found.map_err(|it| end.failed("cannot read its foreign keys", it))?;
    let mut all = BTreeMap::<String, BTreeSet<String>>::new();
    for Reference {
        table_name,
        refers_to,
    } in found
    {
        all.entry(table_name).or_default().insert(refers_to);
    }
    Ok(all)
}

fn sort_by_references(
    mut tables: Vec<Table>,
    references: &BTreeMap<String, BTreeSet<String>>,
) -> Result<Vec<Table>, TransferError> {
    let (mut ordered, mut there) = (Vec::new(), BTreeSet::new());
    while !tables.is_empty() {
        let is_ready = |table: &Table| {
            let needed = references.get(&table.name);
            needed.is_none_or(|it| it.is_subset(&there))
        };
        let (ready, later): (Vec<_>, Vec<_>) = tables.into_iter().partition(is_ready);
        if ready.is_empty() {
            let names: Vec<String> = later.into_iter().map(|it| it.name).collect();
            return Err(TransferError::Schema(format!(
                "these refer to each other or to a table that is not transferred: {}",
                names.join(", ")
            )));
        }
        there.extend(ready.iter().map(|it| it.name.clone()));
        ordered.extend(ready);
        tables = later;
    }
    Ok(ordered)
}
