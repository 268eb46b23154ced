//! Group commit: what one writer is done with is kept on disk together with what the next ones do.
//!
//! A commit waits for the disk, and SQLite has one writer. So whoever is done while others wait for their turn
//! does not commit: the transaction stays open, the next in line works on in it behind a savepoint of its own, and
//! one commit keeps what all of them did. Nobody is told of success before that. Whoever fails goes back to their
//! savepoint, and takes nothing of the others along.
//!
//! Only workers share, whose transactions stay on one thread ([`crate::near`]). A request may find in its transaction
//! what another has not committed yet (an analysis that is under way, an answer to the same key) and tell its caller so
//! without a commit of its own: it begins once everything before it is kept.
//!
//! Whoever leaves a transaction open goes to the end of the line, to close it: so it holds what those did who waited
//! just then, and nobody waits for long.

use crate::{
    pool::{Out, Pool},
    session::blocking,
};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// How many are kept with one commit at the most.
const MOST: usize = 64;

/// What became of the commit, and why not.
pub type Kept = Result<(), Arc<str>>;

/// Those who are done, and have not been told of the commit yet.
#[derive(Debug, Default)]
pub struct Others(Vec<oneshot::Sender<Kept>>);

/// A transaction that is left open for the next in line.
pub struct Open {
    connection: Out,
    others: Others,
}

/// Where it is left; only who has the turn may take it.
pub struct Between(Mutex<Option<Open>>);

impl Others {
    /// Whether somebody's work stands in the transaction already.
    pub const fn are_there(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether one more may join.
    pub const fn have_room(&self) -> bool {
        self.0.len() < MOST
    }

    /// Tells all of them. Whoever no longer listens does without.
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
    /// The transaction that was left open, if there is one.
    pub fn take(&self) -> Option<(Out, Others)> {
        let open = self.lock().take()?;
        Some((open.connection, open.others))
    }

    /// Leaves it open as it was found.
    pub fn give_back(&self, connection: Out, others: Others) {
        *self.lock() = Some(Open { connection, others });
    }

    /// Leaves it open with one more who is done, and who hears here of the commit.
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

/// Commits for everybody, and tells the others.
pub fn commit_for_all(connection: &mut Out, others: Others) -> diesel::QueryResult<()> {
    let outcome = connection.inner.commit();
    let kept = match &outcome {
        Ok(()) => Ok(()),
        Err(error) => Err(Arc::from(error.to_string())),
    };
    others.tell(&kept);
    outcome
}

/// Commits what was left open, unless somebody has by then: at the end of the line, and whatever
/// becomes of whoever asked for it.
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
