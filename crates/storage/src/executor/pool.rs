//! Connections: pooled by r2d2, handed out by a fair semaphore. One that is dead discards its whole generation.

use super::{
    group_commit::PendingGroup, query_timer::QueryTimer, session::TenantScope,
    wait_queue::WaitQueue,
};
use crate::errors::{
    DbErrorKind, classify, into_storage_error, is_corruption_message, unavailable,
};
use crate::files::is_disk_full;
use crate::postgres_endpoint::PostgresEndpoint;
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
    endpoint: Endpoint,
    setup: String,
    through_pooler: bool,
    generation: Arc<AtomicU64>,
}

pub enum Endpoint {
    Postgres(PostgresEndpoint),
    Sqlite(String),
}

impl Endpoint {
    fn connect(&self, setup: &str) -> ConnectionResult<Db> {
        match self {
            Self::Postgres(endpoint) => endpoint.connect(setup),
            Self::Sqlite(file) => Db::connect(DatabaseKind::Sqlite, file, setup)
                .map_err(|it| with_disk_full_cause(it, file)),
        }
    }
}

/// Prefix of the cause when the disk has no room for the files beside the database.
const DISK_FULL: &str = "the disk is full";

/// `SQLite` reports an I/O error where it cannot create the files beside its own.
fn with_disk_full_cause(error: ConnectionError, file: &str) -> ConnectionError {
    if !is_disk_full(Path::new(file)) {
        return error;
    }
    ConnectionError::BadConnection(format!("{DISK_FULL}: {file} ({error})"))
}

pub struct TrackedConnection {
    pub inner: Db,
    generation: u64,
}

impl ManageConnection for Connector {
    type Connection = TrackedConnection;
    type Error = ConnectError;

    fn connect(&self) -> Result<TrackedConnection, ConnectError> {
        let generation = self.generation.load(Ordering::SeqCst);
        let connected = self.endpoint.connect(&self.setup);
        let mut inner = connected.map_err(ConnectError::ConnectionError)?;
        if self.through_pooler {
            // The next transaction may run in another server process, which has not prepared the statements.
            inner.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        Ok(TrackedConnection { inner, generation })
    }

    fn is_valid(&self, kept: &mut TrackedConnection) -> Result<(), ConnectError> {
        kept.inner.ping().map_err(ConnectError::QueryError)
    }

    fn has_broken(&self, kept: &mut TrackedConnection) -> bool {
        kept.generation != self.generation.load(Ordering::SeqCst)
            || kept.inner.has_open_transaction()
    }
}

pub type PoolConnection = PooledConnection<Connector>;

pub struct PoolSettings {
    pub endpoint: Endpoint,
    /// Statements for each new connection.
    pub setup: String,
    pub size: u32,
    pub through_pooler: bool,
    /// How long to wait for a connection.
    pub connection_timeout: Duration,
    /// The only writer of `SQLite`; its waits have a separate metric.
    pub is_writer: bool,
    pub soundness: Arc<Soundness>,
}

pub struct Pool {
    connections: r2d2::Pool<Connector>,
    generation: Arc<AtomicU64>,
    permits: Arc<Semaphore>,
    shares: Shares,
    wait_queue: WaitQueue,
    connection_timeout: Duration,
    is_writer: bool,
    through_pooler: bool,
    is_rls_enabled: AtomicBool,
    pending_group: PendingGroup,
    soundness: Arc<Soundness>,
    failures: Arc<Mutex<Failures>>,
}

/// The right to use one connection.
pub struct Permit {
    pool: Arc<Pool>,
    _slot: OwnedSemaphorePermit,
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
            endpoint: settings.endpoint,
            setup: settings.setup,
            through_pooler: settings.through_pooler,
            generation: Arc::clone(&generation),
        };
        let failures = Arc::<Mutex<Failures>>::default();
        // No task waits inside r2d2: there are as many permits as connections, and waiting for a permit is fair and
        // asynchronous.
        let connections = r2d2::Pool::builder()
            .max_size(settings.size)
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(settings.connection_timeout)
            .error_handler(Box::new(FailureLogger(Arc::clone(&failures))))
            .build_unchecked(connector);
        Arc::new(Self {
            connections,
            generation,
            permits: Arc::new(Semaphore::new(settings.size as usize)),
            shares: Shares::of(settings.size),
            wait_queue: WaitQueue::default(),
            connection_timeout: settings.connection_timeout,
            is_writer: settings.is_writer,
            through_pooler: settings.through_pooler,
            is_rls_enabled: AtomicBool::new(false),
            pending_group: PendingGroup::default(),
            soundness: settings.soundness,
            failures,
        })
    }

    /// Whether transactions set their tenant.
    pub fn set_rls_enabled(&self, enabled: bool) {
        self.is_rls_enabled.store(enabled, Ordering::Relaxed);
    }

    pub fn is_rls_enabled(&self) -> bool {
        self.is_rls_enabled.load(Ordering::Relaxed)
    }

    /// First come, first served.
    pub async fn acquire(self: &Arc<Self>) -> Result<Permit, StorageError> {
        self.acquire_with_share(None).await
    }

    /// For reads of one account, which first wait for its share.
    pub async fn acquire_for_read(
        self: &Arc<Self>,
        tenant: TenantScope,
        share: Share,
    ) -> Result<Permit, StorageError> {
        let share = match tenant {
            TenantScope::Account(account) => {
                let permit_count = match share {
                    Share::One => 1,
                    Share::Whole => self.shares.each,
                };
                let share = { self.shares.of_account(account) }.acquire_many_owned(permit_count);
                let share = tokio::time::timeout(self.connection_timeout, share).await;
                let share = share.map_err(|_| unavailable("other reads of the account go on"))?;
                Some(share.map_err(unavailable)?)
            }
            TenantScope::System => None,
        };
        self.acquire_with_share(share).await
    }

    async fn acquire_with_share(
        self: &Arc<Self>,
        share: Option<OwnedSemaphorePermit>,
    ) -> Result<Permit, StorageError> {
        let began = Instant::now();
        let permit = self.wait_for_permit().await;
        let waited = began.elapsed();
        if self.is_writer {
            self.soundness.ensure_sound()?;
        }
        metrics::histogram!("db_pool_wait_seconds").record(waited);
        if self.is_writer {
            metrics::histogram!("sqlite_writer_wait_seconds").record(waited);
        }
        Ok(Permit {
            pool: Arc::clone(self),
            _slot: permit?,
            _share: share,
        })
    }

    async fn wait_for_permit(&self) -> Result<OwnedSemaphorePermit, StorageError> {
        // The wait queue contains real waits only: it is empty while permits are left.
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let _place = self.wait_queue.join();
        let permit = Arc::clone(&self.permits).acquire_owned();
        tokio::time::timeout(self.connection_timeout, permit)
            .await
            .map_err(|_| match self.last_failure() {
                // The owners of the permits wait for the database.
                Some(cause) => unavailable(NoConnection(cause)),
                None => unavailable("no connection became free in time"),
            })?
            .map_err(unavailable)
    }

    /// A permit behind all current waiters, without a timeout; `None` when the pool is closed.
    pub async fn acquire_without_timeout(self: &Arc<Self>) -> Option<Permit> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
        Some(Permit {
            pool: Arc::clone(self),
            _slot: permit,
            _share: None,
        })
    }

    pub const fn pending_group(&self) -> &PendingGroup {
        &self.pending_group
    }

    pub const fn wait_queue(&self) -> &WaitQueue {
        &self.wait_queue
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

impl Permit {
    pub fn belongs_to(&self, pool: &Arc<Pool>) -> bool {
        Arc::ptr_eq(&self.pool, pool)
    }

    pub fn is_rls_enabled(&self) -> bool {
        self.pool.is_rls_enabled()
    }

    /// Maps an error for callers; notes a fault in `SQLite`'s file.
    pub fn map_error(&self, error: Error) -> StorageError {
        if classify(&error) == DbErrorKind::Corrupted {
            self.pool.soundness.record_fault(error.to_string());
        }
        into_storage_error(error)
    }

    pub fn mark_progress(&self) {
        self.pool.wait_queue.record_progress();
    }

    /// Whether the commit may be left to a later writer ([`super::group`]), since others wait for the disk.
    pub fn can_defer_commit(&self) -> bool {
        self.pool.is_writer && self.pool.wait_queue.length() > 0
    }

    pub const fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Maps a failure to connect, r2d2's only error. r2d2 gives the cause to the first waiter only.
    fn no_connection(&self, error: &r2d2::Error) -> StorageError {
        let cause = self.pool.last_failure();
        let cause = cause.unwrap_or_else(|| error.to_string());
        if is_corruption_message(&cause) {
            self.pool.soundness.record_fault(cause.clone());
            return StorageError::Damaged(cause.into());
        }
        if cause.contains(DISK_FULL) {
            return StorageError::Full(cause.into());
        }
        unavailable(NoConnection(cause))
    }

    /// A connection of the current generation. Blocks while one is made.
    pub fn connection(&self) -> Result<PoolConnection, StorageError> {
        loop {
            let connection =
                { self.pool.connections.get() }.map_err(|it| self.no_connection(&it))?;
            if connection.generation == self.pool.generation.load(Ordering::SeqCst) {
                return Ok(connection);
            }
        }
    }

    /// Discards this connection and its whole generation.
    pub fn discard(&self, connection: PoolConnection) {
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
    pub fn query<T>(
        &self,
        tenant: TenantScope,
        query: &(impl Fn(&mut Db) -> QueryResult<T> + ?Sized),
    ) -> Result<T, StorageError> {
        let _timer = QueryTimer::start("read");
        self.run_with_reconnect(tenant, query)
    }

    /// Runs an idempotent write, with the retries of [`Self::query`].
    pub fn execute_idempotent<T>(
        &self,
        tenant: TenantScope,
        query: &(impl Fn(&mut Db) -> QueryResult<T> + ?Sized),
    ) -> Result<T, StorageError> {
        let _timer = QueryTimer::start("statement");
        self.run_with_reconnect(tenant, query)
    }

    fn run_with_reconnect<T>(
        &self,
        tenant: TenantScope,
        query: &(impl Fn(&mut Db) -> QueryResult<T> + ?Sized),
    ) -> Result<T, StorageError> {
        let has_rls = self.is_rls_enabled();
        let query = |db: &mut Db| {
            if has_rls || self.pool.through_pooler {
                run_in_transaction(db, has_rls.then_some(tenant), query)
            } else {
                query(db)
            }
        };
        for _ in 1..TRIES {
            let mut connection = self.connection()?;
            match query(&mut connection.inner) {
                Ok(found) => {
                    self.mark_progress();
                    return Ok(found);
                }
                Err(error) => match classify(&error) {
                    DbErrorKind::ConnectionLost => self.discard(connection),
                    DbErrorKind::Contention => {}
                    _ => return Err(self.map_error(error)),
                },
            }
        }
        let found = query(&mut self.connection()?.inner).map_err(|it| self.map_error(it));
        found.inspect(|_| self.mark_progress())
    }
}

/// Runs the query in a transaction: the tenant is set for it only, and a pooler keeps it on one server process.
fn run_in_transaction<T>(
    db: &mut Db,
    tenant: Option<TenantScope>,
    query: &(impl Fn(&mut Db) -> QueryResult<T> + ?Sized),
) -> QueryResult<T> {
    db.begin()?;
    let tenant_set = tenant.map_or(Ok(()), |tenant| db.set_tenant(tenant));
    let outcome = tenant_set.and_then(|()| query(db));
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
struct FailureLogger(Arc<Mutex<Failures>>);

#[derive(Debug, Default)]
struct Failures {
    last: Option<(Instant, String)>,
    logged_at: Option<Instant>,
    unlogged: u64,
}

impl r2d2::HandleError<ConnectError> for FailureLogger {
    fn handle_error(&self, error: ConnectError) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, error) = (Instant::now(), error.to_string());
        failures.unlogged += 1;
        let is_new = { failures.last.as_ref() }.is_none_or(|it| it.1 != error);
        if is_new || { failures.logged_at }.is_none_or(|it| it.elapsed() >= WARN_INTERVAL) {
            let times = failures.unlogged;
            tracing::warn!(error, times, "the database could not be reached");
            failures.logged_at = Some(now);
            failures.unlogged = 0;
        }
        failures.last = Some((now, error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_account_uses_at_most_half_of_the_connections() {
        let pool = Pool::new(PoolSettings {
            endpoint: Endpoint::Sqlite(String::new()),
            setup: String::new(),
            size: 4,
            through_pooler: false,
            connection_timeout: Duration::from_secs(5),
            is_writer: false,
            soundness: Arc::default(),
        });
        let acquire = async |account| {
            let tenant = AccountId(account).into();
            pool.acquire_for_read(tenant, Share::One).await
        };
        let mut of_one = vec![acquire(1).await.unwrap(), acquire(1).await.unwrap()];
        assert!(
            acquire(1).await.is_err(),
            "two of four, until one is given back"
        );
        let others = [acquire(2).await.unwrap(), acquire(3).await.unwrap()];
        assert!(acquire(2).await.is_err(), "none is left");
        drop(others);
        of_one.pop();
        of_one.push(acquire(1).await.unwrap());
        assert!(
            pool.acquire_for_read(TenantScope::System, Share::One)
                .await
                .is_ok()
        );

        // A whole share excludes the account's other reads, and takes one connection.
        let whole = async |account| {
            let tenant = AccountId(account).into();
            pool.acquire_for_read(tenant, Share::Whole).await
        };
        assert!(whole(1).await.is_err(), "its other reads go on");
        drop(of_one);
        let _alone = whole(1).await.unwrap();
        assert!(acquire(1).await.is_err());
        assert!(whole(2).await.is_ok() && acquire(3).await.is_ok());
    }
}
