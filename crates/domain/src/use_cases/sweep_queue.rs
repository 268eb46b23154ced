//! Sweeps jobs without a live worker: lost leases, missed deadlines, expired waits.

use super::Core;
use super::end_attempt::save_and_release;
use super::transaction_input::Jitter;
use crate::ids::AccountId;
use crate::job::Job;
use crate::ports::storage::{StorageError, Transaction};
use chrono::{DateTime, Utc};

/// Maximum accounts and jobs per sweep; the next sweep continues.
const AT_ONCE: u32 = 100;
/// Jobs of an account deleted at once.
const PURGE_BATCH: u32 = 20;

#[derive(Debug, Default)]
pub struct Swept {
    /// Changed jobs, in their new state.
    pub moved: Vec<Job>,
    /// Accounts that could not be swept; the next sweep tries again.
    pub failures: Vec<(AccountId, StorageError)>,
}

impl Swept {
    fn add(&mut self, account: AccountId, outcome: Result<Vec<Job>, StorageError>) {
        match outcome {
            Ok(moved) => self.moved.extend(moved),
            Err(error) => self.failures.push((account, error)),
        }
    }
}

impl Core {
    /// Safe to run in several workers at once. A failing account does not block the others.
    pub async fn sweep_queue(&self) -> Result<Swept, StorageError> {
        // Taken at the start: a lease that expires while this waits for the storage could not have
        // been renewed either.
        let now = self.clock.now();
        let accounts = self
            .storage
            .read()
            .await?
            .jobs()
            .accounts_needing_attention(now, AT_ONCE)
            .await?;
        let mut swept = Swept::default();
        for account in accounts {
            swept.add(account, self.sweep_account(account, now).await);
        }
        Ok(swept)
    }

    /// Reclaims all running jobs, whatever their leases say. Only for a process that has the
    /// database to itself and runs no job yet: the workers of those jobs are gone.
    pub async fn reclaim_all(&self) -> Result<Swept, StorageError> {
        let mut swept = Swept::default();
        let mut behind = None;
        loop {
            let mut read = self.storage.read().await?;
            let accounts = read
                .jobs()
                .accounts_with_running_jobs(behind, AT_ONCE)
                .await?;
            drop(read);
            let Some(last) = accounts.last() else {
                return Ok(swept);
            };
            behind = Some(*last);
            for account in accounts {
                swept.add(account, self.reclaim(account).await);
            }
        }
    }

    async fn reclaim(&self, account: AccountId) -> Result<Vec<Job>, StorageError> {
        let prepare = || (self.clock.now(), Jitter::draw(&*self.randomness));
        let take_back = |mut work: Box<dyn Transaction>, (now, jitter): (_, Jitter)| async move {
            let queue = work.jobs().lock_queue(account).await?;
            let mut moved = Vec::new();
            for job in work.jobs().lock_unfinished(account, None).await? {
                if let Ok(lost) = job.lost(jitter.of(job.id), now, &self.policies.queue) {
                    save_and_release(work.as_mut(), &lost).await?;
                    moved.push(lost);
                }
            }
            work.jobs()
                .refresh_queue(account, queue.virtual_time)
                .await?;
            work.commit().await?;
            Ok(moved)
        };
        self.storage.transaction_with(prepare, take_back).await
    }

    async fn sweep_account(
        &self,
        account: AccountId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Job>, StorageError> {
        let policy = &self.policies.queue;
        let prepare = || Jitter::draw(&*self.randomness);
        let sweep = |mut work: Box<dyn Transaction>, jitter: Jitter| async move {
            let Some(queue) = work.jobs().try_lock_queue(account).await? else {
                return Ok(vec![]);
            };
            let mut moved = Vec::new();
            for job in work
                .jobs()
                .lock_needing_attention(account, now, AT_ONCE)
                .await?
            {
                if let Ok(swept) = job.swept(jitter.of(job.id), now, policy) {
                    save_and_release(work.as_mut(), &swept).await?;
                    moved.push(swept);
                }
            }
            work.jobs()
                .purge_finished(account, now, policy, PURGE_BATCH)
                .await?;
            work.jobs()
                .refresh_queue(account, queue.virtual_time)
                .await?;
            work.commit().await?;
            Ok(moved)
        };
        self.storage.transaction_with(prepare, sweep).await
    }
}
