use crate::errors::unavailable;
use crate::postgres::{partitions, rls};
use crate::queries::versions;
use crate::queries::versions::AppliedMigrations;
use crate::sql::{DatabaseKind, Db, Link};
use crate::{postgres, sqlite};
use diesel::backend::Backend;
use diesel::migration;
use diesel::migration::MigrationSource;
use diesel::pg::Pg;
use diesel::sqlite::Sqlite;
use diesel_migrations::MigrationHarness;
use domain::ports::storage::StorageError;
use std::{collections::BTreeSet, error::Error, thread, time::Duration};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum MigrationError {
    #[error(
        "the database has schema version {0}, which this version cannot work with: use a newer one"
    )]
    Newer(String),
    #[error(
        "a transfer into this database is unfinished: run the same `sightline transfer` again to finish it, or use another database"
    )]
    UnfinishedTransfer,
    /// The step was rolled back; earlier steps stay applied.
    #[error("a migration failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Retries of a step while another process seems to apply it.
const MAX_COLLISIONS: u32 = 5;

/// In `schema_breaks` while a transfer is unfinished: versions without transfers refuse it as a newer schema.
pub const UNFINISHED_TRANSFER: &str = "unfinished transfer";

pub const VERSION_TABLES: [&str; 2] = ["__diesel_schema_migrations", "schema_breaks"];

pub fn is_unfinished_transfer(taken: &AppliedMigrations) -> bool {
    taken.breaks.iter().any(|it| it == UNFINISHED_TRANSFER)
}

/// Steps that are not applied, in order. Unknown steps are a newer version's, and allowed unless in `schema_breaks`.
pub fn pending(
    kind: DatabaseKind,
    taken: &AppliedMigrations,
) -> Result<Vec<String>, MigrationError> {
    if is_unfinished_transfer(taken) {
        return Err(MigrationError::UnfinishedTransfer);
    }
    let known = known(kind).map_err(MigrationError::Failed)?;
    if let Some(newer) = taken.breaks.iter().find(|it| !known.contains(*it)) {
        return Err(MigrationError::Newer(newer.clone()));
    }
    let taken: BTreeSet<&String> = taken.steps.iter().collect();
    Ok(known.into_iter().filter(|it| !taken.contains(it)).collect())
}

/// Applies all pending steps, creates the default partition and repairs row-level security.
pub fn apply_all(db: &mut Db) -> Result<Vec<String>, MigrationError> {
    let taken = migrate(db)?;
    if db.kind() == DatabaseKind::Postgres && !taken.is_empty() {
        partitions::create_default(db).map_err(unavailable)?;
        rls::repair(db).map_err(unavailable)?;
    }
    Ok(taken)
}

/// Applies all pending steps, each in a transaction, and returns them. Of two processes, the second retries.
fn migrate(db: &mut Db) -> Result<Vec<String>, MigrationError> {
    let mut taken = Vec::new();
    let mut collisions = 0;
    loop {
        let before = read_pending(db)?;
        if before.is_empty() {
            return Ok(taken);
        }
        let next = match db.link() {
            Link::Postgres(link) => link.run_next_migration(postgres::MIGRATIONS),
            Link::Sqlite(link) => link.run_next_migration(sqlite::MIGRATIONS),
        };
        match next {
            Ok(version) => taken.push(version.to_string()),
            Err(error) => {
                let passed_by_another = read_pending(db)?.len() < before.len();
                if !passed_by_another {
                    collisions += 1;
                    thread::sleep(Duration::from_millis(100));
                }
                if collisions == MAX_COLLISIONS {
                    return Err(MigrationError::Failed(error));
                }
            }
        }
    }
}

fn read_pending(db: &mut Db) -> Result<Vec<String>, MigrationError> {
    let taken = versions::applied_migrations(db).map_err(unavailable)?;
    pending(db.kind(), &taken)
}

fn known(kind: DatabaseKind) -> migration::Result<BTreeSet<String>> {
    match kind {
        DatabaseKind::Postgres => steps::<Pg>(&postgres::MIGRATIONS),
        DatabaseKind::Sqlite => steps::<Sqlite>(&sqlite::MIGRATIONS),
    }
}

fn steps<DB: Backend>(schema: &impl MigrationSource<DB>) -> migration::Result<BTreeSet<String>> {
    let steps = schema.migrations()?.into_iter();
    Ok(steps.map(|it| it.name().version().to_string()).collect())
}
