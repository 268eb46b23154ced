//! Takes the next jobs for a worker: whose account has had least service, in its account's order.

use crate::{
    job::{
        Job,
        policy::QueuePolicy,
        turns::{self, SERVICE_OF_A_JOB},
    },
    ports::{
        clock::Clock,
        jobs::AccountQueue,
        storage::{Storage, StorageError, Transaction, retrying},
    },
};
use std::sync::Arc;

/// How many accounts are looked at, from the least served on, before giving up this time.
const CANDIDATES: u32 = 8;
/// How many old jobs are forgotten with each claim.
const FORGOTTEN_TOGETHER: u32 = 20;

/// Claims jobs.
pub struct ClaimJobs {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl ClaimJobs {
    /// On this storage and clock, with these limits.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Up to `wanted` jobs, leased to the worker; none when nothing is due.
    ///
    /// The accounts are chosen from the directory of queues and the jobs inside each account, so
    /// that each transaction stays within one account. What an account gets together costs one
    /// transaction.
    pub async fn run(&self, worker: &str, wanted: u32) -> Result<Vec<Job>, StorageError> {
        let cap = self.policy.running_per_account;
        let accounts = self
            .storage
            .read()
            .await?
            .jobs()
            .accounts_with_due_jobs(self.clock.now(), cap, CANDIDATES.max(wanted))
            .await?;
        let least = accounts.first().map_or(0.0, |queue| queue.virtual_time);
        let turns = turns::shared_out(&accounts, least, cap, wanted);
        let mut claimed = Vec::new();
        for (queue, turns) in accounts.into_iter().zip(turns) {
            // Those whose turn it is not yet are asked when nobody else's job can be had.
            let most = if claimed.is_empty() {
                turns.max(1)
            } else {
                turns
            };
            if most == 0 {
                continue;
            }
            match retrying(|| self.claim_in(queue, least, worker, most)).await {
                Ok(jobs) => claimed.extend(jobs),
                // What was claimed is leased already, and has to be run.
                Err(_) if !claimed.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(claimed)
    }

    async fn claim_in(
        &self,
        seen: AccountQueue,
        least: f64,
        worker: &str,
        most: u32,
    ) -> Result<Vec<Job>, StorageError> {
        let mut work = self.storage.write().await?;
        let Some(queue) = work.jobs().try_lock_queue(seen.account).await? else {
            return Ok(vec![]);
        };
        let most = most.min(turns::room(&queue, self.policy.running_per_account));
        if most == 0 {
            return Ok(vec![]);
        }
        let now = self.clock.now();
        let due = work.jobs().lock_due(queue.account, now, most).await?;
        let claimed = due.iter().map(|job| job.claimed(worker, now, &self.policy));
        let claimed: Vec<Job> = claimed.filter_map(Result::ok).collect();
        if claimed.is_empty() {
            // The directory promised a job that is not there: count anew.
            refresh(work, &queue, queue.virtual_time).await?;
            return Ok(vec![]);
        }
        work.jobs().save_all(&claimed).await?;
        // Each claim tidies up a little, so that no account's list of jobs grows for ever.
        work.jobs()
            .forget(queue.account, now, &self.policy, FORGOTTEN_TOGETHER)
            .await?;
        let service = claimed.iter().map(|_| SERVICE_OF_A_JOB).sum::<f64>();
        refresh(work, &queue, queue.virtual_time.max(least) + service).await?;
        Ok(claimed)
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
