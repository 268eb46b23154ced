//! A backup of `SQLite` is a `SQLite` database: one snapshot of the tables, without free pages.

use super::partial_file::{PartialFile, SQLITE_SUFFIXES};
use super::{
    BackupError, Contents, Manifest, as_owner, damaged, ensure_no_open_transfer, unusable,
};
use crate::errors::{DbErrorKind, classify, into_storage_error, unavailable};
use crate::files::{open_private, with_suffix};
use crate::ownership;
use crate::queries::{secrets, versions};
use crate::sql::{DatabaseKind, Db};
use crate::sqlite::{SETUP, is_database, lock, resolve_path, uri};
use diesel::result::Error;
use diesel::sql_types::{BigInt, Text};
use diesel::{ConnectionError, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Mode {
    #[diesel(sql_type = Text)]
    journal_mode: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Copies committed data into an empty file while servers run.
pub fn take(source: &Path, to: &Path) -> Result<Contents, BackupError> {
    if !source.exists() {
        let source = source.to_owned();
        return Err(BackupError::File {
            path: source,
            source: std::io::ErrorKind::NotFound.into(),
        });
    }
    let is_trusted = !switches_user(source)? && !switches_user(to)?;
    let mut database = as_owner(source, || open_source(source, is_trusted))?;
    ensure_no_open_transfer(
        &versions::applied_migrations(&mut database).map_err(into_storage_error)?,
    )?;
    let taken = as_owner(to, || {
        sql_query("VACUUM INTO ?")
            .bind::<Text, _>(to.to_string_lossy())
            .execute(&mut database)
            .map_err(|it| match classify(&it) {
                DbErrorKind::DiskFull => unusable(to)(io::ErrorKind::StorageFull.into()),
                _ => into_storage_error(it).into(),
            })?;
        contents_of(to)
    });
    // Closing the last connection removes the log.
    as_owner(source, || {
        drop(database);
        Ok(())
    })?;
    taken
}

/// Whether root has to act as another user there.
pub fn switches_user(path: &Path) -> Result<bool, BackupError> {
    ownership::switches_user(path).map_err(unusable(path))
}

/// Opens the database with its log, so that copying, with the rights of the owner of the copy's folder, opens no other
/// file by name. A source that is not trusted must be a database of Sightline in WAL mode.
pub fn open_source(source: &Path, is_trusted: bool) -> Result<Db, BackupError> {
    let mut database =
        Db::connect(DatabaseKind::Sqlite, &source.to_string_lossy(), SETUP).map_err(unavailable)?;
    let mode = sql_query("PRAGMA journal_mode").get_result(&mut database);
    let mode: Mode = mode.map_err(into_storage_error)?;
    // The first read opens the log.
    let read = sql_query("SELECT count(*) AS number FROM sqlite_schema");
    let _: Number = read.get_result(&mut database).map_err(into_storage_error)?;
    let refused = |reason| Err(unusable(source)(io::Error::other(reason)));
    if is_trusted {
        return Ok(database);
    }
    // In every other mode SQLite looks for a journal whenever it begins to read.
    if mode.journal_mode != "wal" {
        return refused(
            "its journal mode is not WAL: take the backup as the user who owns the database",
        );
    }
    // A foreign database in its place would be disclosed by the backup.
    if versions::applied_migrations(&mut database)
        .map_err(into_storage_error)?
        .steps
        .is_empty()
    {
        return refused("it is not a Sightline database");
    }
    Ok(database)
}

/// Reads the whole file, and checks its integrity.
pub fn contents_of(file: &Path) -> Result<Contents, BackupError> {
    let unsound = |error: &dyn ToString| damaged(file, error.to_string());
    // The file does not change: nothing is written beside it.
    let immutable_uri = uri(file, "immutable=1");
    let mut database =
        Db::connect(DatabaseKind::Sqlite, &immutable_uri, "").map_err(|it| unsound(&it))?;
    let sound = sql_query("SELECT integrity_check AS name FROM pragma_integrity_check");
    let sound: Vec<Name> = sound.load(&mut database).map_err(|it| unsound(&it))?;
    if sound.iter().any(|it| it.name != "ok") {
        return Err(damaged(file, "SQLite's integrity check finds faults"));
    }
    count_rows(&mut database).map_err(|it| unsound(&it))
}

fn count_rows(database: &mut Db) -> QueryResult<Contents> {
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let tables: Vec<Name> = sql_query(tables).load(database)?;
    let mut rows = std::collections::BTreeMap::new();
    for Name { name } in tables {
        let count = format!("SELECT count(*) AS number FROM \"{name}\"");
        let counted: Number = sql_query(count).get_result(database)?;
        rows.insert(name, counted.number.unsigned_abs());
    }
    Ok(Contents {
        applied: versions::applied_migrations(database)?,
        key_ids: secrets::wrapping_keys(database, &rows)?,
        rows,
    })
}

/// Puts a copy of the backup in place of the database; returns the new path of the old one.
pub fn restore(
    from: &Path,
    target: &Path,
    manifest: &Manifest,
    force: bool,
) -> Result<Option<PathBuf>, BackupError> {
    let mut source = as_owner(from, || File::open(from).map_err(unusable(from)))?;
    as_owner(target, || {
        let target = resolve_path(target)?;
        let _lock = lock(&target)?;
        if target.exists() {
            ensure_replaceable(&target, force)?;
        }
        let part = PartialFile::create(&target)?;
        copy(&mut source, part.path())?;
        // Checked while the old database is still in place.
        manifest.verify_rows(&contents_of(part.path())?.rows, from)?;
        let replaced = set_aside(&target)?;
        part.rename_into_place()?;
        Ok(replaced)
    })
}

/// Checks whether a database may be replaced, and checkpoints its write-ahead log.
fn ensure_replaceable(target: &Path, force: bool) -> Result<(), BackupError> {
    let place = target.display().to_string();
    let folded = match accounts_in(target) {
        Ok(accounts) if accounts > 0 && !force => return Err(BackupError::NotEmpty(place)),
        Ok(_) => checkpoint_wal(target),
        Err(error) => Err(error),
    };
    match folded {
        Ok(true) => Ok(()),
        Ok(false) => Err(BackupError::Busy(place)),
        Err(error) if classify(&error) == DbErrorKind::Contention => Err(BackupError::Busy(place)),
        // A damaged file is moved unchanged, with its log.
        Err(_) if force && target.is_file() => Ok(()),
        Err(error) => {
            let reason = error.to_string();
            Err(BackupError::Unreadable { place, reason })
        }
    }
}

/// Counts the accounts of a database read-only: closing a damaged one for writing would remove its log. A file without
/// `SQLite`'s signature is not opened, since `SQLite` would write beside it.
fn accounts_in(target: &Path) -> QueryResult<i64> {
    let reason: Box<dyn std::error::Error + Send + Sync> = match is_database(target) {
        Ok(true) => return counted_accounts(target),
        Ok(false) => "file is not a database".into(),
        Err(error) => error.into(),
    };
    Err(Error::QueryBuilderError(reason))
}

fn counted_accounts(target: &Path) -> QueryResult<i64> {
    let mut database = connect(&uri(target, "mode=ro"), "PRAGMA busy_timeout = 5000")?;
    let tables = "SELECT count(*) AS number FROM sqlite_schema WHERE name = 'accounts'";
    let tables: Number = sql_query(tables).get_result(&mut database)?;
    if tables.number == 0 {
        return Ok(0);
    }
    let accounts = sql_query("SELECT count(*) AS number FROM accounts");
    let accounts: Number = accounts.get_result(&mut database)?;
    Ok(accounts.number)
}

#[derive(QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = BigInt)]
    busy: i64,
}

/// `false` while another connection reads or writes.
fn checkpoint_wal(target: &Path) -> QueryResult<bool> {
    let mut database = connect(&target.to_string_lossy(), SETUP)?;
    let folded = sql_query("PRAGMA wal_checkpoint(TRUNCATE)");
    let folded: Checkpoint = folded.get_result(&mut database)?;
    Ok(folded.busy == 0)
}

fn connect(to: &str, setup: &str) -> QueryResult<Db> {
    Db::connect(DatabaseKind::Sqlite, to, setup).map_err(|error| match error {
        ConnectionError::CouldntSetupConfiguration(error) => error,
        other => Error::QueryBuilderError(other.into()),
    })
}

/// Not `fs::copy`, which would copy the mode too: only the owner may read a database.
fn copy(source: &mut File, to: &Path) -> Result<(), BackupError> {
    let copied = open_private(to).and_then(|mut it| io::copy(source, &mut it));
    copied.map(drop).map_err(unusable(to))
}

/// Renames a database and the files beside it: a log left behind would be applied to the new file.
fn set_aside(target: &Path) -> Result<Option<PathBuf>, BackupError> {
    let mut endings = vec![""];
    endings.extend(SQLITE_SUFFIXES);
    endings.retain(|it| entry_exists(&with_suffix(target, it)));
    if endings.is_empty() {
        return Ok(None);
    }
    let name = free_name(target);
    for ending in endings {
        let from = with_suffix(target, ending);
        fs::rename(&from, with_suffix(&name, ending)).map_err(unusable(&from))?;
    }
    Ok(Some(name))
}

/// `….replaced`, or the first free one of `….replaced.2` and so on: earlier copies stay.
fn free_name(target: &Path) -> PathBuf {
    let is_taken = |name: &Path| {
        entry_exists(name)
            || SQLITE_SUFFIXES
                .iter()
                .any(|it| entry_exists(&with_suffix(name, it)))
    };
    let mut name = with_suffix(target, ".replaced");
    let mut number = 1;
    while is_taken(&name) {
        number += 1;
        name = with_suffix(target, &format!(".replaced.{number}"));
    }
    name
}

/// Whether the name exists, also as a dangling link.
fn entry_exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
