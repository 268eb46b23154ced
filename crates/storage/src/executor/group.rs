//! Group commit: one commit ends the work of several writers.
//!
//! A commit waits for the disk, and SQLite has one writer. So a writer that finishes while others wait leaves the
//! transaction open; the next one continues in it behind its own savepoint, and one commit ends them all. No writer
//! reports success before that commit. A writer that fails rolls back to its savepoint.
//!
//! Only workers join a group: their transactions stay on one thread ([`super::near`]). A request does not: it could
//! read another writer's uncommitted changes, and return them without a commit of its own.
//!
//! The first writer that leaves the transaction open queues a task behind all waiters, which commits it. So a group
//! contains only writers that were waiting already, and nobody waits for long.

use super::pool::{Out, Pool};
use super::session::blocking;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// Writers of one commit.
const MOST: usize = 64;

pub type Kept = Result<(), Arc<str>>;

/// Writers in the open transaction, which await its commit.
#[derive(Debug, Default)]
pub struct Others(Vec<oneshot::Sender<Kept>>);

pub struct Open {
    connection: Out,
    others: Others,
}

/// The open transaction; only the owner of the permit may take it.
pub struct Between(Mutex<Option<Open>>);

impl Others {
    pub const fn are_there(&self) -> bool {
        !self.0.is_empty()
    }

    pub const fn have_room(&self) -> bool {
        self.0.len() < MOST
    }

    /// Ignores receivers that are gone.
    pub fn tell(self, kept: &Kept) {
        for waiting in self.0 {
            let _ = waiting.send(kept.clone());
        }
    }
}

impl Default for Between {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl Between {
    pub fn take(&self) -> Option<(Out, Others)> {
        let open = self.lock().take()?;
        Some((open.connection, open.others))
    }

    pub fn give_back(&self, connection: Out, others: Others) {
        *self.lock() = Some(Open { connection, others });
    }

    /// Stores the transaction with one more writer, whose receiver gets the commit's result.
    pub fn leave(&self, connection: Out, mut others: Others) -> oneshot::Receiver<Kept> {
        let (tell, hear) = oneshot::channel();
        others.0.push(tell);
        self.give_back(connection, others);
        hear
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub fn commit_for_all(connection: &mut Out, others: Others) -> diesel::QueryResult<()> {
    let outcome = connection.inner.commit();
    let kept = match &outcome {
        Ok(()) => Ok(()),
        Err(error) => Err(Arc::from(error.to_string())),
    };
    others.tell(&kept);
    outcome
}

/// Spawns a task that commits the open transaction behind all waiters, unless somebody has by then.
pub fn close_in_turn(pool: &Arc<Pool>) {
    let pool = Arc::clone(pool);
    tokio::spawn(async move {
        let Some(turn) = pool.last_in_line().await else {
            return;
        };
        let Some((mut connection, others)) = pool.between().take() else {
            return;
        };
        let closed = blocking(move || {
            // The waiters have the error; only a fault of the file is recorded.
            let outcome = commit_for_all(&mut connection, others);
            let _ = outcome.map_err(|it| turn.told(it));
            drop(connection);
            drop(turn);
        });
        if let Err(error) = closed.await {
            tracing::error!(%error, "A transaction of several could not be closed.");
        }
    });
}
