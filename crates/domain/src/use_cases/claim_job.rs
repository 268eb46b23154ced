//! Takes the next job for a worker: whose account has had least service, in its account's order.

use crate::{
    job::{Job, policy::QueuePolicy},
    ports::{
        clock::Clock,
        jobs::AccountQueue,
        storage::{Storage, StorageError, Transaction, retrying},
    },
};
use std::sync::Arc;

/// How much service one claim counts. The scheduler serves the account that has had least.
const CLAIM_WEIGHT: f64 = 1.0;
/// How many accounts are looked at, from the least served on, before giving up this time.
const CANDIDATES: u32 = 8;
/// How many old jobs are forgotten with each claim.
const FORGOTTEN_TOGETHER: u32 = 20;

/// Claims jobs.
pub struct ClaimJob {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl ClaimJob {
    /// On this storage and clock, with these limits.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// The job, leased to the worker; `None` when nothing is due.
    ///
    /// The account is chosen from the directory of queues and the job inside that account, so
    /// that each transaction stays within one account.
    pub async fn run(&self, worker: &str) -> Result<Option<Job>, StorageError> {
        let cap = self.policy.running_per_account;
        let accounts = self
            .storage
            .read()
            .await?
            .jobs()
            .accounts_with_due_jobs(self.clock.now(), cap, CANDIDATES)
            .await?;
        let least = accounts.first().map_or(0.0, |queue| queue.virtual_time);
        for queue in accounts {
            let claimed = retrying(|| self.claim_in(queue, least, worker)).await?;
            if claimed.is_some() {
                return Ok(claimed);
            }
        }
        Ok(None)
    }

    async fn claim_in(
        &self,
        seen: AccountQueue,
        least: f64,
        worker: &str,
    ) -> Result<Option<Job>, StorageError> {
        let mut work = self.storage.write().await?;
        let Some(queue) = work.jobs().try_lock_queue(seen.account).await? else {
            return Ok(None);
        };
        if queue.running >= self.policy.running_per_account {
            return Ok(None);
        }
        let now = self.clock.now();
        let due = work.jobs().lock_next_due(queue.account, now).await?;
        let Some(Ok(job)) = due.map(|job| job.claimed(worker, now, &self.policy)) else {
            // The directory promised a job that is not there: count anew.
            refresh(work, &queue, queue.virtual_time).await?;
            return Ok(None);
        };
        work.jobs().save(&job).await?;
        // Each claim tidies up a little, so that no account's list of jobs grows for ever.
        work.jobs()
            .forget(queue.account, now, &self.policy, FORGOTTEN_TOGETHER)
            .await?;
        refresh(work, &queue, queue.virtual_time.max(least) + CLAIM_WEIGHT).await?;
        Ok(Some(job))
    }
}

async fn refresh(
    mut work: Box<dyn Transaction>,
    queue: &AccountQueue,
    virtual_time: f64,
) -> Result<(), StorageError> {
    work.jobs()
        .refresh_queue(queue.account, virtual_time)
        .await?;
    work.commit().await
}
