//! Backups: a whole database in one file, taken while servers run, and back again.
//!
//! `manifest.rs` is the slip beside the file that says what is in it, `sqlite.rs` and `postgres.rs` take and
//! restore. A file has its name once it is whole: until then it is called `….part`.

mod manifest;
mod postgres;
mod sqlite;

use crate::{
    database_url::{DatabaseKind, DatabaseUrl, Target},
    migrations::{self, MigrationError, Taken},
    session::blocking,
};
use chrono::{DateTime, Utc};
use diesel::{PgConnection, SqliteConnection};
use domain::ports::storage::StorageError;
pub use manifest::Manifest;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Why there is no backup, or nothing was restored.
#[derive(Debug, Error)]
pub enum BackupError {
    /// A backup never takes another's place.
    #[error("{} is there already: choose another name", .0.display())]
    Exists(PathBuf),
    /// A file cannot be read or written.
    #[error("{} cannot be used", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not what was taken.
    #[error("{} is not whole: {what}", .path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// It was taken of the other database.
    #[error("the backup is of a {of} database, and this one is {here}")]
    OtherKind {
        /// What it is of.
        of: String,
        /// What it should go to.
        here: &'static str,
    },
    /// A newer version took it, and older ones cannot work with it.
    #[error(
        "the backup has schema version {0}, which this version cannot work with: use a newer one"
    )]
    Newer(String),
    /// There is something where it should go.
    #[error(
        "the database at {0} holds accounts: name another with --database-url, or give --force to put the backup in its place"
    )]
    NotEmpty(String),
    /// Something would be left of what is there, and it is not known what.
    #[error(
        "the database has a table `{0}` that the backup does not know: restore it into an empty database"
    )]
    Stranger(String),
    /// A server is running there.
    #[error("a server is running on {0}: stop it first")]
    InUse(String),
    /// A program that is needed is missing.
    #[error(
        "{0} is not there: install PostgreSQL's client programs (Debian: apt-get install postgresql-client), or name their folder with --programs"
    )]
    NoProgram(&'static str),
    /// It failed, with these words.
    #[error("{program} failed: {told}")]
    Failed {
        /// Which program.
        program: &'static str,
        /// What it said.
        told: String,
    },
    /// The database does not answer.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// What was found in a database: rows by table, and the steps of its schema.
#[derive(Debug)]
struct Contents {
    rows: BTreeMap<String, u64>,
    taken: Taken,
}

/// Takes a backup of a database that may be at work: what was committed before this began is in it, and of
/// everything later all of a transaction or nothing.
///
/// `programs` is where `pg_dump` is, when it is not where it usually is.
pub async fn back_up(
    database: DatabaseUrl,
    to: PathBuf,
    at: DateTime<Utc>,
    programs: Option<PathBuf>,
) -> Result<Manifest, BackupError> {
    blocking(move || {
        let manifest_at = manifest::beside(&to);
        for path in [&to, &manifest_at] {
            if path.exists() {
                return Err(BackupError::Exists(path.clone()));
            }
        }
        let part = Part::beside(&to)?;
        let kind = database.kind().name();
        let contents = match &database.0 {
            Target::Sqlite(source) => sqlite::take(source, &part.0)?,
            Target::Postgres(url) => postgres::take(url, &part.0, programs.as_deref())?,
        };
        let manifest = Manifest::of(&part.0, kind, at, contents).map_err(unusable(&part.0))?;
        // The slip first: a backup under its name has one.
        manifest
            .write(&manifest_at)
            .map_err(unusable(&manifest_at))?;
        part.becomes(&to)?;
        Ok(manifest)
    })
    .await?
}

/// Looks whether a backup is whole, and what is in it; changes nothing.
pub async fn verify(from: PathBuf, programs: Option<PathBuf>) -> Result<Manifest, BackupError> {
    blocking(move || verified(&from, programs.as_deref())).await?
}

/// Puts a backup in the place of a database that is empty, or that is to be given up (`force`).
pub async fn restore(
    database: DatabaseUrl,
    from: PathBuf,
    force: bool,
    programs: Option<PathBuf>,
) -> Result<Manifest, BackupError> {
    blocking(move || {
        let manifest = verified(&from, programs.as_deref())?;
        let here = database.kind().name();
        if manifest.database != here {
            let of = manifest.database;
            return Err(BackupError::OtherKind { of, here });
        }
        let contents = match &database.0 {
            Target::Sqlite(target) => sqlite::restore(&from, target, force)?,
            Target::Postgres(url) => {
                postgres::restore(url, &from, &manifest.rows, force, programs.as_deref())?
            }
        };
        manifest.agrees_with(&contents.rows, &from)?;
        Ok(manifest)
    })
    .await?
}

fn verified(from: &Path, programs: Option<&Path>) -> Result<Manifest, BackupError> {
    let manifest = Manifest::read(from)?;
    manifest.is_of(from)?;
    let taken = Taken {
        steps: manifest.steps.clone(),
        breaks: manifest.breaks.clone(),
    };
    let pending = match manifest.database.as_str() {
        it if it == DatabaseKind::Sqlite.name() => {
            manifest.agrees_with(&sqlite::contents_of(from)?.rows, from)?;
            migrations::pending::<SqliteConnection>(&taken)
        }
        _ => {
            postgres::look_through(from, programs)?;
            migrations::pending::<PgConnection>(&taken)
        }
    };
    match pending {
        Err(MigrationError::Newer(version)) => Err(BackupError::Newer(version)),
        _ => Ok(manifest),
    }
}

/// A file that is not whole yet; thrown away unless it becomes what it should.
struct Part(PathBuf);

impl Part {
    /// Beside the file that it will be, readable by its owner alone.
    fn beside(whole: &Path) -> Result<Self, BackupError> {
        let mut name = whole.as_os_str().to_owned();
        name.push(".part");
        let path = PathBuf::from(name);
        let made = crate::sqlite::private(&path).and_then(|file| file.set_len(0));
        made.map_err(unusable(&path))?;
        Ok(Self(path))
    }

    /// Gives it its name, once it is on the disk.
    fn becomes(self, whole: &Path) -> Result<(), BackupError> {
        let kept = File::open(&self.0)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.0, whole))
            .and_then(|()| File::open(folder_of(whole))?.sync_all());
        kept.map_err(unusable(whole))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // It is gone when it got its name.
        let _ = fs::remove_file(&self.0);
    }
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::File { path, source }
}

fn damaged(path: &Path, what: impl Into<String>) -> BackupError {
    BackupError::Damaged {
        path: path.to_owned(),
        what: what.into(),
    }
}
