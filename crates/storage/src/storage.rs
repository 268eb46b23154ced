use crate::database_url::{DatabaseKind, DatabaseUrl, Target};
use crate::errors::unavailable;
use crate::executor::in_place::InPlace;
use crate::executor::pool::Pool;
use crate::executor::read_batch::run_blocking_batch;
use crate::executor::session::{Session, TenantScope, blocking};
use crate::files::{FileIdentity, folder_of, free_bytes, is_disk_full, is_full};
use crate::migration_plan::PlannedStep;
use crate::migrations::MigrationError;
use crate::opening::{OpenError, OpenOptions};
use crate::postgres::rls::RlsError;
use crate::postgres::{partitions, rls, stalled};
use crate::postgres_endpoint::PostgresEndpoint;
use crate::queries::clock::milliseconds;
use crate::queries::versions::AppliedMigrations;
use crate::queries::{host_throttle, versions};
use crate::soundness::Soundness;
use crate::sql::Db;
use crate::sqlite::{Compacted, Prepared};
use crate::{migration_plan, migrations, postgres, sqlite};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::ports::{
    host_throttle::{HostHash, HostThrottle},
    storage::{
        BatchRead, InPlaceWork, MAX_ATTEMPTS, Repositories, Storage, StorageError, Transaction,
    },
};
use std::fs::File;
use std::future;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Cheap to clone.
#[derive(Clone)]
pub struct DieselStorage {
    opened: Arc<Opened>,
    /// Used by jobs ([`DieselStorage::for_jobs`]).
    is_for_jobs: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolFigures {
    pub used: u32,
    pub idle: u32,
    /// For a connection that may write.
    pub longest_wait: Duration,
    /// `None` on `PostgreSQL`.
    pub sqlite: Option<SqliteFigures>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SqliteFigures {
    pub writers_waiting: usize,
    pub wal_bytes: u64,
    /// Free on the disk for this user; `None` where the system does not report it.
    pub free_bytes: Option<u64>,
    /// Result of the check of the file; `None` until it was made ([`DieselStorage::faults`]).
    pub is_sound: Option<bool>,
}

impl SqliteFigures {
    pub fn is_disk_full(&self) -> bool {
        is_full(self.free_bytes)
    }
}

enum Opened {
    Postgres {
        endpoint: PostgresEndpoint,
        pool: Arc<Pool>,
        /// For jobs, created on first use: requests and jobs do not wait for each other.
        job_pool: OnceLock<Arc<Pool>>,
        options: OpenOptions,
    },
    Sqlite {
        path: PathBuf,
        identity: FileIdentity,
        writer: Arc<Pool>,
        readers: Arc<Pool>,
        soundness: Arc<Soundness>,
        /// Held as long as the storage lives.
        _lock: Option<File>,
    },
}

impl DieselStorage {
    /// Fails where the database does not answer. Does not migrate its schema.
    pub async fn open(url: DatabaseUrl, options: OpenOptions) -> Result<Self, OpenError> {
        let opened = blocking(move || Opened::open(url, &options)).await??;
        let storage = Self {
            opened: Arc::new(opened),
            is_for_jobs: false,
        };
        storage.ensure_openable().await?;
        if storage.is_rls_enabled().await? {
            storage.opened.set_rls_enabled(true);
        }
        Ok(storage)
    }

    /// The same database for jobs: on `PostgreSQL` with separate connections and a longer statement timeout.
    #[must_use]
    pub fn for_jobs(&self) -> Self {
        Self {
            opened: Arc::clone(&self.opened),
            is_for_jobs: true,
        }
    }

    pub fn kind(&self) -> DatabaseKind {
        match *self.opened {
            Opened::Postgres { .. } => DatabaseKind::Postgres,
            Opened::Sqlite { .. } => DatabaseKind::Sqlite,
        }
    }

    /// Runs no query.
    pub fn figures(&self) -> PoolFigures {
        match &*self.opened {
            Opened::Postgres { .. } => {
                let pools = self.opened.pools();
                pools.fold(PoolFigures::default(), |sum, pool| {
                    let (open, idle) = pool.connections();
                    PoolFigures {
                        used: sum.used + open - idle.min(open),
                        idle: sum.idle + idle,
                        longest_wait: sum.longest_wait.max(pool.wait_queue().longest_wait()),
                        sqlite: None,
                    }
                })
            }
            Opened::Sqlite {
                path,
                writer,
                readers,
                soundness,
                ..
            } => {
                let (first, more) = (writer.connections(), readers.connections());
                let (open, idle) = (first.0 + more.0, first.1 + more.1);
                let mut log = path.clone().into_os_string();
                log.push("-wal");
                PoolFigures {
                    used: open - idle.min(open),
                    idle,
                    longest_wait: writer.wait_queue().longest_wait(),
                    sqlite: Some(SqliteFigures {
                        writers_waiting: writer.wait_queue().length(),
                        // There is none before the first write.
                        wal_bytes: std::fs::metadata(log).map_or(0, |it| it.len()),
                        free_bytes: free_bytes(folder_of(path)),
                        is_sound: soundness.is_sound(),
                    }),
                }
            }
        }
    }

    /// Why the last connection failed in the last seconds; the driver's message may name hosts and roles.
    pub fn last_failure(&self) -> Option<String> {
        self.readers().last_failure()
    }

    /// Returns the steps that were applied.
    pub async fn migrate(&self) -> Result<Vec<String>, MigrationError> {
        let opened = Arc::clone(&self.opened);
        blocking(move || opened.migrate()).await?
    }

    /// Fails when a newer version applied breaking steps, or the opened file was replaced.
    pub async fn pending(&self) -> Result<Vec<String>, MigrationError> {
        if self.kind() == DatabaseKind::Sqlite {
            let opened = Arc::clone(&self.opened);
            blocking(move || opened.ensure_not_replaced()).await??;
        }
        migrations::pending(
            self.kind(),
            &applied_migrations(self.opened.readers()).await?,
        )
    }

    /// What pending steps will do; counts rows of tables.
    pub async fn plan(&self) -> Result<Vec<PlannedStep>, MigrationError> {
        let pending = self.pending().await?;
        let permit = self.opened.readers().acquire().await?;
        let plan = move |db: &mut Db| migration_plan::plan(db, &pending);
        Ok(blocking(move || permit.query(TenantScope::System, &plan)).await??)
    }

    /// The first faults of `SQLite`'s file, in its own words; empty where it is sound. Reads the whole file; fails
    /// where that is not possible. `PostgreSQL` checks its pages itself, and is not queried.
    pub async fn faults(&self) -> Result<Vec<String>, StorageError> {
        match &*self.opened {
            Opened::Postgres { .. } => Ok(vec![]),
            Opened::Sqlite {
                readers, soundness, ..
            } => {
                let permit = readers.acquire().await?;
                let found =
                    blocking(move || permit.query(TenantScope::System, &sqlite::faults)).await;
                let found = found.flatten();
                match &found {
                    Ok(faults) if faults.is_empty() => soundness.record_sound(),
                    Ok(faults) => soundness.record_fault(faults.join("; ")),
                    // A fault of the file was recorded where it was met.
                    Err(_) => {}
                }
                found
            }
        }
    }

    /// The first fault that [`Self::faults`] or any statement finds in `SQLite`'s file; then nothing more is written.
    pub async fn until_broken(&self) -> String {
        match &*self.opened {
            Opened::Postgres { .. } => future::pending().await,
            Opened::Sqlite { soundness, .. } => soundness.until_broken().await,
        }
    }

    /// Makes `SQLite`'s file smaller; only where no other process has the database open. `None` on `PostgreSQL`, which
    /// does it while it runs. Fails where the file cannot be read or written; what was packed until then stays.
    pub async fn compact(&self) -> Result<Option<Compacted>, StorageError> {
        let opened = Arc::clone(&self.opened);
        let compact = move || match &*opened {
            Opened::Postgres { .. } => Ok(None),
            Opened::Sqlite { path, .. } => {
                let db = sqlite::connect_for_migration(path);
                sqlite::compact(&mut db.map_err(unavailable)?, path).map(Some)
            }
        };
        blocking(compact).await?
    }

    /// Kind and version of the database.
    pub async fn product(&self) -> Result<String, StorageError> {
        let permit = self.opened.readers().acquire().await?;
        let kind = self.kind();
        let version = blocking(move || permit.query(TenantScope::System, &versions::product));
        Ok(format!("{} {}", kind.title(), version.await??))
    }

    /// Whether row-level security is enabled; never on `SQLite`.
    pub async fn is_rls_enabled(&self) -> Result<bool, StorageError> {
        match &*self.opened {
            Opened::Postgres { pool, .. } => {
                let permit = pool.acquire().await?;
                blocking(move || permit.query(TenantScope::System, &rls::is_enabled)).await?
            }
            Opened::Sqlite { .. } => Ok(false),
        }
    }

    /// Running servers and workers read it when they open the database and at each ping: restart the others.
    pub async fn set_rls(&self, enable: bool) -> Result<(), RlsError> {
        let opened = Arc::clone(&self.opened);
        blocking(move || opened.set_rls(enable)).await??;
        self.opened.set_rls_enabled(enable);
        Ok(())
    }

    /// Whether the database has no schema: no process can be using it.
    pub async fn is_fresh(&self) -> Result<bool, StorageError> {
        Ok(applied_migrations(self.opened.readers())
            .await?
            .steps
            .is_empty())
    }

    /// The pool of jobs where this is for jobs, else that of requests.
    fn pool_for_role<'p>(&'p self, of_requests: &'p Arc<Pool>) -> &'p Arc<Pool> {
        match &*self.opened {
            Opened::Postgres {
                endpoint,
                job_pool,
                options,
                ..
            } if self.is_for_jobs => job_pool.get_or_init(|| {
                let pool = postgres::pool(endpoint, options, options.work_statement_timeout);
                pool.set_rls_enabled(of_requests.is_rls_enabled());
                pool
            }),
            _ => of_requests,
        }
    }

    fn readers(&self) -> &Arc<Pool> {
        match &*self.opened {
            Opened::Postgres { pool, .. } => self.pool_for_role(pool),
            Opened::Sqlite { readers, .. } => readers,
        }
    }

    fn writers(&self) -> &Arc<Pool> {
        match &*self.opened {
            Opened::Postgres { pool, .. } => self.pool_for_role(pool),
            Opened::Sqlite { writer, .. } => writer,
        }
    }

    async fn ensure_openable(&self) -> Result<(), OpenError> {
        match self.pending().await {
            Err(MigrationError::Storage(error)) => Err(error.into()),
            Err(error @ MigrationError::UnfinishedTransfer) => {
                Err(OpenError::Unfinished(error.to_string()))
            }
            _ => Ok(()),
        }
    }
}

impl Opened {
    fn open(url: DatabaseUrl, options: &OpenOptions) -> Result<Self, OpenError> {
        let place = url.to_string();
        match url.0 {
            Target::Postgres(url) => {
                let endpoint = PostgresEndpoint::new(&url)?;
                endpoint.check_connection(&place, options.through_pooler)?;
                Ok(Self::Postgres {
                    pool: postgres::pool(&endpoint, options, options.statement_timeout),
                    job_pool: OnceLock::new(),
                    options: options.clone(),
                    endpoint,
                })
            }
            Target::Sqlite(path) => {
                let Prepared {
                    path,
                    identity,
                    lock,
                } = sqlite::prepare(&path, options)?;
                let soundness = Arc::<Soundness>::default();
                Ok(Self::Sqlite {
                    writer: sqlite::writer(&path, options, &soundness),
                    readers: sqlite::readers(&path, options, &soundness),
                    path,
                    identity,
                    soundness,
                    _lock: lock,
                })
            }
        }
    }

    /// Writes to a file that was removed or replaced while open are acknowledged and lost.
    fn ensure_not_replaced(&self) -> Result<(), StorageError> {
        let Self::Sqlite { path, identity, .. } = self else {
            return Ok(());
        };
        if FileIdentity::at(path).ok() == Some(*identity) {
            return Ok(());
        }
        Err(unavailable(format!(
            "{} was removed or replaced while it was open: start the server again",
            path.display()
        )))
    }

    const fn readers(&self) -> &Arc<Pool> {
        match self {
            Self::Postgres { pool, .. } | Self::Sqlite { readers: pool, .. } => pool,
        }
    }

    fn pools(&self) -> impl Iterator<Item = &Arc<Pool>> {
        let both = match self {
            Self::Postgres { pool, job_pool, .. } => [Some(pool), job_pool.get()],
            Self::Sqlite { .. } => [None, None],
        };
        both.into_iter().flatten()
    }

    fn set_rls_enabled(&self, enabled: bool) {
        for pool in self.pools() {
            pool.set_rls_enabled(enabled);
        }
    }

    fn set_rls(&self, enable: bool) -> Result<(), RlsError> {
        let Self::Postgres { endpoint, .. } = self else {
            return Err(RlsError::NotPostgres);
        };
        let mut connection = endpoint.connect_for_migration().map_err(unavailable)?;
        if enable {
            rls::enable(&mut connection)
        } else {
            rls::disable(&mut connection)
        }
    }

    fn maintain_partitions(
        &self,
        today: NaiveDate,
        keep_since: Option<NaiveDate>,
    ) -> Result<(), StorageError> {
        let Self::Postgres { endpoint, .. } = self else {
            return Ok(());
        };
        let mut connection = endpoint.connect_for_migration().map_err(unavailable)?;
        partitions::maintain(&mut connection, today, keep_since).map_err(unavailable)
    }

    async fn reserve_slot(
        &self,
        site: HostHash,
        pause: Duration,
        distance: Duration,
    ) -> Result<Duration, StorageError> {
        match self {
            Self::Postgres { pool, .. } => {
                // Several processes may update the same row, which strict isolation refuses to all but one.
                let mut tried = 1;
                loop {
                    let permit = pool.acquire().await?;
                    let take = move |db: &mut Db| host_throttle::reserve(db, site, pause, distance);
                    match blocking(move || permit.execute_idempotent(TenantScope::System, &take))
                        .await?
                    {
                        Err(error) if error.is_transient() && tried < MAX_ATTEMPTS => tried += 1,
                        outcome => return outcome,
                    }
                }
            }
            // One process works here and needs no throttle; a reservation is an ordinary write.
            Self::Sqlite { writer, .. } => {
                let mut work = Session::begin(writer).await?;
                let take = move |db: &mut Db| host_throttle::reserve(db, site, pause, distance);
                let wait = work.change(TenantScope::System, take).await?;
                work.commit_transaction().await?;
                Ok(wait)
            }
        }
    }

    fn migrate(&self) -> Result<Vec<String>, MigrationError> {
        match self {
            Self::Postgres { endpoint, .. } => {
                let db = endpoint.connect_for_migration();
                migrations::apply_all(&mut db.map_err(unavailable)?)
            }
            Self::Sqlite { path, .. } => {
                let db = sqlite::connect_for_migration(path);
                let mut db = db.map_err(unavailable)?;
                let taken = migrations::apply_all(&mut db)?;
                if !taken.is_empty() {
                    // Otherwise all tables stay in the log, and not in the file, as long as little is written.
                    sqlite::truncate_wal(&mut db).map_err(unavailable)?;
                }
                Ok(taken)
            }
        }
    }
}

async fn now(pool: &Arc<Pool>) -> Result<DateTime<Utc>, StorageError> {
    let permit = pool.acquire().await?;
    let milliseconds = blocking(move || permit.query(TenantScope::System, &milliseconds)).await??;
    DateTime::from_timestamp_millis(milliseconds).ok_or(StorageError::Corrupt {
        subject: "the database's clock",
    })
}

async fn applied_migrations(pool: &Arc<Pool>) -> Result<AppliedMigrations, StorageError> {
    let permit = pool.acquire().await?;
    blocking(move || permit.query(TenantScope::System, &versions::applied_migrations)).await?
}

#[async_trait]
impl Storage for DieselStorage {
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError> {
        Ok(Box::new(Session::Reader(Arc::clone(self.readers()))))
    }

    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError> {
        Ok(Box::new(Session::begin(self.writers()).await?))
    }

    fn run_in_place<'w>(&self, work: InPlaceWork<'w>) -> InPlaceWork<'w> {
        Box::pin(InPlace(work))
    }

    async fn read_batch(&self, reading: BatchRead) -> Result<(), StorageError> {
        run_blocking_batch(self.readers(), reading).await
    }

    fn has_room(&self) -> bool {
        match &*self.opened {
            // The server reports it for each statement.
            Opened::Postgres { .. } => true,
            Opened::Sqlite { path, .. } => !is_disk_full(path),
        }
    }

    async fn maintain_partitions(
        &self,
        today: NaiveDate,
        keep_since: Option<NaiveDate>,
    ) -> Result<(), StorageError> {
        let opened = Arc::clone(&self.opened);
        blocking(move || opened.maintain_partitions(today, keep_since)).await?
    }

    async fn end_stalled(&self, silent_for: TimeDelta) -> Result<u64, StorageError> {
        let Opened::Postgres { pool, .. } = &*self.opened else {
            // One process has the file, and its locks end with it.
            return Ok(0);
        };
        let permit = self.pool_for_role(pool).acquire().await?;
        let end = move |db: &mut Db| stalled::end(db, silent_for);
        blocking(move || permit.query(TenantScope::System, &end)).await?
    }

    async fn now(&self) -> Result<DateTime<Utc>, StorageError> {
        now(self.readers()).await
    }

    async fn ping(&self) -> Result<(), StorageError> {
        // Row-level security may have been changed since the database was opened.
        self.opened.set_rls_enabled(self.is_rls_enabled().await?);
        match self.pending().await {
            Ok(steps) if steps.is_empty() => Ok(()),
            Ok(steps) => Err(unavailable(format!(
                "{} migration(s) pending: run `sightline migrate`",
                steps.len()
            ))),
            Err(MigrationError::Storage(error)) => Err(error),
            Err(error) => Err(unavailable(error)),
        }
    }
}

#[async_trait]
impl HostThrottle for DieselStorage {
    async fn reserve(&self, site: HostHash, distance: Duration) -> Result<Duration, StorageError> {
        self.opened
            .reserve_slot(site, Duration::ZERO, distance)
            .await
    }

    async fn pause(&self, site: HostHash, time: Duration) -> Result<(), StorageError> {
        self.opened
            .reserve_slot(site, time, Duration::ZERO)
            .await
            .map(drop)
    }
}
