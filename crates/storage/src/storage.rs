//! The storage: opens readers and transactions on whichever database it is.

use crate::{
    database::Database,
    database_url::{DatabaseKind, DatabaseUrl, Target},
    errors::unavailable,
    migrations::{self, MigrationError},
    opening::{OpenError, OpenOptions},
    pool::Pool,
    postgres,
    session::{Session, blocking},
    sqlite,
};
use async_trait::async_trait;
use diesel::{PgConnection, SqliteConnection, migration::MigrationSource};
use diesel_migrations::EmbeddedMigrations;
use domain::ports::storage::{Repositories, Storage, StorageError, Transaction};
use std::{fs::File, path::PathBuf, sync::Arc};

/// Everything that is remembered, in one database. Cheap to clone.
#[derive(Clone)]
pub struct DieselStorage(Arc<Opened>);

enum Opened {
    Postgres {
        url: String,
        pool: Arc<Pool<PgConnection>>,
    },
    Sqlite {
        path: PathBuf,
        writer: Arc<Pool<SqliteConnection>>,
        readers: Arc<Pool<SqliteConnection>>,
        /// Held as long as the storage lives.
        _lock: Option<File>,
    },
}

impl DieselStorage {
    /// Opens a database that answers. Its schema is left as it is.
    pub async fn open(url: DatabaseUrl, options: OpenOptions) -> Result<Self, OpenError> {
        let opened = blocking(move || Opened::open(url, &options)).await??;
        let storage = Self(Arc::new(opened));
        storage.pending_or_newer().await?;
        Ok(storage)
    }

    /// Which database it is.
    #[must_use]
    pub fn kind(&self) -> DatabaseKind {
        match *self.0 {
            Opened::Postgres { .. } => DatabaseKind::Postgres,
            Opened::Sqlite { .. } => DatabaseKind::Sqlite,
        }
    }

    /// Brings the schema up to date; answers with the steps that were taken.
    pub async fn migrate(&self) -> Result<Vec<String>, MigrationError> {
        let opened = Arc::clone(&self.0);
        blocking(move || opened.migrate()).await?
    }

    /// The steps of the schema that are still to be taken; an error when the database is newer
    /// than this version.
    pub async fn pending(&self) -> Result<Vec<String>, MigrationError> {
        match &*self.0 {
            Opened::Postgres { pool, .. } => pending(pool).await,
            Opened::Sqlite { readers, .. } => pending(readers).await,
        }
    }

    /// Whether the database has no schema at all: nobody can be using it.
    pub async fn is_fresh(&self) -> Result<bool, StorageError> {
        let applied = match &*self.0 {
            Opened::Postgres { pool, .. } => applied(pool).await?,
            Opened::Sqlite { readers, .. } => applied(readers).await?,
        };
        Ok(applied.is_empty())
    }

    async fn pending_or_newer(&self) -> Result<(), OpenError> {
        match self.pending().await {
            Err(MigrationError::Storage(error)) => Err(error.into()),
            _ => Ok(()),
        }
    }
}

impl Opened {
    fn open(url: DatabaseUrl, options: &OpenOptions) -> Result<Self, OpenError> {
        match url.0 {
            Target::Postgres(url) => Ok(Self::Postgres {
                pool: postgres::pool(&url, options),
                url,
            }),
            Target::Sqlite(path) => Ok(Self::Sqlite {
                _lock: sqlite::prepare(&path, options)?,
                writer: sqlite::writer(&path, options),
                readers: sqlite::readers(&path, options),
                path,
            }),
        }
    }

    fn migrate(&self) -> Result<Vec<String>, MigrationError> {
        match self {
            Self::Postgres { url, .. } => {
                let connection = postgres::connect_for_migration(url);
                migrations::migrate(&mut connection.map_err(unavailable)?)
            }
            Self::Sqlite { path, .. } => {
                let connection = sqlite::connect_for_migration(path);
                migrations::migrate(&mut connection.map_err(unavailable)?)
            }
        }
    }
}

async fn pending<D>(pool: &Arc<Pool<D>>) -> Result<Vec<String>, MigrationError>
where
    D: Database,
    EmbeddedMigrations: MigrationSource<D::Backend>,
{
    migrations::pending::<D>(applied(pool).await?)
}

async fn applied<D: Database>(pool: &Arc<Pool<D>>) -> Result<Vec<String>, StorageError> {
    let turn = pool.turn().await?;
    blocking(move || turn.look(&D::applied_versions)).await?
}

#[async_trait]
impl Storage for DieselStorage {
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError> {
        Ok(match &*self.0 {
            Opened::Postgres { pool, .. } => Box::new(Session::Reader(Arc::clone(pool))),
            Opened::Sqlite { readers, .. } => Box::new(Session::Reader(Arc::clone(readers))),
        })
    }

    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError> {
        Ok(match &*self.0 {
            Opened::Postgres { pool, .. } => Box::new(Session::begin(pool).await?),
            Opened::Sqlite { writer, .. } => Box::new(Session::begin(writer).await?),
        })
    }

    async fn ping(&self) -> Result<(), StorageError> {
        match self.pending().await {
            Ok(steps) if steps.is_empty() => Ok(()),
            Ok(steps) => Err(unavailable(format!(
                "the schema lacks {} steps: run `migrate`",
                steps.len()
            ))),
            Err(MigrationError::Storage(error)) => Err(error),
            Err(error) => Err(unavailable(error)),
        }
    }
}
