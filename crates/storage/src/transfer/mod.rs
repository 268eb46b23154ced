//! Copies everything between `SQLite` and `PostgreSQL`; the target stores the progress, to resume a killed transfer.

mod catalog;
mod progress;
mod row;
mod source;
mod target;

use crate::database_url::{DatabaseKind, DatabaseUrl, Target as Place};
use crate::errors::unavailable;
use crate::executor::session::blocking;
use crate::files::FileIdentity;
use crate::migrations::MigrationError;
use crate::opening::OpenError;
use crate::postgres::other_connections;
use crate::postgres_endpoint::{APPLICATION, PostgresEndpoint};
use crate::sql::{Bind, Db};
use catalog::Table;
use diesel::{connection::SimpleConnection, result::Error};
use domain::ports::storage::StorageError;
use progress::Copied;
use row::{Checksum, Row};
use serde::Serialize;
use source::Source;
use std::{collections::BTreeMap, ops::ControlFlow};
use target::Target;
use thiserror::Error;

/// Rows in one transaction of the target.
const MAX_BATCH_ROWS: usize = 5_000;
/// Bytes in one transaction, unless one row is larger.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// Rows between two reports while tables are read from end to end.
const REPORT_ROWS: u64 = 5_000;

#[derive(Debug, Error)]
pub enum TransferError {
    #[error("source and target are the same database: {0}")]
    SameDatabase(String),
    #[error("a server, a worker or another transfer is running on {0}: stop it first")]
    InUse(String),
    #[error("the database at {0} has no tables of Sightline: check --from")]
    NothingThere(String),
    #[error("the database at {0} is the target of an unfinished transfer, so it is not a source")]
    SourceUnfinished(String),
    #[error(
        "the database at {place} needs {count} migration(s) first: run `sightline migrate` of this version on it"
    )]
    Outdated { place: String, count: usize },
    #[error(
        "the target at {0} was begun by another version of Sightline: finish with that version, or use an empty database"
    )]
    OtherVersion(String),
    #[error(transparent)]
    Migration(#[from] MigrationError),
    #[error("source and target do not have the same tables: {0}")]
    Schema(String),
    #[error(
        "the target at {place} is not empty ({tables}): use an empty database, or this one unchanged if a transfer into it had ended: nothing was written"
    )]
    NotEmpty { place: String, tables: String },
    #[error(
        "the source is not what it was when this transfer began ({0}): begin again with an empty target"
    )]
    SourceChanged(String),
    #[error(
        "another program changed {0} during the transfer: stop everything that uses it, and begin again with an empty target"
    )]
    ChangedMeanwhile(String),
    #[error("another program changed the progress that is kept in {0}")]
    TargetChanged(String),
    #[error("table {table}, row {key}, column {column}: {reason}")]
    Value {
        table: String,
        key: String,
        column: String,
        reason: &'static str,
    },
    #[error(
        "verification failed: the target does not hold what the source holds ({0}); it stays closed to servers: begin again with an empty target"
    )]
    Differs(String),
    #[error(
        "{0} is reached through a pooler, and a transfer needs one connection for long: name the server itself"
    )]
    Pooler(String),
    #[error(transparent)]
    Open(OpenError),
    #[error("{place}: {failure}")]
    Database {
        place: String,
        failure: String,
        source: Error,
    },
    #[error(transparent)]
    Storage(#[from] StorageError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStep {
    /// Reads the source for its counts and checksums.
    Reading,
    Copying,
    /// Reads the target for its counts and checksums.
    Verifying,
}

#[derive(Debug)]
pub struct TransferProgress<'a> {
    pub step: TransferStep,
    pub table: &'a str,
    pub rows: u64,
    /// `None` before they are read.
    pub of: Option<u64>,
    /// Rows of all tables that are done.
    pub all_rows: u64,
    /// `None` before they are read.
    pub of_all: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct TransferredTable {
    pub table: String,
    pub rows: u64,
    /// Sum of the SHA-256 of its rows, in hexadecimal digits: the same on both databases.
    pub checksum: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transferred {
    pub rows: u64,
    /// Those of `rows` that an earlier, unfinished run had copied.
    pub rows_before: u64,
    /// In the order in which they were copied.
    pub tables: Vec<TransferredTable>,
}

/// Copies everything from an unused database to an empty one, or resumes a killed transfer. The source is only read. The
/// target is closed to servers until all of it is verified.
pub async fn transfer(
    from: DatabaseUrl,
    to: DatabaseUrl,
    report: impl FnMut(&TransferProgress<'_>) + Send + 'static,
) -> Result<Transferred, TransferError> {
    blocking(move || run(&from, &to, Box::new(report))).await?
}

type Report = Box<dyn FnMut(&TransferProgress<'_>) + Send>;

fn run(
    from: &DatabaseUrl,
    to: &DatabaseUrl,
    mut report: Report,
) -> Result<Transferred, TransferError> {
    refuse_the_same_file(from, to)?;
    let mut source = Source::open(from)?;
    let mut target = Target::open(to, &mut source.end)?;
    let tables = catalog::shared_tables(&mut source.end, &mut target.end)?;
    target.expect_empty_or_begun(&tables)?;
    let sums = source.sums(&tables, to.kind(), &mut report)?;
    let mut copied = if target.is_begun {
        progress::resume(&mut target.end, &tables, &sums)?
    } else {
        target.prepare_months(&mut source.end)?;
        progress::start(&mut target.end, &sums)?
    };
    let rows_before = copied.values().map(|it| it.rows).sum();
    copy(
        (&mut source, &mut target),
        (&tables, &sums),
        &mut copied,
        &mut report,
    )?;
    verify(&mut target, &tables, &sums, &mut report)?;
    source.expect_unchanged(&tables, &sums, &mut report)?;
    target.open_to_servers(&tables)?;
    Ok(Transferred {
        rows: all_rows(&sums),
        rows_before,
        tables: { tables.iter() }
            .map(|table| TransferredTable {
                table: table.name.clone(),
                rows: sums[&table.name].rows,
                checksum: sums[&table.name].digits(),
            })
            .collect(),
    })
}

fn refuse_the_same_file(from: &DatabaseUrl, to: &DatabaseUrl) -> Result<(), TransferError> {
    let (Some(one), Some(other)) = (from.path(), to.path()) else {
        return Ok(());
    };
    match (FileIdentity::at(one), FileIdentity::at(other)) {
        (Ok(one), Ok(other)) if one == other => Err(TransferError::SameDatabase(from.to_string())),
        _ => Ok(()),
    }
}

type Sums = BTreeMap<String, Checksum>;

fn all_rows(sums: &Sums) -> u64 {
    sums.values().map(|it| it.rows).sum()
}

fn copy(
    (source, target): (&mut Source, &mut Target),
    (tables, sums): (&[Table], &Sums),
    copied: &mut BTreeMap<String, Copied>,
    report: &mut Report,
) -> Result<(), TransferError> {
    let of_all = all_rows(sums);
    let mut all_rows: u64 = copied.values().map(|it| it.rows).sum();
    for table in tables {
        let of = sums[&table.name].rows;
        let mut done = copied.remove(&table.name).unwrap_or_default();
        let mut report_progress = |rows: u64, all_rows: u64| {
            report(&TransferProgress {
                step: TransferStep::Copying,
                table: &table.name,
                rows,
                of: Some(of),
                all_rows,
                of_all: Some(of_all),
            });
        };
        report_progress(done.rows, all_rows);
        while done.rows < of {
            let batch = source.next_rows(table, done.last_key.as_deref())?;
            let Some(last) = batch.last() else {
                // The verification reports it.
                break;
            };
            let next = Copied {
                rows: done.rows + batch.len() as u64,
                last_key: Some(table.key_of(last)),
            };
            all_rows += batch.len() as u64;
            target.write(table, batch, &done, &next)?;
            done = next;
            report_progress(done.rows, all_rows);
        }
    }
    Ok(())
}

fn verify(
    target: &mut Target,
    tables: &[Table],
    sums: &Sums,
    report: &mut Report,
) -> Result<(), TransferError> {
    let found = read_sums(
        &mut target.end,
        tables,
        (TransferStep::Verifying, Some(sums)),
        &mut |_, _| Ok(()),
        report,
    )?;
    match differences(sums, &found, ["the source", "the target"]) {
        None => Ok(()),
        Some(difference) => Err(TransferError::Differs(difference)),
    }
}

fn read_sums(
    end: &mut End,
    tables: &[Table],
    (step, expected): (TransferStep, Option<&Sums>),
    check: &mut dyn FnMut(&Table, &Row) -> Result<(), TransferError>,
    report: &mut Report,
) -> Result<Sums, TransferError> {
    let of_all = expected.map(all_rows);
    let (mut sums, mut before) = (Sums::new(), 0);
    for table in tables {
        let of = expected.map(|it| it[&table.name].rows);
        let mut sum = Checksum::default();
        let mut refused = None;
        let mut report_progress = |rows: u64| {
            report(&TransferProgress {
                step,
                table: &table.name,
                rows,
                of,
                all_rows: before + rows,
                of_all,
            });
        };
        report_progress(0);
        let read = row::for_each_row(
            &mut end.db,
            &table.select_all(),
            vec![],
            table,
            &mut |row| {
                if let Err(error) = check(table, &row) {
                    refused = Some(error);
                    return ControlFlow::Break(());
                }
                sum.add(&row);
                if sum.rows.is_multiple_of(REPORT_ROWS) {
                    report_progress(sum.rows);
                }
                ControlFlow::Continue(())
            },
        );
        read.map_err(|it| end.failed(format!("cannot read the table {}", table.name), it))?;
        if let Some(refused) = refused {
            return Err(refused);
        }
        before += sum.rows;
        sums.insert(table.name.clone(), sum);
    }
    Ok(sums)
}

/// `None` where all are the same.
fn differences(one: &Sums, other: &Sums, names: [&str; 2]) -> Option<String> {
    let differing = one.iter().filter_map(|(table, one)| {
        let other = other.get(table).copied().unwrap_or_default();
        if *one == other {
            return None;
        }
        let [a, b] = names;
        Some(if one.rows == other.rows {
            format!("{table}: {} rows, and their contents differ", one.rows)
        } else {
            format!("{table}: {} rows in {a}, {} in {b}", one.rows, other.rows)
        })
    });
    let descriptions: Vec<String> = differing.collect();
    (!descriptions.is_empty()).then(|| descriptions.join("; "))
}

struct End {
    db: Db,
    /// For messages.
    place: String,
}

impl End {
    fn kind(&self) -> DatabaseKind {
        self.db.kind()
    }

    fn failed(&self, failure: impl Into<String>, source: Error) -> TransferError {
        TransferError::Database {
            place: self.place.clone(),
            failure: failure.into(),
            source,
        }
    }
}

/// A connection for long statements. Fails while other processes of this program are connected.
fn open_postgres(url: &str, place: String) -> Result<End, TransferError> {
    let endpoint = PostgresEndpoint::new(url)?;
    endpoint.check_connection(&place, false)?;
    let mut db = endpoint.connect_for_migration().map_err(unavailable)?;
    let others = other_connections::count_after_wait(&mut db).map_err(unavailable)?;
    if others > 0 {
        return Err(TransferError::InUse(format!(
            "{place} (connections by `{APPLICATION}`: {others})"
        )));
    }
    let set_up =
        db.batch_execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0");
    // The server then ends the connection of a killed transfer, where its system supports that.
    let _ = db.batch_execute("SET client_connection_check_interval = '2s'");
    let end = End { db, place };
    match set_up {
        Ok(()) => Ok(end),
        Err(error) => Err(end.failed("cannot set up the connection", error)),
    }
}

impl From<OpenError> for TransferError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::InUse(path) => Self::InUse(path.display().to_string()),
            OpenError::Pooler(place) => Self::Pooler(place),
            other => Self::Open(other),
        }
    }
}

const fn target_of(url: &DatabaseUrl) -> &Place {
    &url.0
}

type Key = Vec<Bind>;
