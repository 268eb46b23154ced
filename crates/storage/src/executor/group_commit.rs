//! Group commit: one commit ends the work of several writers.
//!
//! A commit waits for the disk, and SQLite has one writer. So a writer that finishes while others wait leaves the
//! transaction open; the next one continues in it behind its own savepoint, and one commit ends them all. No writer
//! reports success before that commit. A writer that fails rolls back to its savepoint.
//!
//! Only workers join a group: their transactions stay on one thread ([`super::in_place`]). A request does not: it could
//! read another writer's uncommitted changes, and return them without its own commit.
//!
//! The first writer that leaves the transaction open queues a task behind all waiters, which commits it. So a group
//! contains only writers that were waiting already, and no writer waits for long.

use super::pool::{Pool, PoolConnection};
use super::session::blocking;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// Writers of one commit.
const MAX_WRITERS: usize = 64;

pub type CommitResult = Result<(), Arc<str>>;

/// Writers in the open transaction, which await its commit.
#[derive(Debug, Default)]
pub struct CommitWaiters(Vec<oneshot::Sender<CommitResult>>);

pub struct OpenTransaction {
    connection: PoolConnection,
    waiters: CommitWaiters,
}

/// The open transaction; only the owner of the permit may take it.
pub struct PendingGroup(Mutex<Option<OpenTransaction>>);

impl CommitWaiters {
    pub const fn has_any(&self) -> bool {
        !self.0.is_empty()
    }

    pub const fn has_capacity(&self) -> bool {
        self.0.len() < MAX_WRITERS
    }

    /// Ignores receivers that are gone.
    pub fn notify(self, kept: &CommitResult) {
        for waiting in self.0 {
            let _ = waiting.send(kept.clone());
        }
    }
}

impl Default for PendingGroup {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl PendingGroup {
    pub fn take(&self) -> Option<(PoolConnection, CommitWaiters)> {
        let open = self.lock().take()?;
        Some((open.connection, open.waiters))
    }

    pub fn put_back(&self, connection: PoolConnection, waiters: CommitWaiters) {
        *self.lock() = Some(OpenTransaction {
            connection,
            waiters,
        });
    }

    /// Stores the transaction with one more writer; the receiver gets the commit's result.
    pub fn hand_over(
        &self,
        connection: PoolConnection,
        mut waiters: CommitWaiters,
    ) -> oneshot::Receiver<CommitResult> {
        let (sender, receiver) = oneshot::channel();
        waiters.0.push(sender);
        self.put_back(connection, waiters);
        receiver
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<OpenTransaction>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub fn commit_group(
    connection: &mut PoolConnection,
    waiters: CommitWaiters,
) -> diesel::QueryResult<()> {
    let outcome = connection.inner.commit();
    let kept = match &outcome {
        Ok(()) => Ok(()),
        Err(error) => Err(Arc::from(error.to_string())),
    };
    waiters.notify(&kept);
    outcome
}

/// Spawns a task that commits the open transaction behind all waiters, unless another writer has by then.
pub fn spawn_group_commit(pool: &Arc<Pool>) {
    let pool = Arc::clone(pool);
    tokio::spawn(async move {
        let Some(permit) = pool.acquire_without_timeout().await else {
            return;
        };
        let Some((mut connection, waiters)) = pool.pending_group().take() else {
            return;
        };
        let closed = blocking(move || {
            // The waiters have the error; only a fault of the file is recorded.
            let outcome = commit_group(&mut connection, waiters);
            let _ = outcome.map_err(|it| permit.map_error(it));
            drop(connection);
            drop(permit);
        });
        if let Err(error) = closed.await {
            tracing::error!(%error, "A transaction of several could not be closed.");
        }
    });
}
