//! Takes and restores backups: a whole database in one file, taken while servers run. The file is written as `….part`,
//! and renamed once it is complete.

mod manifest;
mod partial_file;
mod postgres;
mod sqlite;

use crate::{
    database_url::{DatabaseKind, DatabaseUrl, Target},
    errors::unavailable,
    executor::session::blocking,
    migrations::{self, MigrationError, is_unfinished_transfer},
    opening::OpenError,
    ownership::as_owner_of,
    queries::{secrets, server_notes, versions::AppliedMigrations},
    sql::Db,
};
use chrono::{DateTime, Utc};
use diesel::QueryResult;
use domain::ports::server_notes::{ServerNote, Topic};
use domain::ports::storage::StorageError;
pub use manifest::Manifest;
use partial_file::PartialFile;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum BackupError {
    #[error("{} is there already: choose another name", .0.display())]
    Exists(PathBuf),
    #[error("another backup to {} is under way: wait for its end, or choose another name", .0.display())]
    UnderWay(PathBuf),
    #[error("{} cannot be used", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{} is not whole: {reason}", .path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("the backup is of a {of} database, and this one is {here}")]
    OtherKind { of: String, here: &'static str },
    #[error(
        "the backup has schema version {0}, which this version cannot work with: use a newer one"
    )]
    Newer(String),
    #[error(
        "the database at {0} holds accounts: name another with --database-url, or give --force to put the backup in its place"
    )]
    NotEmpty(String),
    #[error(
        "the database at {place} cannot be read ({reason}): name another with --database-url, or give --force to put the backup in its place, with this one kept beside it"
    )]
    Unreadable { place: String, reason: String },
    #[error(
        "the tables that are there cannot be moved to another schema, where they would be kept ({0}): let the user make schemas (GRANT CREATE ON DATABASE … TO …), or restore into an empty database"
    )]
    CannotSetAside(String),
    #[error("a server is running on {0}: stop it first")]
    InUse(String),
    #[error("another program is at work on {0}: end it first")]
    Busy(String),
    #[error(transparent)]
    CannotOpen(OpenError),
    #[error(
        "{0} does not exist: install PostgreSQL's client programs (Debian: apt-get install postgresql-client), or set their directory with --bindir"
    )]
    NoProgram(&'static str),
    #[error("{program} failed: {reason}")]
    Failed {
        program: &'static str,
        reason: String,
    },
    #[error(
        "the secrets in the backup need the key {0}, which is not in the key file: restore the key file from its copy (secrets.key_file; on SQLite secrets.key beside the database), or give --drop-secrets to go on without these secrets"
    )]
    MissingKey(String),
    /// A transfer into the database is unfinished.
    #[error(transparent)]
    Unfinished(#[from] MigrationError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<OpenError> for BackupError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::InUse(path) => Self::InUse(path.display().to_string()),
            OpenError::File { path, source } => Self::File { path, source },
            other => Self::CannotOpen(other),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct RestoreOptions {
    /// Whether a database that holds accounts is replaced.
    pub force: bool,
    /// The folder of `pg_restore`; `None` searches the usual ones.
    pub programs: Option<PathBuf>,
    /// The keys of the key file, as 16 hexadecimal digits.
    pub key_ids: Vec<String>,
    /// Whether secrets that none of these keys opens are deleted.
    pub drop_secrets: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    #[serde(flatten)]
    pub manifest: Manifest,
    /// Where the replaced database is now: a file, or a schema of `PostgreSQL`.
    pub replaced: Option<String>,
}

#[derive(Debug)]
struct Contents {
    rows: BTreeMap<String, u64>,
    applied: AppliedMigrations,
    /// The keys of the key file that its sealed secrets need.
    key_ids: Vec<String>,
}

/// Takes a backup of a database that may be in use: it holds everything committed before it began, and all or nothing
/// of each later transaction. `programs` is the folder of `pg_dump`; `None` searches the usual ones.
pub async fn back_up(
    database: DatabaseUrl,
    to: PathBuf,
    at: DateTime<Utc>,
    programs: Option<PathBuf>,
) -> Result<Manifest, BackupError> {
    blocking(move || {
        let part = as_owner(&to, || begin(&to))?;
        let kind = database.kind().name();
        let contents = match &database.0 {
            Target::Sqlite(source) => sqlite::take(source, part.path())?,
            Target::Postgres(url) => postgres::take(url, part.path(), programs.as_deref())?,
        };
        // A transfer may have begun while the copy was made.
        ensure_no_open_transfer(&contents.applied)?;
        as_owner(&to, || {
            let manifest = Manifest::of(part.path(), kind, at, contents);
            let manifest = manifest.map_err(unusable(part.path()))?;
            finish(part, &to, &manifest).map(|()| manifest)
        })
    })
    .await?
}

/// Refuses a database that is the target of an unfinished transfer.
fn ensure_no_open_transfer(taken: &AppliedMigrations) -> Result<(), BackupError> {
    if is_unfinished_transfer(taken) {
        return Err(MigrationError::UnfinishedTransfer.into());
    }
    Ok(())
}

/// Records in a database that a backup was taken, with the rights of the user who owns the database.
pub async fn note_backup(database: DatabaseUrl, at: DateTime<Utc>) -> Result<(), BackupError> {
    let note = ServerNote {
        topic: Topic::Backup,
        note: String::new(),
        noted_at: at,
    };
    blocking(move || change(&database, |db| server_notes::put(db, &note))).await?
}

/// Changes a database with the rights of the user who owns it.
fn change(
    database: &DatabaseUrl,
    run: impl Fn(&mut Db) -> QueryResult<()>,
) -> Result<(), BackupError> {
    let run = |db: &mut Db| run(db).map_err(unavailable);
    match &database.0 {
        Target::Sqlite(source) => {
            let is_trusted = !sqlite::switches_user(source)?;
            as_owner(source, || {
                Ok(run(&mut sqlite::open_source(source, is_trusted)?)?)
            })
        }
        Target::Postgres(url) => Ok(run(&mut postgres::connect(url)?)?),
    }
}

fn begin(to: &Path) -> Result<PartialFile, BackupError> {
    let part = PartialFile::create(to)?;
    let manifest_at = manifest::manifest_path(to);
    if part.was_abandoned() && !to.exists() {
        // The killed process had already written the manifest.
        let _ = fs::remove_file(&manifest_at);
    }
    for path in [to, &manifest_at] {
        if path.exists() {
            return Err(BackupError::Exists(path.to_owned()));
        }
    }
    Ok(part)
}

/// Writes the manifest before renaming: a backup under its name always has one.
fn finish(part: PartialFile, to: &Path, manifest: &Manifest) -> Result<(), BackupError> {
    let manifest_at = manifest::manifest_path(to);
    manifest
        .write(&manifest_at)
        .map_err(unusable(&manifest_at))?;
    let named = part.rename_into_place();
    if named.is_err() && !to.exists() {
        let _ = fs::remove_file(&manifest_at);
    }
    named
}

/// Checks that a backup is complete and undamaged; changes nothing.
pub async fn verify(from: PathBuf, programs: Option<PathBuf>) -> Result<Manifest, BackupError> {
    blocking(move || read_verified(&from, programs.as_deref())).await?
}

/// Replaces a database that is empty, or with `force` any database, by a backup.
pub async fn restore(
    database: DatabaseUrl,
    from: PathBuf,
    options: RestoreOptions,
) -> Result<Restored, BackupError> {
    blocking(move || {
        let RestoreOptions {
            force,
            programs,
            key_ids,
            drop_secrets,
        } = options;
        let manifest = read_verified(&from, programs.as_deref())?;
        let here = database.kind().name();
        if manifest.database != here {
            let of = manifest.database;
            return Err(BackupError::OtherKind { of, here });
        }
        let missing = manifest.key_ids.iter().find(|it| !key_ids.contains(it));
        if let (Some(id), false) = (missing, drop_secrets) {
            return Err(BackupError::MissingKey(id.clone()));
        }
        let replaced = match &database.0 {
            Target::Sqlite(target) => {
                let kept = sqlite::restore(&from, target, &manifest, force)?;
                kept.map(|it| it.display().to_string())
            }
            Target::Postgres(url) => {
                postgres::restore(url, &from, &manifest, force, programs.as_deref())?
            }
        };
        if missing.is_some() {
            change(&database, secrets::remove_all)?;
        }
        Ok(Restored { manifest, replaced })
    })
    .await?
}

fn read_verified(from: &Path, programs: Option<&Path>) -> Result<Manifest, BackupError> {
    let manifest = as_owner(from, || {
        let manifest = Manifest::read(from)?;
        manifest.verify_file(from).map(|()| manifest)
    })?;
    let taken = AppliedMigrations {
        steps: manifest.steps.clone(),
        breaks: manifest.breaks.clone(),
    };
    let pending = match manifest.database.as_str() {
        it if it == DatabaseKind::Sqlite.name() => {
            let contents = as_owner(from, || sqlite::contents_of(from))?;
            manifest.verify_rows(&contents.rows, from)?;
            migrations::pending(DatabaseKind::Sqlite, &taken)
        }
        _ => {
            postgres::check_archive(from, programs)?;
            migrations::pending(DatabaseKind::Postgres, &taken)
        }
    };
    match pending {
        Err(MigrationError::Newer(version)) => Err(BackupError::Newer(version)),
        _ => Ok(manifest),
    }
}

fn as_owner<T>(
    path: &Path,
    act: impl FnOnce() -> Result<T, BackupError>,
) -> Result<T, BackupError> {
    as_owner_of(path, act).map_err(unusable(path))?
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::File { path, source }
}

fn damaged(path: &Path, reason: impl Into<String>) -> BackupError {
    BackupError::Damaged {
        path: path.to_owned(),
        reason: reason.into(),
    }
}
