//! The database that is filled: empty, or left by an earlier run of the same transfer.

use super::catalog::Table;
use super::progress::Copied;
use super::row::Row;
use super::source::Source;
use super::{End, TransferError, open_postgres, progress, target_of};
use crate::{
    database_url::{DatabaseKind, DatabaseUrl, Target as Place},
    errors::unavailable,
    migrations::{self, is_unfinished_transfer},
    opening::{Exclusive, OpenOptions},
    postgres::{other_connections, partitions},
    postgres_endpoint::PostgresEndpoint,
    queries::versions,
    sql::{Bind, dialect::MAX_BINDS},
    sqlite::{self, Prepared},
};
use diesel::{
    Connection, QueryResult, QueryableByName, RunQueryDsl, connection::SimpleConnection,
    result::Error, sql_query, sql_types::Bool,
};
use std::{collections::HashMap, fs::File, sync::Arc};

/// Rows of one statement; more make it no faster.
const MAX_STATEMENT_ROWS: usize = 500;
/// Months of `rank_history` that get a partition.
const MAX_MONTHS: usize = 240;

pub struct Target {
    pub end: End,
    pub is_begun: bool,
    /// `INSERT` statements of a full batch, by table.
    batch_inserts: HashMap<String, Arc<str>>,
    /// No server starts as long as this lives.
    _lock: Option<File>,
}

impl Target {
    /// Gives the database the schema where it has none.
    pub fn open(url: &DatabaseUrl, source: &mut End) -> Result<Self, TransferError> {
        let place = url.to_string();
        let (mut end, lock) = match target_of(url) {
            Place::Sqlite(path) => {
                let options = OpenOptions {
                    create: true,
                    exclusive: Exclusive::Server,
                    ..OpenOptions::default()
                };
                let Prepared { path, lock, .. } = sqlite::prepare(path, &options)?;
                let db = sqlite::connect_for_migration(&path).map_err(unavailable)?;
                (End { db, place }, lock)
            }
            Place::Postgres(url) => {
                ensure_different_database(url, &place, source)?;
                (open_postgres(url, place)?, None)
            }
        };
        let is_begun = prepare_schema(&mut end)?;
        Ok(Self {
            end,
            is_begun,
            batch_inserts: HashMap::new(),
            _lock: lock,
        })
    }

    pub fn expect_empty_or_begun(&mut self, tables: &[Table]) -> Result<(), TransferError> {
        if self.is_begun {
            return Ok(());
        }
        let names = tables.iter().map(|it| it.name.as_str());
        ensure_empty(&mut self.end, names)
    }

    /// Creates the partitions of `rank_history`: all rows would go to the default one.
    pub fn prepare_months(&mut self, source: &mut End) -> Result<(), TransferError> {
        if self.end.kind() == DatabaseKind::Sqlite {
            return Ok(());
        }
        let mut months = Source::months(source)?;
        months.truncate(MAX_MONTHS);
        let made = partitions::create_months(&mut self.end.db, &months);
        made.map_err(|it| {
            self.end
                .failed("cannot make the months of rank_history", it)
        })
    }

    /// Adds rows and saves progress, both or nothing.
    pub fn write(
        &mut self,
        table: &Table,
        rows: Vec<Row>,
        before: &Copied,
        after: &Copied,
    ) -> Result<(), TransferError> {
        let full = self.batch_insert(table);
        let End { db, place } = &mut self.end;
        let each = rows_of_a_statement(table);
        let mut is_ours = true;
        let written = db.transaction(|db| {
            let mut rows = rows.into_iter();
            loop {
                let some: Vec<Bind> = rows.by_ref().take(each).flatten().collect();
                let count = some.len() / table.columns.len();
                match count {
                    0 => break,
                    _ if count == each => db.run_often(Arc::clone(&full), some)?,
                    _ => db.run_once(table.insert_statement(db.kind(), count).into(), some)?,
                };
            }
            is_ours = progress::save(db, &table.name, before, after)?;
            if is_ours {
                Ok(())
            } else {
                Err(Error::RollbackTransaction)
            }
        });
        match written {
            Ok(()) => Ok(()),
            Err(_) if !is_ours => Err(TransferError::TargetChanged(place.clone())),
            Err(error) => {
                let failure = format!("cannot write to {}", table.name);
                Err(self.end.failed(failure, error))
            }
        }
    }

    fn batch_insert(&mut self, table: &Table) -> Arc<str> {
        let kind = self.end.kind();
        let made = self.batch_inserts.entry(table.name.clone());
        Arc::clone(made.or_insert_with(|| {
            table
                .insert_statement(kind, rows_of_a_statement(table))
                .into()
        }))
    }

    /// Call it once all is verified.
    pub fn open_to_servers(&mut self, tables: &[Table]) -> Result<(), TransferError> {
        if self.end.kind() == DatabaseKind::Postgres {
            // Gives the planner statistics of the new rows. Where it fails, autovacuum does so later.
            for table in tables {
                let analyze = format!("ANALYZE \"{}\"", table.name);
                let _ = self.end.db.batch_execute(&analyze);
            }
        }
        let ended = progress::finish(&mut self.end.db);
        ended.map_err(|it| self.end.failed("cannot open it to servers", it))
    }
}

fn rows_of_a_statement(table: &Table) -> usize {
    (MAX_BINDS / table.columns.len()).clamp(1, MAX_STATEMENT_ROWS)
}

/// Refuses the database of the source, which lists the source's connection as its own.
fn ensure_different_database(
    url: &str,
    place: &str,
    source: &mut End,
) -> Result<(), TransferError> {
    if source.kind() != DatabaseKind::Postgres {
        return Ok(());
    }
    let endpoint = PostgresEndpoint::new(url)?;
    let mut probe = endpoint.connect("").map_err(unavailable)?;
    let own = other_connections::own_backend(&mut source.db).map_err(unavailable)?;
    if other_connections::has_backend(&mut probe, &own).map_err(unavailable)? {
        return Err(TransferError::SameDatabase(place.to_owned()));
    }
    Ok(())
}

/// Whether a transfer into it has begun; if not, creates the schema.
fn prepare_schema(end: &mut End) -> Result<bool, TransferError> {
    let taken = versions::applied_migrations(&mut end.db);
    let mut taken = taken.map_err(|it| end.failed("cannot read its schema", it))?;
    if is_unfinished_transfer(&taken) {
        taken
            .breaks
            .retain(|it| it != migrations::UNFINISHED_TRANSFER);
        if migrations::pending(end.kind(), &taken)?.is_empty() {
            return Ok(true);
        }
        return Err(TransferError::OtherVersion(end.place.clone()));
    }
    if !taken.steps.is_empty() {
        let there = super::catalog::read_schema(end)?;
        ensure_empty(end, there.keys().map(String::as_str))?;
    }
    migrations::apply_all(&mut end.db)?;
    Ok(false)
}

#[derive(QueryableByName)]
struct ConditionRow {
    #[diesel(sql_type = Bool)]
    is_so: bool,
}

fn ensure_empty<'t>(
    end: &mut End,
    tables: impl Iterator<Item = &'t str>,
) -> Result<(), TransferError> {
    let mut filled = Vec::new();
    for table in tables {
        let query = format!("SELECT EXISTS (SELECT 1 FROM \"{table}\") AS is_so");
        let found: QueryResult<ConditionRow> = sql_query(query).get_result(&mut end.db);
        match found {
            Ok(it) if it.is_so => filled.push(table),
            Ok(_) => {}
            Err(error) => return Err(end.failed(format!("cannot read {table}"), error)),
        }
    }
    if filled.is_empty() {
        return Ok(());
    }
    Err(TransferError::NotEmpty {
        place: end.place.clone(),
        tables: filled.join(", "),
    })
}
