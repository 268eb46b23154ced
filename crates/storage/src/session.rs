//! A reader, or a transaction that async code can hold between queries.
//!
//! Each call is one hop to the blocking threads, which takes the connection along and gives it
//! back; a call that is abandoned half-way leaves nothing open.

use crate::{
    database::Database,
    errors::{Trouble, told, trouble, unavailable},
    pool::{Out, Pool, TRIES, Turn},
};
use diesel::QueryResult;
use domain::ports::storage::StorageError;
use std::sync::Arc;
use tokio::runtime::Handle;

/// What a use case works with.
pub enum Session<D: Database> {
    /// Sees what is committed, call by call.
    Reader(Arc<Pool<D>>),
    /// Changes everything or nothing. Empty after a call was abandoned.
    Writer(Option<Box<Work<D>>>),
}

/// A transaction under way. Its connection comes and its transaction begins with the first query,
/// in the same hop.
pub struct Work<D: Database> {
    // Given back before the turn, or the next in line would find none.
    connection: Option<Out<D>>,
    turn: Option<Turn<D>>,
    has_failed: bool,
}

impl<D: Database> Session<D> {
    /// A transaction, once it is its turn.
    pub async fn begin(pool: &Arc<Pool<D>>) -> Result<Self, StorageError> {
        let turn = pool.turn().await?;
        Ok(Self::Writer(Some(Box::new(Work::new(turn)))))
    }

    /// Asks something; in a transaction, of what it has changed too.
    pub async fn ask<T: Send + 'static>(
        &mut self,
        query: impl Fn(&mut D) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StorageError> {
        match self {
            Self::Reader(pool) => {
                let turn = pool.turn().await?;
                blocking(move || turn.look(&query)).await?
            }
            Self::Writer(work) => within(work, query).await,
        }
    }

    /// Changes something; refused to a reader.
    pub async fn change<T: Send + 'static>(
        &mut self,
        query: impl Fn(&mut D) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StorageError> {
        match self {
            Self::Reader(_) => Err(StorageError::ReadOnly),
            Self::Writer(work) => within(work, query).await,
        }
    }

    /// Keeps everything.
    pub async fn keep(self) -> Result<(), StorageError> {
        match self {
            Self::Reader(_) => Ok(()),
            Self::Writer(None) => Err(abandoned()),
            Self::Writer(Some(mut work)) => blocking(move || work.commit()).await?,
        }
    }
}

async fn within<D: Database, T: Send + 'static>(
    slot: &mut Option<Box<Work<D>>>,
    query: impl Fn(&mut D) -> QueryResult<T> + Send + 'static,
) -> Result<T, StorageError> {
    let mut work = slot.take().ok_or_else(abandoned)?;
    let (work, outcome) = blocking(move || {
        let outcome = work.run(&query);
        (work, outcome)
    })
    .await?;
    *slot = Some(work);
    outcome
}

impl<D: Database> Work<D> {
    fn new(turn: Turn<D>) -> Self {
        Self {
            connection: None,
            turn: Some(turn),
            has_failed: false,
        }
    }

    fn run<T>(&mut self, query: &impl Fn(&mut D) -> QueryResult<T>) -> Result<T, StorageError> {
        if self.has_failed {
            return Err(failed_before());
        }
        let outcome = match self.connection.take() {
            Some(connection) => self.go_on(connection, query),
            None => self.begin(query),
        };
        self.has_failed = outcome.is_err();
        outcome
    }

    fn begin<T>(&mut self, query: &impl Fn(&mut D) -> QueryResult<T>) -> Result<T, StorageError> {
        let turn = self.turn.as_ref().ok_or_else(abandoned)?;
        let mut left = TRIES;
        loop {
            let mut connection = turn.connection()?;
            left -= 1;
            let outcome = connection
                .inner
                .begin()
                .and_then(|()| query(&mut connection.inner));
            match outcome {
                Ok(found) => {
                    self.connection = Some(connection);
                    return Ok(found);
                }
                // Nothing but this statement is lost: it may simply be said again.
                Err(error) if trouble::<D>(&error) == Trouble::ConnectionLost => {
                    turn.forget(connection);
                    if left == 0 {
                        return Err(told::<D>(error));
                    }
                }
                Err(error) => return Err(undone(connection, error)),
            }
        }
    }

    fn go_on<T>(
        &mut self,
        mut connection: Out<D>,
        query: &impl Fn(&mut D) -> QueryResult<T>,
    ) -> Result<T, StorageError> {
        match query(&mut connection.inner) {
            Ok(found) => {
                self.connection = Some(connection);
                Ok(found)
            }
            Err(error) if trouble::<D>(&error) == Trouble::ConnectionLost => {
                if let Some(turn) = &self.turn {
                    turn.forget(connection);
                }
                // Nothing of the transaction was kept, so the whole of it may be tried again.
                Err(StorageError::Interrupted(Box::new(error)))
            }
            Err(error) => Err(undone(connection, error)),
        }
    }

    fn commit(&mut self) -> Result<(), StorageError> {
        if self.has_failed {
            return Err(failed_before());
        }
        let Some(mut connection) = self.connection.take() else {
            return Ok(());
        };
        let outcome = connection.inner.commit();
        if let (Err(error), Some(turn)) = (&outcome, &self.turn)
            && trouble::<D>(error) == Trouble::ConnectionLost
        {
            turn.forget(connection);
        }
        outcome.map_err(told::<D>)
    }
}

impl<D: Database> Drop for Work<D> {
    fn drop(&mut self) {
        let (Some(mut connection), turn) = (self.connection.take(), self.turn.take()) else {
            return;
        };
        // Without a runtime the pool itself throws away a connection that is amid something.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(move || {
                undo(&mut connection);
                drop(connection);
                drop(turn);
            });
        }
    }
}

/// Undoes the transaction at once, so that its locks are not held until someone drops it.
fn undone<D: Database>(mut connection: Out<D>, error: diesel::result::Error) -> StorageError {
    undo(&mut connection);
    told::<D>(error)
}

fn undo<D: Database>(connection: &mut Out<D>) {
    if connection.inner.is_amid_something()
        && let Err(error) = connection.inner.rollback()
    {
        tracing::debug!(%error, "a transaction could not be undone; its connection is thrown away");
    }
}

/// Runs something off the async threads.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StorageError> {
    tokio::task::spawn_blocking(work).await.map_err(unavailable)
}

fn abandoned() -> StorageError {
    unavailable("a call on this transaction was abandoned; nothing of it was kept")
}

fn failed_before() -> StorageError {
    unavailable("this transaction has failed; nothing of it was kept")
}
