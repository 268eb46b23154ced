//! Ends a worker's attempt without results: retry, failure, release, or cancellation.

use super::Core;
use super::events::add_failure;
use super::leases::{LeaseError, LeaseToken, load_leased_job};
use super::transaction_input::Jitter;
use crate::ids::{AccountId, ProjectId};
use crate::job::account_queue::AccountQueue;
use crate::job::{Job, JobCost, JobError};
use crate::money::MicroUsd;
use crate::ports::spending::Counter;
use crate::ports::storage::{StorageError, Transaction};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptEnd {
    /// Transient error: retry. A supplier may have requested a delay.
    Retry {
        error: AttemptError,
        requested_delay: Option<TimeDelta>,
    },
    /// Permanent error: no retry.
    Failed(AttemptError),
    /// The worker shuts down or yields the slot to others; the attempt does not count.
    Released,
    /// The database was unavailable; the attempt does not count, and the next one starts after a delay.
    Interrupted,
    Stopped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptError {
    pub code: String,
    /// Message for users, without supplier names and secrets.
    pub detail: String,
    pub hint: Option<String>,
}

impl Core {
    /// Returns the new job.
    pub async fn end_attempt(
        &self,
        lease: LeaseToken,
        end: &AttemptEnd,
    ) -> Result<Job, LeaseError> {
        let prepare = || (self.clock.now(), Jitter::draw(&*self.randomness));
        let conclude = |mut work: Box<dyn Transaction>, prepared| async move {
            let queue = work.jobs().lock_queue(lease.account).await?;
            let before = load_leased_job(work.as_mut(), lease).await?;
            let after = self.after_attempt(&before, lease.epoch, end, prepared)?;
            save_and_release(work.as_mut(), &after).await?;
            let updated = queue.after_change(Some(&before), &after);
            work.jobs().save_queue(&updated).await?;
            work.commit().await?;
            Ok(after)
        };
        self.storage.transaction_with(prepare, conclude).await
    }

    fn after_attempt(
        &self,
        job: &Job,
        epoch: i64,
        end: &AttemptEnd,
        (now, jitter): (DateTime<Utc>, Jitter),
    ) -> Result<Job, LeaseError> {
        let policy = &self.policies.queue;
        let ended = match end {
            AttemptEnd::Retry {
                error,
                requested_delay,
            } => {
                let delay = requested_delay
                    .unwrap_or_else(|| policy.delay_after(job.attempt, jitter.of(job.id)));
                job.retried(epoch, noted(error, true, job, now), delay, now, policy)
            }
            AttemptEnd::Failed(error) => job.failed(epoch, noted(error, false, job, now), now),
            AttemptEnd::Released => job.released(epoch, now),
            AttemptEnd::Interrupted => job.interrupted(epoch, policy.first_delay, now),
            AttemptEnd::Stopped => job.stopped(epoch, now),
        };
        Ok(ended?)
    }
}

fn noted(error: &AttemptError, retryable: bool, job: &Job, at: DateTime<Utc>) -> JobError {
    let AttemptError { code, detail, hint } = error.clone();
    JobError {
        code,
        detail,
        retryable,
        hint,
        attempt: job.attempt,
        at,
    }
}

/// Saves a job. For an ended one, deletes what it staged and releases the unspent part of its reservation.
pub(super) async fn save_and_release(
    work: &mut dyn Transaction,
    job: &Job,
) -> Result<(), StorageError> {
    if !job.state.is_unfinished() {
        work.measurements().discard(job.account, job.id).await?;
        let results = work.results();
        results
            .discard_copied(job.account, job.project, job.id)
            .await?;
        settle(work, job).await?;
        add_failure(work, job).await?;
    }
    work.jobs().save(job).await
}

pub(super) async fn settle(work: &mut dyn Transaction, job: &Job) -> Result<(), StorageError> {
    let JobCost {
        reserved, spent, ..
    } = job.cost;
    settle_all(work, (job.account, job.day), reserved, spent).await
}

/// Replaces the reservation for an account's work on a day with its cost.
pub(super) async fn settle_all(
    work: &mut dyn Transaction,
    (account, day): (AccountId, NaiveDate),
    reserved: MicroUsd,
    spent: MicroUsd,
) -> Result<(), StorageError> {
    if reserved == MicroUsd::default() && spent == MicroUsd::default() {
        return Ok(());
    }
    for counter in Counter::of(account, day) {
        work.spending().settle(counter, reserved, spent).await?;
    }
    Ok(())
}

/// Cancels unfinished jobs of a project or of the whole account, in a transaction that has locked
/// the account's queue row. Returns how many.
pub(super) async fn cancel_unfinished(
    work: &mut dyn Transaction,
    queue: &AccountQueue,
    project: Option<ProjectId>,
    now: DateTime<Utc>,
) -> Result<u32, StorageError> {
    let mut stopped = 0;
    for job in work.jobs().lock_unfinished(queue.account, project).await? {
        if let Ok(canceled) = job.canceled(now) {
            save_and_release(work, &canceled).await?;
            stopped += 1;
        }
    }
    work.jobs()
        .refresh_queue(queue.account, queue.virtual_time)
        .await?;
    Ok(stopped)
}
