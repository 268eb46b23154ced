//! Looks after jobs that nobody looks after: lost leases, passed deadlines, waits without end.

use super::end_attempt::{jitter, put_away};
use crate::{
    ids::AccountId,
    job::{Job, policy::QueuePolicy},
    ports::{
        clock::Clock,
        randomness::Randomness,
        storage::{Storage, StorageError, retrying},
    },
};
use std::sync::Arc;

/// How many accounts and jobs one sweep takes at the most; the next one goes on.
const AT_ONCE: u32 = 100;

/// Sweeps the queue. Any number of workers may do it at the same time.
pub struct SweepQueue {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    policy: QueuePolicy,
}

impl SweepQueue {
    /// On this storage, clock and randomness, with these limits.
    #[must_use]
    pub fn new(
        storage: Arc<dyn Storage>,
        clock: Arc<dyn Clock>,
        randomness: Arc<dyn Randomness>,
        policy: QueuePolicy,
    ) -> Self {
        Self {
            storage,
            clock,
            randomness,
            policy,
        }
    }

    /// The jobs that were moved, as they are afterwards.
    pub async fn run(&self) -> Result<Vec<Job>, StorageError> {
        let accounts = self
            .storage
            .read()
            .await?
            .jobs()
            .accounts_needing_attention(self.clock.now(), AT_ONCE)
            .await?;
        let mut moved = Vec::new();
        for account in accounts {
            moved.extend(retrying(|| self.sweep(account)).await?);
        }
        Ok(moved)
    }

    async fn sweep(&self, account: AccountId) -> Result<Vec<Job>, StorageError> {
        let mut work = self.storage.write().await?;
        let Some(queue) = work.jobs().try_lock_queue(account).await? else {
            return Ok(vec![]);
        };
        let now = self.clock.now();
        let mut moved = Vec::new();
        for job in work
            .jobs()
            .lock_needing_attention(account, now, AT_ONCE)
            .await?
        {
            if let Ok(swept) = job.swept(jitter(self.randomness.as_ref()), now, &self.policy) {
                put_away(work.as_mut(), &swept).await?;
                moved.push(swept);
            }
        }
        work.jobs()
            .refresh_queue(account, queue.virtual_time)
            .await?;
        work.commit().await?;
        Ok(moved)
    }
}
