//! Copies everything from one database to another: `SQLite` and `PostgreSQL` in either direction.
//!
//! `source.rs` and `target.rs` open the two ends, `catalogue.rs` reads which tables and columns both have, `row.rs` reads,
//! writes and sums rows, `progress.rs` keeps in the target what is done, so that a killed transfer goes on.

mod catalogue;
mod progress;
mod row;
mod source;
mod target;

use crate::{
    database_url::{DatabaseKind, DatabaseUrl, Target as Place},
    errors::unavailable,
    files::Identity,
    migrations::MigrationError,
    opening::OpenError,
    postgres::{APPLICATION, Reach, others},
    session::blocking,
    sql::{Bind, Db},
};
use catalogue::Table;
use diesel::{connection::SimpleConnection, result::Error};
use domain::ports::storage::StorageError;
use progress::Copied;
use row::{Checksum, Row};
use serde::Serialize;
use source::Source;
use std::{collections::BTreeMap, ops::ControlFlow};
use target::Target;
use thiserror::Error;

/// A transaction of the target's has at most so many rows.
const MAX_BATCH_ROWS: usize = 5_000;
/// And at most so many bytes, or one row.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// Rows between two reports while tables are read from end to end.
const REPORT_ROWS: u64 = 5_000;

/// Why a transfer did not end.
#[derive(Debug, Error)]
pub enum TransferError {
    /// Both ends are one database.
    #[error("source and target are the same database: {0}")]
    SameDatabase(String),
    /// A server, a worker or another transfer uses it.
    #[error("a server, a worker or another transfer is running on {0}: stop it first")]
    InUse(String),
    /// There is no schema in the source.
    #[error("the database at {0} has no tables of Sightline: check --from")]
    NothingThere(String),
    /// The source is half of another transfer.
    #[error("the database at {0} is the target of an unfinished transfer, so it is not a source")]
    SourceUnfinished(String),
    /// The schema lacks steps.
    #[error(
        "the database at {place} needs {count} migration(s) first: run `sightline migrate` of this version on it"
    )]
    Outdated {
        /// Which database.
        place: String,
        /// How many steps.
        count: usize,
    },
    /// The target was begun by another version.
    #[error(
        "the target at {0} was begun by another version of Sightline: finish with that version, or use an empty database"
    )]
    OtherVersion(String),
    /// A newer version made it.
    #[error(transparent)]
    Migration(#[from] MigrationError),
    /// Tables or columns are on one end alone.
    #[error("source and target do not have the same tables: {0}")]
    Schema(String),
    /// The target is not empty.
    #[error(
        "the target at {place} is not empty ({tables}): use an empty database (nothing was written)"
    )]
    NotEmpty {
        /// Which database.
        place: String,
        /// Tables that have rows.
        tables: String,
    },
    /// The source is not what it was when the transfer began.
    #[error(
        "the source is not what it was when this transfer began ({0}): begin again with an empty target"
    )]
    SourceChanged(String),
    /// Another program wrote to the source meanwhile.
    #[error(
        "another program changed {0} during the transfer: stop everything that uses it, and begin again with an empty target"
    )]
    ChangedMeanwhile(String),
    /// Another program wrote to the target meanwhile.
    #[error("another program changed the progress that is kept in {0}")]
    TargetChanged(String),
    /// A value that the target cannot hold.
    #[error("table {table}, row {key}, column {column}: {what}")]
    Value {
        /// Which table.
        table: String,
        /// The row's primary key.
        key: String,
        /// Which column.
        column: String,
        /// Why not.
        what: &'static str,
    },
    /// Rows of the target are not those of the source.
    #[error(
        "verification failed: the target does not hold what the source holds ({0}); it stays closed to servers: begin again with an empty target"
    )]
    Differs(String),
    /// A pooler is in between.
    #[error(
        "{0} is reached through a pooler, and a transfer needs one connection for long: name the server itself"
    )]
    Pooler(String),
    /// An end cannot be opened.
    #[error(transparent)]
    Open(OpenError),
    /// An end does not answer.
    #[error("{place}: {what}")]
    Database {
        /// Which end.
        place: String,
        /// What was done.
        what: String,
        /// Why it failed.
        source: Error,
    },
    /// Breakage.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// What a transfer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStep {
    /// Reads the source for its counts and checksums.
    Reading,
    /// Copies rows.
    Copying,
    /// Reads the target for its counts and checksums.
    Verifying,
}

/// How far a transfer is.
#[derive(Debug)]
pub struct TransferProgress<'a> {
    /// What it does.
    pub step: TransferStep,
    /// In which table.
    pub table: &'a str,
    /// Rows of the table that are done.
    pub rows: u64,
    /// Rows of the table; unknown before they are read.
    pub of: Option<u64>,
    /// Rows of all tables that are done.
    pub all_rows: u64,
    /// Rows of all tables; unknown before they are read.
    pub of_all: Option<u64>,
}

/// A table that was transferred.
#[derive(Debug, Serialize)]
pub struct TransferredTable {
    /// Its name.
    pub table: String,
    /// How many rows it has.
    pub rows: u64,
    /// The sum of the SHA-256 of its rows, in hexadecimal digits: the same on both databases.
    pub checksum: String,
}

/// What was transferred.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transferred {
    /// Rows of all tables.
    pub rows: u64,
    /// Those of them that an earlier, unfinished run had copied.
    pub rows_before: u64,
    /// Each table, in the order in which they were copied.
    pub tables: Vec<TransferredTable>,
}

/// Copies everything from a database that nobody uses to one that is empty, or goes on with a transfer that was killed.
/// The source is only read. The target is closed to servers until all of it is verified.
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
    let tables = catalogue::shared(&mut source.end, &mut target.end)?;
    target.expect_empty_or_begun(&tables)?;
    let sums = source.sums(&tables, to.kind(), &mut report)?;
    let mut copied = if target.is_begun {
        progress::resumed(&mut target.end, &tables, &sums)?
    } else {
        target.prepare_months(&mut source.end)?;
        progress::begun(&mut target.end, &sums)?
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
    match (Identity::at(one), Identity::at(other)) {
        (Ok(one), Ok(other)) if one == other => Err(TransferError::SameDatabase(from.to_string())),
        _ => Ok(()),
    }
}

/// The sums of tables, by name.
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
        let mut tell = |rows: u64, all_rows: u64| {
            report(&TransferProgress {
                step: TransferStep::Copying,
                table: &table.name,
                rows,
                of: Some(of),
                all_rows,
                of_all: Some(of_all),
            });
        };
        tell(done.rows, all_rows);
        while done.rows < of {
            let batch = source.next_rows(table, done.last_key.as_deref())?;
            let Some(last) = batch.last() else {
                // It is verified, and told there.
                break;
            };
            let next = Copied {
                rows: done.rows + batch.len() as u64,
                last_key: Some(table.key_of(last)),
            };
            all_rows += batch.len() as u64;
            target.write(table, batch, &done, &next)?;
            done = next;
            tell(done.rows, all_rows);
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
        Some(told) => Err(TransferError::Differs(told)),
    }
}

/// Reads tables from end to end.
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
        let mut tell = |rows: u64| {
            report(&TransferProgress {
                step,
                table: &table.name,
                rows,
                of,
                all_rows: before + rows,
                of_all,
            });
        };
        tell(0);
        let read = row::each(&mut end.db, &table.read_all(), vec![], table, &mut |row| {
            if let Err(error) = check(table, &row) {
                refused = Some(error);
                return ControlFlow::Break(());
            }
            sum.add(&row);
            if sum.rows.is_multiple_of(REPORT_ROWS) {
                tell(sum.rows);
            }
            ControlFlow::Continue(())
        });
        read.map_err(|it| end.failed(format!("cannot read the table {}", table.name), it))?;
        if let Some(refused) = refused {
            return Err(refused);
        }
        before += sum.rows;
        sums.insert(table.name.clone(), sum);
    }
    Ok(sums)
}

/// Each table that is not the same, in words.
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
    let told: Vec<String> = differing.collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// One of the two databases.
struct End {
    db: Db,
    /// For messages.
    place: String,
}

impl End {
    fn kind(&self) -> DatabaseKind {
        self.db.kind()
    }

    fn failed(&self, what: impl Into<String>, source: Error) -> TransferError {
        TransferError::Database {
            place: self.place.clone(),
            what: what.into(),
            source,
        }
    }
}

/// A `PostgreSQL` that nobody of this program is connected to, and a connection for long statements.
fn postgres_end(url: &str, place: String) -> Result<End, TransferError> {
    let reach = Reach::of(url)?;
    reach.try_out(&place, false)?;
    let mut db = reach.connect_for_migration().map_err(unavailable)?;
    let others = others::that_stay(&mut db).map_err(unavailable)?;
    if others > 0 {
        return Err(TransferError::InUse(format!(
            "{place} (connections by `{APPLICATION}`: {others})"
        )));
    }
    let set_up =
        db.batch_execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0");
    // The server ends what a killed transfer left, where its system tells that.
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

/// Where a database is, by kind.
const fn place_of(url: &DatabaseUrl) -> &Place {
    &url.0
}

/// Values of a primary key.
type Key = Vec<Bind>;
