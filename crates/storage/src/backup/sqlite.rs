//! A backup of `SQLite` is a `SQLite` database: the tables as one reader saw them, without gaps.

use super::{BackupError, Contents, Part, damaged, unusable};
use crate::{
    database::Database,
    errors::unavailable,
    sqlite::{SETUP, lock},
};
use diesel::{
    Connection, QueryResult, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    sql_query,
    sql_types::{BigInt, Text},
};
use std::{fs, path::Path};

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Copies what is committed into an empty file; servers go on meanwhile.
pub fn take(source: &Path, to: &Path) -> Result<Contents, BackupError> {
    if !source.exists() {
        let source = source.to_owned();
        return Err(BackupError::File {
            path: source,
            source: std::io::ErrorKind::NotFound.into(),
        });
    }
    let mut database =
        SqliteConnection::connect(&source.to_string_lossy(), SETUP).map_err(unavailable)?;
    sql_query("VACUUM INTO ?")
        .bind::<Text, _>(to.to_string_lossy())
        .execute(&mut database)
        .map_err(unavailable)?;
    contents_of(to)
}

/// What is in a file, once all of it was read and found sound.
pub fn contents_of(file: &Path) -> Result<Contents, BackupError> {
    let unsound = |error: &dyn ToString| damaged(file, error.to_string());
    let mut database = SqliteConnection::establish(&as_it_lies(file)).map_err(|it| unsound(&it))?;
    let sound = sql_query("SELECT integrity_check AS name FROM pragma_integrity_check");
    let sound: Vec<Name> = sound.load(&mut database).map_err(|it| unsound(&it))?;
    if sound.iter().any(|it| it.name != "ok") {
        return Err(damaged(file, "SQLite's integrity check finds faults"));
    }
    counted(&mut database).map_err(|it| unsound(&it))
}

/// A URI of a file that nobody changes: nothing is written beside it.
fn as_it_lies(file: &Path) -> String {
    let path = file.to_string_lossy();
    let escaped = path
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

fn counted(database: &mut SqliteConnection) -> QueryResult<Contents> {
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let tables: Vec<Name> = sql_query(tables).load(database)?;
    let mut rows = std::collections::BTreeMap::new();
    for Name { name } in tables {
        let count = format!("SELECT count(*) AS number FROM \"{name}\"");
        let counted: Number = sql_query(count).get_result(database)?;
        rows.insert(name, counted.number.unsigned_abs());
    }
    let taken = database.steps_taken()?;
    Ok(Contents { rows, taken })
}

/// Puts a copy of the backup where the database was. What was there is kept beside it.
pub fn restore(from: &Path, target: &Path, force: bool) -> Result<Contents, BackupError> {
    let place = || target.display().to_string();
    let _lock = lock(target).map_err(|_| BackupError::InUse(place()))?;
    if target.exists() {
        let accounts = give_up(target).map_err(unavailable)?;
        if accounts > 0 && !force {
            return Err(BackupError::NotEmpty(place()));
        }
    }
    let part = Part::beside(target)?;
    fs::copy(from, &part.0).map_err(unusable(&part.0))?;
    if target.exists() {
        let mut kept = target.as_os_str().to_owned();
        kept.push(".replaced");
        fs::rename(target, &kept).map_err(unusable(target))?;
    }
    // They belong to what was there, and are empty since it was given up.
    for more in ["-wal", "-shm"] {
        let mut beside = target.as_os_str().to_owned();
        beside.push(more);
        let _ = fs::remove_file(beside);
    }
    part.becomes(target)?;
    contents_of(target)
}

/// Brings everything into the file itself; how many accounts it holds.
fn give_up(target: &Path) -> QueryResult<i64> {
    let mut database = SqliteConnection::connect(&target.to_string_lossy(), SETUP)
        .map_err(|error| diesel::result::Error::QueryBuilderError(error.into()))?;
    let tables = "SELECT count(*) AS number FROM sqlite_schema WHERE name = 'accounts'";
    let tables: Number = sql_query(tables).get_result(&mut database)?;
    if tables.number == 0 {
        return Ok(0);
    }
    let accounts: Number =
        sql_query("SELECT count(*) AS number FROM accounts").get_result(&mut database)?;
    database.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(accounts.number)
}
