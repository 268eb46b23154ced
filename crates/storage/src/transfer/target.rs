//! The database that is filled: empty, or left by an earlier run of the same transfer.

use super::catalogue::Table;
use super::progress::Copied;
use super::row::Row;
use super::source::Source;
use super::{End, TransferError, place_of, postgres_end, progress};
use crate::{
    database_url::{DatabaseKind, DatabaseUrl, Target as Place},
    errors::unavailable,
    migrations::{self, is_unfinished_transfer},
    opening::{Exclusive, OpenOptions},
    postgres::{others, partitions},
    queries::versions,
    reach::Reach,
    sql::{Bind, dialect::MOST_BINDS},
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
    full: HashMap<String, Arc<str>>,
    /// No server starts as long as this lives.
    _lock: Option<File>,
}

impl Target {
    /// Gives the database the schema where it has none.
    pub fn open(url: &DatabaseUrl, source: &mut End) -> Result<Self, TransferError> {
        let place = url.to_string();
        let (mut end, lock) = match place_of(url) {
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
                refuse_the_same(url, &place, source)?;
                (postgres_end(url, place)?, None)
            }
        };
        let is_begun = made_ready(&mut end)?;
        Ok(Self {
            end,
            is_begun,
            full: HashMap::new(),
            _lock: lock,
        })
    }

    pub fn expect_empty_or_begun(&mut self, tables: &[Table]) -> Result<(), TransferError> {
        if self.is_begun {
            return Ok(());
        }
        let names = tables.iter().map(|it| it.name.as_str());
        refuse_rows(&mut self.end, names)
    }

    /// Creates the partitions of `rank_history`: all rows would go to the default one.
    pub fn prepare_months(&mut self, source: &mut End) -> Result<(), TransferError> {
        if self.end.kind() == DatabaseKind::Sqlite {
            return Ok(());
        }
        let mut months = Source::months(source)?;
        months.truncate(MAX_MONTHS);
        let made = partitions::make_months(&mut self.end.db, &months);
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
        let full = self.full_statement(table);
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
                    _ => db.run_once(table.add(db.kind(), count).into(), some)?,
                };
            }
            is_ours = progress::keep(db, &table.name, before, after)?;
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
                let what = format!("cannot write to {}", table.name);
                Err(self.end.failed(what, error))
            }
        }
    }

    fn full_statement(&mut self, table: &Table) -> Arc<str> {
        let kind = self.end.kind();
        let made = self.full.entry(table.name.clone());
        Arc::clone(made.or_insert_with(|| table.add(kind, rows_of_a_statement(table)).into()))
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
        let ended = progress::end(&mut self.end.db);
        ended.map_err(|it| self.end.failed("cannot open it to servers", it))
    }
}

fn rows_of_a_statement(table: &Table) -> usize {
    (MOST_BINDS / table.columns.len()).clamp(1, MAX_STATEMENT_ROWS)
}

/// Refuses the database of the source, which lists the source's connection as its own.
fn refuse_the_same(url: &str, place: &str, source: &mut End) -> Result<(), TransferError> {
    if source.kind() != DatabaseKind::Postgres {
        return Ok(());
    }
    let reach = Reach::of(url)?;
    let mut probe = reach.connect("").map_err(unavailable)?;
    let own = others::own(&mut source.db).map_err(unavailable)?;
    if others::has(&mut probe, &own).map_err(unavailable)? {
        return Err(TransferError::SameDatabase(place.to_owned()));
    }
    Ok(())
}

/// Whether a transfer into it has begun; if not, creates the schema.
fn made_ready(end: &mut End) -> Result<bool, TransferError> {
    let taken = versions::taken(&mut end.db);
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
        let there = super::catalogue::shape(end)?;
        refuse_rows(end, there.keys().map(String::as_str))?;
    }
    migrations::bring_up_to_date(&mut end.db)?;
    Ok(false)
}

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    is_so: bool,
}

fn refuse_rows<'t>(
    end: &mut End,
    tables: impl Iterator<Item = &'t str>,
) -> Result<(), TransferError> {
    let mut filled = Vec::new();
    for table in tables {
        let query = format!("SELECT EXISTS (SELECT 1 FROM \"{table}\") AS is_so");
        let found: QueryResult<Answer> = sql_query(query).get_result(&mut end.db);
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
