//! Connections: pooled by r2d2, handed out by a fair semaphore. One that is dead discards its whole generation.

use super::{group::Between, line::Line, session::Whose, took::Took};
use crate::errors::{Trouble, tells_of_corruption, told, trouble, unavailable};
use crate::files::is_disk_full;
use crate::reach::Reach;
use crate::soundness::Soundness;
use crate::sql::{DatabaseKind, Db};
use diesel::{
    Connection, ConnectionError, ConnectionResult, QueryResult, connection::CacheSize,
    r2d2::Error as ConnectError, result::Error,
};
use domain::ids::AccountId;
use domain::ports::storage::{NoConnection, StorageError};
use r2d2::{ManageConnection, PooledConnection};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Tries on fresh connections before giving up.
pub const TRIES: u32 = 3;

pub struct Connector {
    place: Place,
    setup: String,
    through_pooler: bool,
    generation: Arc<AtomicU64>,
}

pub enum Place {
    Postgres(Reach),
    Sqlite(String),
}

impl Place {
    fn connect(&self, setup: &str) -> ConnectionResult<Db> {
        match self {
            Self::Postgres(reach) => reach.connect(setup),
            Self::Sqlite(file) => {
                Db::connect(DatabaseKind::Sqlite, file, setup).map_err(|it| in_words(it, file))
            }
        }
    }
}

/// Prefix of the cause when the disk has no room for the files beside the database.
const DISK_FULL: &str = "the disk is full";

/// `SQLite` reports an I/O error where it cannot create the files beside its own.
fn in_words(error: ConnectionError, file: &str) -> ConnectionError {
    if !is_disk_full(Path::new(file)) {
        return error;
    }
    ConnectionError::BadConnection(format!("{DISK_FULL}: {file} ({error})"))
}

pub struct Kept {
    pub inner: Db,
    generation: u64,
}

impl ManageConnection for Connector {
    type Connection = Kept;
    type Error = ConnectError;

    fn connect(&self) -> Result<Kept, ConnectError> {
        let generation = self.generation.load(Ordering::SeqCst);
        let connected = self.place.connect(&self.setup);
        let mut inner = connected.map_err(ConnectError::ConnectionError)?;
        if self.through_pooler {
            // The next transaction may run in another server process, which has not prepared the statements.
            inner.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        Ok(Kept { inner, generation })
    }

    fn is_valid(&self, kept: &mut Kept) -> Result<(), ConnectError> {
        kept.inner.answer().map_err(ConnectError::QueryError)
    }

    fn has_broken(&self, kept: &mut Kept) -> bool {
        kept.generation != self.generation.load(Ordering::SeqCst) || kept.inner.is_amid_something()
    }
}

pub type Out = PooledConnection<Connector>;

pub struct PoolSettings {
    pub place: Place,
    /// Statements for each new connection.
    pub setup: String,
    pub size: u32,
    pub through_pooler: bool,
    /// How long to wait for a connection.
    pub deadline: Duration,
    /// The only writer of `SQLite`; its waits have a metric of their own.
    pub is_writer: bool,
    pub soundness: Arc<Soundness>,
}

pub struct Pool {
    connections: r2d2::Pool<Connector>,
    generation: Arc<AtomicU64>,
    permits: Arc<Semaphore>,
    shares: Shares,
    line: Line,
    deadline: Duration,
    is_writer: bool,
    through_pooler: bool,
    is_walled: AtomicBool,
    between: Between,
    soundness: Arc<Soundness>,
    failures: Arc<Mutex<Failures>>,
}

/// The right to use one connection.
pub struct Turn {
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
    /// The account's share, for reads of one account.
    _share: Option<OwnedSemaphorePermit>,
}

/// Limits each account to half of the connections, so that its reads never take all. A connection is returned when its
/// query ends, also after a client disconnect.
struct Shares {
    each: u32,
    by_account: Mutex<HashMap<AccountId, Arc<Semaphore>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    One,
    /// The account's whole share, for one connection.
    Whole,
}

/// Beyond so many entries, accounts without a running read are removed.
const MAX_IDLE_ACCOUNTS: usize = 1_000;

impl Shares {
    fn of(connections: u32) -> Self {
        Self {
            each: (connections / 2).max(1),
            by_account: Mutex::default(),
        }
    }

    fn of_account(&self, account: AccountId) -> Arc<Semaphore> {
        let mut known = { self.by_account.lock() }.unwrap_or_else(PoisonError::into_inner);
        if known.len() > MAX_IDLE_ACCOUNTS {
            known.retain(|_, it| Arc::strong_count(it) > 1);
        }
        let share = known.entry(account);
        Arc::clone(share.or_insert_with(|| Arc::new(Semaphore::new(self.each as usize))))
    }
}

impl Pool {
    pub fn new(settings: PoolSettings) -> Arc<Self> {
        let generation = Arc::new(AtomicU64::new(0));
        let connector = Connector {
            place: settings.place,
            setup: settings.setup,
            through_pooler: settings.through_pooler,
            generation: Arc::clone(&generation),
        };
        let failures = Arc::<Mutex<Failures>>::default();
        // Nobody waits inside r2d2: there are as many permits as connections, and waiting for a permit is fair and
        // asynchronous.
        let connections = r2d2::Pool::builder()
            .max_size(settings.size)
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(settings.deadline)
            .error_handler(Box::new(Noting(Arc::clone(&failures))))
            .build_unchecked(connector);
        Arc::new(Self {
            connections,
            generation,
            permits: Arc::new(Semaphore::new(settings.size as usize)),
            shares: Shares::of(settings.size),
            line: Line::default(),
            deadline: settings.deadline,
            is_writer: settings.is_writer,
            through_pooler: settings.through_pooler,
            is_walled: AtomicBool::new(false),
            between: Between::default(),
            soundness: settings.soundness,
            failures,
        })
    }

    /// Whether transactions set their tenant.
    pub fn says_whose(&self, it_does: bool) {
        self.is_walled.store(it_does, Ordering::Relaxed);
    }

    pub fn is_walled(&self) -> bool {
        self.is_walled.load(Ordering::Relaxed)
    }

    /// First come, first served.
    pub async fn turn(self: &Arc<Self>) -> Result<Turn, StorageError> {
        self.turn_within(None).await
    }

    /// For reads of one account, which first wait for its share.
    pub async fn turn_to_read(
        self: &Arc<Self>,
        whose: Whose,
        share: Share,
    ) -> Result<Turn, StorageError> {
        let share = match whose {
            Whose::Account(account) => {
                let turns = match share {
                    Share::One => 1,
                    Share::Whole => self.shares.each,
                };
                let share = { self.shares.of_account(account) }.acquire_many_owned(turns);
                let share = tokio::time::timeout(self.deadline, share).await;
                let share = share.map_err(|_| unavailable("other reads of the account go on"))?;
                Some(share.map_err(unavailable)?)
            }
            Whose::Everyone => None,
        };
        self.turn_within(share).await
    }

    async fn turn_within(
        self: &Arc<Self>,
        share: Option<OwnedSemaphorePermit>,
    ) -> Result<Turn, StorageError> {
        let began = Instant::now();
        let permit = self.permit().await;
        let waited = began.elapsed();
        if self.is_writer {
            self.soundness.expect()?;
        }
        metrics::histogram!("db_pool_wait_seconds").record(waited);
        if self.is_writer {
            metrics::histogram!("sqlite_writer_wait_seconds").record(waited);
        }
        Ok(Turn {
            pool: Arc::clone(self),
            _permit: permit?,
            _share: share,
        })
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, StorageError> {
        // The wait queue contains real waits only: it is empty while permits are left.
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let _place = self.line.enter();
        let permit = Arc::clone(&self.permits).acquire_owned();
        tokio::time::timeout(self.deadline, permit)
            .await
            .map_err(|_| match self.last_failure() {
                // The owners of the permits wait for the database.
                Some(cause) => unavailable(NoConnection(cause)),
                None => unavailable("no connection became free in time"),
            })?
            .map_err(unavailable)
    }

    /// A permit behind all current waiters, without a timeout; `None` when the pool is closed.
    pub async fn last_in_line(self: &Arc<Self>) -> Option<Turn> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
        Some(Turn {
            pool: Arc::clone(self),
            _permit: permit,
            _share: None,
        })
    }

    pub const fn between(&self) -> &Between {
        &self.between
    }

    pub const fn line(&self) -> &Line {
        &self.line
    }

    pub fn last_failure(&self) -> Option<String> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let last = failures.last.as_ref();
        last.filter(|it| it.0.elapsed() < MAX_FAILURE_AGE)
            .map(|it| it.1.clone())
    }

    /// Open connections, and how many of them are idle.
    pub fn connections(&self) -> (u32, u32) {
        let state = self.connections.state();
        (state.connections, state.idle_connections)
    }
}

impl Turn {
    pub fn is_of(&self, pool: &Arc<Pool>) -> bool {
        Arc::ptr_eq(&self.pool, pool)
    }

    pub fn is_walled(&self) -> bool {
        self.pool.is_walled()
    }

    /// Maps an error for callers; notes a fault in `SQLite`'s file.
    pub fn told(&self, error: Error) -> StorageError {
        if trouble(&error) == Trouble::Broken {
            self.pool.soundness.deny(error.to_string());
        }
        told(error)
    }

    pub fn got_on(&self) {
        self.pool.line.moves();
    }

    /// Whether the commit may be left to a later writer ([`super::group`]), since others wait for the disk.
    pub fn is_shared(&self) -> bool {
        self.pool.is_writer && self.pool.line.length() > 0
    }

    pub const fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Maps a failure to connect, r2d2's only error. r2d2 gives the cause to the first waiter only.
    fn no_connection(&self, error: &r2d2::Error) -> StorageError {
        let cause = self.pool.last_failure();
        let cause = cause.unwrap_or_else(|| error.to_string());
        if tells_of_corruption(&cause) {
            self.pool.soundness.deny(cause.clone());
            return StorageError::Broken(cause.into());
        }
        if cause.contains(DISK_FULL) {
            return StorageError::Full(cause.into());
        }
        unavailable(NoConnection(cause))
    }

    /// A connection of the current generation. Blocks while one is made.
    pub fn connection(&self) -> Result<Out, StorageError> {
        loop {
            let connection =
                { self.pool.connections.get() }.map_err(|it| self.no_connection(&it))?;
            if connection.generation == self.pool.generation.load(Ordering::SeqCst) {
                return Ok(connection);
            }
        }
    }

    /// Discards this connection and its whole generation.
    pub fn forget(&self, connection: Out) {
        let known = connection.generation;
        // Fails if another caller was first: newer connections stay.
        let _ = self.pool.generation.compare_exchange(
            known,
            known + 1,
            Ordering::SeqCst,
            Ordering::SeqCst,
        );
        drop(connection);
    }

    /// Runs a read; retries it on a fresh connection after a lost one, and after contention.
    pub fn look<T>(
        &self,
        whose: Whose,
        query: &(impl Fn(&mut Db) -> QueryResult<T> + ?Sized),
    ) -> Result<T, StorageError> {
        let _took = Took::of("read");
        self.by_itself(whose, query)
    }

    /// Runs an idempotent write, with the retries of [`Self::look`].
    pub fn touch<T>(
        &self,
        whose: Whose,
        query: &(impl Fn(&mut Db) -> QueryResult<T> + ?Sized),
    ) -> Result<T, StorageError> {
        let _took = Took::of("statement");
        self.by_itself(whose, query)
    }

    fn by_itself<T>(
        &self,
        whose: Whose,
        query: &(impl Fn(&mut Db) -> QueryResult<T> + ?Sized),
    ) -> Result<T, StorageError> {
        let is_walled = self.is_walled();
        let query = |db: &mut Db| {
            if is_walled || self.pool.through_pooler {
                in_a_transaction(db, is_walled.then_some(whose), query)
            } else {
                query(db)
            }
        };
        for _ in 1..TRIES {
            let mut connection = self.connection()?;
            match query(&mut connection.inner) {
                Ok(found) => {
                    self.got_on();
                    return Ok(found);
                }
                Err(error) => match trouble(&error) {
                    Trouble::ConnectionLost => self.forget(connection),
                    Trouble::InTheWay => {}
                    _ => return Err(self.told(error)),
                },
            }
        }
        let found = query(&mut self.connection()?.inner).map_err(|it| self.told(it));
        found.inspect(|_| self.got_on())
    }
}

/// Runs the query in a transaction: the tenant is set for it only, and a pooler keeps it on one server process.
fn in_a_transaction<T>(
    db: &mut Db,
    whose: Option<Whose>,
    query: &(impl Fn(&mut Db) -> QueryResult<T> + ?Sized),
) -> QueryResult<T> {
    db.begin()?;
    let told = whose.map_or(Ok(()), |whose| db.say_whose(whose));
    let outcome = told.and_then(|()| query(db));
    let ended = if outcome.is_ok() {
        db.commit()
    } else {
        db.rollback()
    };
    let found = outcome?;
    ended.map(|()| found)
}

/// Older failures to connect are ignored: r2d2 retries within half of this.
const MAX_FAILURE_AGE: Duration = Duration::from_secs(5);

/// Interval between logs of one cause.
const WARN_INTERVAL: Duration = Duration::from_secs(10);

/// Logs a new cause at once, and a repeated one every [`WARN_INTERVAL`] with the number of failures.
#[derive(Debug)]
struct Noting(Arc<Mutex<Failures>>);

#[derive(Debug, Default)]
struct Failures {
    last: Option<(Instant, String)>,
    told_at: Option<Instant>,
    since: u64,
}

impl r2d2::HandleError<ConnectError> for Noting {
    fn handle_error(&self, error: ConnectError) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, error) = (Instant::now(), error.to_string());
        failures.since += 1;
        let is_new = { failures.last.as_ref() }.is_none_or(|it| it.1 != error);
        if is_new || { failures.told_at }.is_none_or(|it| it.elapsed() >= WARN_INTERVAL) {
            let times = failures.since;
            tracing::warn!(error, times, "the database could not be reached");
            failures.told_at = Some(now);
            failures.since = 0;
        }
        failures.last = Some((now, error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_account_takes_half_of_the_connections_at_the_most() {
        let pool = Pool::new(PoolSettings {
            place: Place::Sqlite(String::new()),
            setup: String::new(),
            size: 4,
            through_pooler: false,
            deadline: Duration::from_secs(5),
            is_writer: false,
            soundness: Arc::default(),
        });
        let turn = async |account| {
            let whose = AccountId(account).into();
            pool.turn_to_read(whose, Share::One).await
        };
        let mut of_one = vec![turn(1).await.unwrap(), turn(1).await.unwrap()];
        assert!(
            turn(1).await.is_err(),
            "two of four, until one is given back"
        );
        let others = [turn(2).await.unwrap(), turn(3).await.unwrap()];
        assert!(turn(2).await.is_err(), "none is left");
        drop(others);
        of_one.pop();
        of_one.push(turn(1).await.unwrap());
        assert!(pool.turn_to_read(Whose::Everyone, Share::One).await.is_ok());

        // A whole share excludes the account's other reads, and takes one connection.
        let whole = async |account| {
            let whose = AccountId(account).into();
            pool.turn_to_read(whose, Share::Whole).await
        };
        assert!(whole(1).await.is_err(), "its other reads go on");
        drop(of_one);
        let _alone = whole(1).await.unwrap();
        assert!(turn(1).await.is_err());
        assert!(whole(2).await.is_ok() && turn(3).await.is_ok());
    }
}
