//! Connections: r2d2 keeps them, a fair semaphore hands them out, and a generation number throws
//! all of them away when one was found dead.

use crate::{
    database::Database,
    errors::{Trouble, told, trouble, unavailable},
    session::Whose,
};
use diesel::{QueryResult, connection::CacheSize, r2d2::Error as ConnectError};
use domain::ports::storage::StorageError;
use r2d2::{ManageConnection, PooledConnection};
use std::{
    marker::PhantomData,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How often something is tried on a fresh connection before it is given up.
pub const TRIES: u32 = 3;

/// How connections are made.
pub struct Connector<D> {
    target: String,
    setup: String,
    through_pooler: bool,
    generation: Arc<AtomicU64>,
    database: PhantomData<fn() -> D>,
}

/// A connection, and which generation it is of.
pub struct Kept<D> {
    pub inner: D,
    generation: u64,
}

impl<D: Database> ManageConnection for Connector<D> {
    type Connection = Kept<D>;
    type Error = ConnectError;

    fn connect(&self) -> Result<Kept<D>, ConnectError> {
        let generation = self.generation.load(Ordering::SeqCst);
        let mut inner =
            D::connect(&self.target, &self.setup).map_err(ConnectError::ConnectionError)?;
        if self.through_pooler {
            // The next transaction may be another server process's, which knows no statement of
            // this one's.
            inner.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        Ok(Kept { inner, generation })
    }

    fn is_valid(&self, kept: &mut Kept<D>) -> Result<(), ConnectError> {
        kept.inner.answer().map_err(ConnectError::QueryError)
    }

    fn has_broken(&self, kept: &mut Kept<D>) -> bool {
        kept.generation != self.generation.load(Ordering::SeqCst) || kept.inner.is_amid_something()
    }
}

/// A connection out of the pool.
pub type Out<D> = PooledConnection<Connector<D>>;

/// How a pool is made.
pub struct PoolSettings {
    /// Where the database is, as its driver wants it.
    pub target: String,
    /// What is said to each new connection.
    pub setup: String,
    /// How many connections there are at the most.
    pub size: u32,
    /// Whether a pooler in transaction mode stands between.
    pub through_pooler: bool,
    /// How long to wait for one.
    pub deadline: Duration,
}

/// Connections to one database.
pub struct Pool<D: Database> {
    connections: r2d2::Pool<Connector<D>>,
    generation: Arc<AtomicU64>,
    permits: Arc<Semaphore>,
    deadline: Duration,
    through_pooler: bool,
    is_walled: AtomicBool,
}

/// The right to use one connection.
pub struct Turn<D: Database> {
    pool: Arc<Pool<D>>,
    _permit: OwnedSemaphorePermit,
}

impl<D: Database> Pool<D> {
    pub fn new(settings: PoolSettings) -> Arc<Self> {
        let generation = Arc::new(AtomicU64::new(0));
        let connector = Connector {
            target: settings.target,
            setup: settings.setup,
            through_pooler: settings.through_pooler,
            generation: Arc::clone(&generation),
            database: PhantomData,
        };
        // Nothing waits for another's connection inside r2d2: there are as many permits as
        // connections, and waiting for a permit is fair and asynchronous.
        let connections = r2d2::Pool::builder()
            .max_size(settings.size)
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(settings.deadline)
            .error_handler(Box::new(Noting))
            .build_unchecked(connector);
        Arc::new(Self {
            connections,
            generation,
            permits: Arc::new(Semaphore::new(settings.size as usize)),
            deadline: settings.deadline,
            through_pooler: settings.through_pooler,
            is_walled: AtomicBool::new(false),
        })
    }

    /// Whether the database is told from now on whose rows are asked for.
    pub fn says_whose(&self, it_does: bool) {
        self.is_walled.store(it_does, Ordering::Relaxed);
    }

    /// Waits for its turn, first come, first served.
    pub async fn turn(self: &Arc<Self>) -> Result<Turn<D>, StorageError> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = tokio::time::timeout(self.deadline, permit)
            .await
            .map_err(|_| unavailable("no connection became free in time"))?
            .map_err(unavailable)?;
        Ok(Turn {
            pool: Arc::clone(self),
            _permit: permit,
        })
    }
}

impl<D: Database> Turn<D> {
    /// Whether it is one of this pool's.
    pub fn is_of(&self, pool: &Arc<Pool<D>>) -> bool {
        Arc::ptr_eq(&self.pool, pool)
    }

    /// Whether the database wants to be told whose rows are asked for.
    pub fn is_walled(&self) -> bool {
        self.pool.is_walled.load(Ordering::Relaxed)
    }

    /// A connection of the current generation. Blocks while one is made.
    pub fn connection(&self) -> Result<Out<D>, StorageError> {
        loop {
            let connection = self.pool.connections.get().map_err(unavailable)?;
            if connection.generation == self.pool.generation.load(Ordering::SeqCst) {
                return Ok(connection);
            }
        }
    }

    /// Throws away this connection and all that are as old.
    pub fn forget(&self, connection: Out<D>) {
        let known = connection.generation;
        // Whoever was first has said it already: what is newer than this connection stays.
        let _ = self.pool.generation.compare_exchange(
            known,
            known + 1,
            Ordering::SeqCst,
            Ordering::SeqCst,
        );
        drop(connection);
    }

    /// Runs a query that changes nothing, again on a fresh connection while the old one was dead
    /// or something was in the way.
    pub fn look<T>(
        &self,
        whose: Whose,
        query: &impl Fn(&mut D) -> QueryResult<T>,
    ) -> Result<T, StorageError> {
        let is_walled = self.is_walled();
        let query = |db: &mut D| {
            if is_walled || self.pool.through_pooler {
                in_a_transaction(db, is_walled.then_some(whose), query)
            } else {
                query(db)
            }
        };
        for _ in 1..TRIES {
            let mut connection = self.connection()?;
            match query(&mut connection.inner) {
                Ok(found) => return Ok(found),
                Err(error) => match trouble::<D>(&error) {
                    Trouble::ConnectionLost => self.forget(connection),
                    Trouble::InTheWay => {}
                    _ => return Err(told::<D>(error)),
                },
            }
        }
        query(&mut self.connection()?.inner).map_err(told::<D>)
    }
}

/// A query in a transaction of its own: what the database is told of it ends with it, and a pooler
/// leaves it with one server process.
fn in_a_transaction<D: Database, T>(
    db: &mut D,
    whose: Option<Whose>,
    query: &impl Fn(&mut D) -> QueryResult<T>,
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

/// Notes failures to connect; r2d2 goes on trying.
#[derive(Debug)]
struct Noting;

impl r2d2::HandleError<ConnectError> for Noting {
    fn handle_error(&self, error: ConnectError) {
        tracing::warn!(error = %error, "the database could not be reached");
    }
}
