use crate::database_url::{DatabaseKind, DatabaseUrl, Target};
use crate::errors::unavailable;
use crate::executor::close_by::close_by;
use crate::executor::near::Near;
use crate::executor::pool::Pool;
use crate::executor::session::{Session, Whose, blocking};
use crate::files::{Identity, folder_of, free_bytes, is_disk_full, is_full};
use crate::migration_plan::PlannedStep;
use crate::migrations::MigrationError;
use crate::opening::{OpenError, OpenOptions};
use crate::postgres::wall::WallError;
use crate::postgres::{partitions, stalled, wall};
use crate::queries::clock::milliseconds;
use crate::queries::versions::Taken;
use crate::queries::{site_turns, versions};
use crate::reach::Reach;
use crate::soundness::Soundness;
use crate::sql::Db;
use crate::sqlite::{Compacted, Prepared};
use crate::{migration_plan, migrations, postgres, sqlite};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::ports::{
    site_turns::{SiteHash, SiteTurns},
    storage::{ATTEMPTS, Reading, Repositories, Storage, StorageError, Transaction, Work},
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
    /// Used by jobs ([`DieselStorage::for_work`]).
    is_for_work: bool,
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
        reach: Reach,
        pool: Arc<Pool>,
        /// For jobs, created on first use: requests and jobs do not wait for each other.
        of_work: OnceLock<Arc<Pool>>,
        options: OpenOptions,
    },
    Sqlite {
        path: PathBuf,
        identity: Identity,
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
            is_for_work: false,
        };
        storage.pending_or_newer().await?;
        if storage.is_walled().await? {
            storage.opened.says_whose(true);
        }
        Ok(storage)
    }

    /// The same database for jobs: on `PostgreSQL` with connections of their own and a longer statement timeout.
    #[must_use]
    pub fn for_work(&self) -> Self {
        Self {
            opened: Arc::clone(&self.opened),
            is_for_work: true,
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
                        longest_wait: sum.longest_wait.max(pool.line().age()),
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
                    longest_wait: writer.line().age(),
                    sqlite: Some(SqliteFigures {
                        writers_waiting: writer.line().length(),
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
            blocking(move || opened.is_still_there()).await??;
        }
        migrations::pending(self.kind(), &taken(self.opened.readers()).await?)
    }

    /// What pending steps will do; counts rows of tables.
    pub async fn plan(&self) -> Result<Vec<PlannedStep>, MigrationError> {
        let pending = self.pending().await?;
        let turn = self.opened.readers().turn().await?;
        let plan = move |db: &mut Db| migration_plan::plan(db, &pending);
        Ok(blocking(move || turn.look(Whose::Everyone, &plan)).await??)
    }

    /// The first faults of `SQLite`'s file, in its own words; empty where it is sound. Reads the whole file; fails
    /// where that is not possible. `PostgreSQL` checks its pages itself, and is not queried.
    pub async fn faults(&self) -> Result<Vec<String>, StorageError> {
        match &*self.opened {
            Opened::Postgres { .. } => Ok(vec![]),
            Opened::Sqlite {
                readers, soundness, ..
            } => {
                let turn = readers.turn().await?;
                let found = blocking(move || turn.look(Whose::Everyone, &sqlite::faults)).await;
                let found = found.flatten();
                match &found {
                    Ok(faults) if faults.is_empty() => soundness.confirm(),
                    Ok(faults) => soundness.deny(faults.join("; ")),
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

    /// Makes `SQLite`'s file smaller; only where nobody else has the database open. `None` on `PostgreSQL`, which does
    /// it while it runs. Fails where the file cannot be read or written; what was packed until then stays.
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

    /// Whether row-level security is enabled; never on `SQLite`.
    pub async fn is_walled(&self) -> Result<bool, StorageError> {
        match &*self.opened {
            Opened::Postgres { pool, .. } => {
                let turn = pool.turn().await?;
                blocking(move || turn.look(Whose::Everyone, &wall::is_up)).await?
            }
            Opened::Sqlite { .. } => Ok(false),
        }
    }

    /// Running servers and workers read it when they open the database and at each ping: restart the others.
    pub async fn wall(&self, up: bool) -> Result<(), WallError> {
        let opened = Arc::clone(&self.opened);
        blocking(move || opened.wall(up)).await??;
        self.opened.says_whose(up);
        Ok(())
    }

    /// Whether the database has no schema: nobody can be using it.
    pub async fn is_fresh(&self) -> Result<bool, StorageError> {
        Ok(taken(self.opened.readers()).await?.steps.is_empty())
    }

    /// The pool of jobs where this is for jobs, else that of requests.
    fn mine<'p>(&'p self, of_requests: &'p Arc<Pool>) -> &'p Arc<Pool> {
        match &*self.opened {
            Opened::Postgres {
                reach,
                of_work,
                options,
                ..
            } if self.is_for_work => of_work.get_or_init(|| {
                let pool = postgres::pool(reach, options, options.work_statement_timeout);
                pool.says_whose(of_requests.is_walled());
                pool
            }),
            _ => of_requests,
        }
    }

    fn readers(&self) -> &Arc<Pool> {
        match &*self.opened {
            Opened::Postgres { pool, .. } => self.mine(pool),
            Opened::Sqlite { readers, .. } => readers,
        }
    }

    fn writers(&self) -> &Arc<Pool> {
        match &*self.opened {
            Opened::Postgres { pool, .. } => self.mine(pool),
            Opened::Sqlite { writer, .. } => writer,
        }
    }

    async fn pending_or_newer(&self) -> Result<(), OpenError> {
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
                let reach = Reach::of(&url)?;
                reach.try_out(&place, options.through_pooler)?;
                Ok(Self::Postgres {
                    pool: postgres::pool(&reach, options, options.statement_timeout),
                    of_work: OnceLock::new(),
                    options: options.clone(),
                    reach,
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
    fn is_still_there(&self) -> Result<(), StorageError> {
        let Self::Sqlite { path, identity, .. } = self else {
            return Ok(());
        };
        if Identity::at(path).ok() == Some(*identity) {
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
            Self::Postgres { pool, of_work, .. } => [Some(pool), of_work.get()],
            Self::Sqlite { .. } => [None, None],
        };
        both.into_iter().flatten()
    }

    fn says_whose(&self, it_does: bool) {
        for pool in self.pools() {
            pool.says_whose(it_does);
        }
    }

    fn wall(&self, up: bool) -> Result<(), WallError> {
        let Self::Postgres { reach, .. } = self else {
            return Err(WallError::NotPostgres);
        };
        let mut connection = reach.connect_for_migration().map_err(unavailable)?;
        if up {
            wall::raise(&mut connection)
        } else {
            wall::lower(&mut connection)
        }
    }

    fn tend(&self, today: NaiveDate, keep_since: Option<NaiveDate>) -> Result<(), StorageError> {
        let Self::Postgres { reach, .. } = self else {
            return Ok(());
        };
        let mut connection = reach.connect_for_migration().map_err(unavailable)?;
        partitions::tend(&mut connection, today, keep_since).map_err(unavailable)
    }

    async fn take_turn(
        &self,
        site: SiteHash,
        pause: Duration,
        distance: Duration,
    ) -> Result<Duration, StorageError> {
        match self {
            Self::Postgres { pool, .. } => {
                // Several processes may update the same row, which strict isolation refuses to all but one.
                let mut tried = 1;
                loop {
                    let turn = pool.turn().await?;
                    let take = move |db: &mut Db| site_turns::take(db, site, pause, distance);
                    match blocking(move || turn.touch(Whose::Everyone, &take)).await? {
                        Err(error) if error.is_passing() && tried < ATTEMPTS => tried += 1,
                        outcome => return outcome,
                    }
                }
            }
            // One process works here and needs no throttle; a reservation is an ordinary write.
            Self::Sqlite { writer, .. } => {
                let mut work = Session::begin(writer).await?;
                let take = move |db: &mut Db| site_turns::take(db, site, pause, distance);
                let wait = work.change(Whose::Everyone, take).await?;
                work.keep().await?;
                Ok(wait)
            }
        }
    }

    fn migrate(&self) -> Result<Vec<String>, MigrationError> {
        match self {
            Self::Postgres { reach, .. } => {
                let db = reach.connect_for_migration();
                migrations::bring_up_to_date(&mut db.map_err(unavailable)?)
            }
            Self::Sqlite { path, .. } => {
                let db = sqlite::connect_for_migration(path);
                let mut db = db.map_err(unavailable)?;
                let taken = migrations::bring_up_to_date(&mut db)?;
                if !taken.is_empty() {
                    // Otherwise all tables stay in the log, and not in the file, as long as little is written.
                    sqlite::empty_log(&mut db).map_err(unavailable)?;
                }
                Ok(taken)
            }
        }
    }
}

async fn now(pool: &Arc<Pool>) -> Result<DateTime<Utc>, StorageError> {
    let turn = pool.turn().await?;
    let milliseconds = blocking(move || turn.look(Whose::Everyone, &milliseconds)).await??;
    DateTime::from_timestamp_millis(milliseconds).ok_or(StorageError::Corrupt {
        what: "the database's clock",
    })
}

async fn taken(pool: &Arc<Pool>) -> Result<Taken, StorageError> {
    let turn = pool.turn().await?;
    blocking(move || turn.look(Whose::Everyone, &versions::taken)).await?
}

#[async_trait]
impl Storage for DieselStorage {
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError> {
        Ok(Box::new(Session::Reader(Arc::clone(self.readers()))))
    }

    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError> {
        Ok(Box::new(Session::begin(self.writers()).await?))
    }

    fn near<'w>(&self, work: Work<'w>) -> Work<'w> {
        Box::pin(Near(work))
    }

    async fn close_by(&self, reading: Reading) -> Result<(), StorageError> {
        close_by(self.readers(), reading).await
    }

    fn has_room(&self) -> bool {
        match &*self.opened {
            // The server reports it for each statement.
            Opened::Postgres { .. } => true,
            Opened::Sqlite { path, .. } => !is_disk_full(path),
        }
    }

    async fn tend(
        &self,
        today: NaiveDate,
        keep_since: Option<NaiveDate>,
    ) -> Result<(), StorageError> {
        let opened = Arc::clone(&self.opened);
        blocking(move || opened.tend(today, keep_since)).await?
    }

    async fn end_stalled(&self, silent_for: TimeDelta) -> Result<u64, StorageError> {
        let Opened::Postgres { pool, .. } = &*self.opened else {
            // One process has the file, and its locks end with it.
            return Ok(0);
        };
        let turn = self.mine(pool).turn().await?;
        let end = move |db: &mut Db| stalled::end(db, silent_for);
        blocking(move || turn.look(Whose::Everyone, &end)).await?
    }

    async fn now(&self) -> Result<DateTime<Utc>, StorageError> {
        now(self.readers()).await
    }

    async fn ping(&self) -> Result<(), StorageError> {
        // Row-level security may have been changed since the database was opened.
        self.opened.says_whose(self.is_walled().await?);
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

#[async_trait]
impl SiteTurns for DieselStorage {
    async fn take(&self, site: SiteHash, distance: Duration) -> Result<Duration, StorageError> {
        self.opened.take_turn(site, Duration::ZERO, distance).await
    }

    async fn pause(&self, site: SiteHash, time: Duration) -> Result<(), StorageError> {
        self.opened
            .take_turn(site, time, Duration::ZERO)
            .await
            .map(drop)
    }
}
