//! Group commit: one commit keeps the work of several writers.
//!
//! A commit waits for the disk, and SQLite has one writer. So a writer that is done while others wait does not commit:
//! the transaction stays open, the next in line works on in it behind a savepoint of its own, and one commit keeps what
//! all of them did. Nobody is told of success before that. A writer that fails rolls back to its own savepoint.
//!
//! Only workers share, whose transactions stay on one thread ([`super::near`]). A request does not join: it could read
//! what another has not committed yet, and tell its caller so without a commit of its own.
//!
//! Whoever leaves a transaction open enters the end of the line to close it: so it holds only the work of those who
//! waited just then, and nobody waits for long.

use super::pool::{Out, Pool};
use super::session::blocking;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// Most writers of one commit.
const MOST: usize = 64;

pub type Kept = Result<(), Arc<str>>;

/// Writers whose work is in the open transaction, to be told of its commit.
#[derive(Debug, Default)]
pub struct Others(Vec<oneshot::Sender<Kept>>);

pub struct Open {
    connection: Out,
    others: Others,
}

/// Holds the open transaction; only the holder of the turn may take it.
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

    /// Leaves it open with the work of one more writer, whose receiver hears of the commit.
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

/// Commits an open transaction at the end of the line, unless somebody has by then; goes on when the caller is dropped.
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
            // Those who wait were told what went wrong; a fault of the file is noted.
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
