//! The database that is copied: read in one snapshot, never changed.

use super::{
    End, Key, MAX_BATCH_BYTES, MAX_BATCH_ROWS, Report, Sums, TransferError, TransferStep,
    catalog::{self, Table},
    open_postgres, read_sums,
    row::{self, Row},
    target_of,
};
use crate::database_url::{DatabaseKind, DatabaseUrl, Target as Place};
use crate::errors::unavailable;
use crate::migrations::is_unfinished_transfer;
use crate::opening::{Exclusive, OpenOptions};
use crate::queries::versions;
use crate::sql::{Bind, Db};
use crate::sqlite::Prepared;
use crate::{migrations, sqlite};
use chrono::NaiveDate;
use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Text};
use diesel::{QueryResult, QueryableByName, RunQueryDsl, sql_query};
use std::{fs::File, ops::ControlFlow};

/// Rereads of the source after something was written there.
const MAX_READS: u32 = 3;

/// Rows of a batch while none of the table is known.
const FIRST_BATCH_ROWS: usize = 100;

pub struct Source {
    pub end: End,
    /// `SQLite`'s count of changes by others.
    version: i64,
    /// A table, and how many of its rows are expected to fit into one batch.
    expected: (String, usize),
    /// No server starts as long as this lives.
    _lock: Option<File>,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

impl Source {
    /// Begins the snapshot.
    pub fn open(url: &DatabaseUrl) -> Result<Self, TransferError> {
        let place = url.to_string();
        let mut source = match target_of(url) {
            Place::Sqlite(path) => {
                let options = OpenOptions {
                    exclusive: Exclusive::Server,
                    ..OpenOptions::default()
                };
                let Prepared { path, lock, .. } = sqlite::prepare(path, &options)?;
                let setup = "PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY";
                let read_only_uri = sqlite::uri(&path, "mode=ro");
                let db = Db::connect(DatabaseKind::Sqlite, &read_only_uri, setup);
                Self {
                    end: End {
                        db: db.map_err(unavailable)?,
                        place,
                    },
                    version: 0,
                    expected: (String::new(), 0),
                    _lock: lock,
                }
            }
            Place::Postgres(url) => Self {
                end: open_postgres(url, place)?,
                version: 0,
                expected: (String::new(), 0),
                _lock: None,
            },
        };
        source.ensure_transferable()?;
        let began = source.begin();
        source.version = began.map_err(|it| source.end.failed("cannot begin to read", it))?;
        Ok(source)
    }

    fn ensure_transferable(&mut self) -> Result<(), TransferError> {
        let taken = versions::applied_migrations(&mut self.end.db);
        let taken = taken.map_err(|it| self.end.failed("cannot read its schema", it))?;
        let place = || self.end.place.clone();
        if taken.steps.is_empty() {
            return Err(TransferError::NothingThere(place()));
        }
        if is_unfinished_transfer(&taken) {
            return Err(TransferError::SourceUnfinished(place()));
        }
        match migrations::pending(self.end.kind(), &taken)?.len() {
            0 => Ok(()),
            count => Err(TransferError::Outdated {
                place: place(),
                count,
            }),
        }
    }

    /// `PostgreSQL`'s tables are locked until the end; changes of `SQLite`'s are detected.
    fn begin(&mut self) -> QueryResult<i64> {
        let db = &mut self.end.db;
        match db.kind() {
            DatabaseKind::Postgres => {
                db.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
                let tables = catalog::names(db)?;
                db.batch_execute(&format!("LOCK TABLE {tables} IN SHARE MODE"))?;
                Ok(0)
            }
            DatabaseKind::Sqlite => {
                let version = version(db)?;
                // The first read begins the snapshot.
                db.batch_execute("BEGIN; SELECT count(*) FROM sqlite_schema")?;
                Ok(version)
            }
        }
    }

    /// Counts and sums of all tables. Fails for a value that the target cannot hold.
    pub fn sums(
        &mut self,
        tables: &[Table],
        to: DatabaseKind,
        report: &mut Report,
    ) -> Result<Sums, TransferError> {
        let mut check = |table: &Table, row: &Row| check_row(table, row, to);
        let step = (TransferStep::Reading, None);
        read_sums(&mut self.end, tables, step, &mut check, report)
    }

    /// As many as fit into one transaction, by the sizes of those before.
    pub fn next_rows(
        &mut self,
        table: &Table,
        behind: Option<&[Bind]>,
    ) -> Result<Vec<Row>, TransferError> {
        if self.expected.0 != table.name {
            self.expected = (table.name.clone(), FIRST_BATCH_ROWS);
        }
        let query = table.select_batch(self.end.kind(), behind.is_some(), self.expected.1);
        let (mut rows, mut bytes) = (Vec::new(), 0);
        let read = row::for_each_row(
            &mut self.end.db,
            &query,
            behind.unwrap_or_default().to_vec(),
            table,
            &mut |row| {
                bytes += row::bytes(&row);
                rows.push(row);
                if bytes < MAX_BATCH_BYTES {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            },
        );
        read.map_err(|it| self.end.failed(format!("cannot read {}", table.name), it))?;
        let fit = rows.len() * MAX_BATCH_BYTES / bytes.max(1);
        self.expected.1 = fit.clamp(1, MAX_BATCH_ROWS);
        Ok(rows)
    }

    /// The first days of the months of `rank_history`, which `PostgreSQL` keeps in separate tables.
    pub fn months(end: &mut End) -> Result<Vec<NaiveDate>, TransferError> {
        #[derive(QueryableByName)]
        struct Month {
            #[diesel(sql_type = Text)]
            month: String,
        }
        let month = match end.kind() {
            DatabaseKind::Postgres => "to_char(day, 'YYYY-MM-01')",
            DatabaseKind::Sqlite => "substr(day, 1, 7) || '-01'",
        };
        let query = format!("SELECT DISTINCT {month} AS month FROM rank_history ORDER BY 1 DESC");
        let found: QueryResult<Vec<Month>> = sql_query(query).load(&mut end.db);
        let found = found.map_err(|it| end.failed("cannot read rank_history", it))?;
        let months = found.into_iter().map(|it| it.month.parse());
        Ok(months.flatten().collect())
    }

    /// Ends the snapshot. `SQLite` reports that something changed, but not what: then everything is read again.
    pub fn expect_unchanged(
        &mut self,
        tables: &[Table],
        sums: &Sums,
        report: &mut Report,
    ) -> Result<(), TransferError> {
        for _ in 0..MAX_READS {
            let db = &mut self.end.db;
            let ended = db.batch_execute("COMMIT").and_then(|()| match db.kind() {
                DatabaseKind::Postgres => Ok(self.version),
                DatabaseKind::Sqlite => version(db),
            });
            match ended {
                Ok(version) if version == self.version => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(self.end.failed("cannot end reading", error)),
            }
            let began = self.begin();
            self.version = began.map_err(|it| self.end.failed("cannot begin to read", it))?;
            let step = (TransferStep::Reading, Some(sums));
            let now = read_sums(&mut self.end, tables, step, &mut |_, _| Ok(()), report)?;
            if now != *sums {
                break;
            }
        }
        Err(TransferError::ChangedMeanwhile(self.end.place.clone()))
    }
}

fn version(db: &mut Db) -> QueryResult<i64> {
    let version: Number =
        sql_query("SELECT data_version AS number FROM pragma_data_version").get_result(db)?;
    Ok(version.number)
}

/// `PostgreSQL` has no texts with NUL, `SQLite` no NaN.
fn check_row(table: &Table, row: &Row, to: DatabaseKind) -> Result<(), TransferError> {
    for (column, value) in table.columns.iter().zip(row) {
        let reason = match (to, value) {
            (DatabaseKind::Postgres, Bind::Text(text)) if text.contains('\0') => {
                "the text has a NUL character, which PostgreSQL cannot hold"
            }
            (DatabaseKind::Sqlite, Bind::Double(number)) if number.is_nan() => {
                "the number is NaN, which SQLite cannot hold"
            }
            _ => continue,
        };
        let key: Key = table.key_of(row);
        return Err(TransferError::Value {
            table: table.name.clone(),
            key: row::key_to_texts(&key).unwrap_or_default().join(", "),
            column: column.name.clone(),
            reason,
        });
    }
    Ok(())
}
