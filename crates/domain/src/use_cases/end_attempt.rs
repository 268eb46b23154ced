//! Ends a worker's attempt without results: later again, failed, given back, or stopped.

use super::keep_leases::{Hold, HoldError, held};
use crate::{
    ids::{AccountId, ProjectId},
    job::{Job, JobCost, JobError, policy::QueuePolicy},
    money::MicroUsd,
    ports::{
        clock::Clock,
        jobs::AccountQueue,
        randomness::Randomness,
        spending::Counter,
        storage::{Storage, StorageError, Transaction, retrying},
    },
};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::sync::Arc;

pub struct EndAttempt {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    policy: QueuePolicy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptEnd {
    /// Later again: what went wrong may pass. A supplier may have asked for a delay.
    Later {
        error: AttemptError,
        asked: Option<TimeDelta>,
    },
    /// Never again: what went wrong will not pass.
    Failed(AttemptError),
    /// The worker shuts down, or the job gives its slot to others; the attempt does not count.
    GivenBack,
    /// The database was away; the attempt does not count, and the next one begins after a pause.
    Interrupted,
    Stopped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptError {
    pub code: String,
    /// What happened, for people; names no supplier and no secret.
    pub detail: String,
    pub hint: Option<String>,
}

impl EndAttempt {
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

    pub async fn run(&self, hold: Hold, end: &AttemptEnd) -> Result<Job, HoldError> {
        retrying(self.storage.as_ref(), || self.once(hold, end)).await
    }

    async fn once(&self, hold: Hold, end: &AttemptEnd) -> Result<Job, HoldError> {
        let mut work = self.storage.write().await?;
        let queue = work.jobs().lock_queue(hold.account).await?;
        let before = held(work.as_mut(), hold).await?;
        let after = self.ended(&before, hold.epoch, end)?;
        put_away(work.as_mut(), &after).await?;
        let line = queue.after(Some(&before), &after);
        work.jobs().save_queue(&line).await?;
        work.commit().await?;
        Ok(after)
    }

    fn ended(&self, job: &Job, epoch: i64, end: &AttemptEnd) -> Result<Job, HoldError> {
        let now = self.clock.now();
        let ended = match end {
            AttemptEnd::Later { error, asked } => {
                let delay = asked.unwrap_or_else(|| {
                    self.policy
                        .delay_after(job.attempt, jitter(self.randomness.as_ref()))
                });
                job.retried(
                    epoch,
                    noted(error, true, job, now),
                    delay,
                    now,
                    &self.policy,
                )
            }
            AttemptEnd::Failed(error) => job.failed(epoch, noted(error, false, job, now), now),
            AttemptEnd::GivenBack => job.released(epoch, now),
            AttemptEnd::Interrupted => job.interrupted(epoch, self.policy.first_delay, now),
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

/// A fraction in 0..1.
pub(super) fn jitter(randomness: &dyn Randomness) -> f64 {
    let mut bytes = [0; 4];
    randomness.fill(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0)
}

/// Saves a job. One that is over leaves nothing half done behind: what it staged is thrown away,
/// and what was set aside for it and not spent is free again.
pub(super) async fn put_away(work: &mut dyn Transaction, job: &Job) -> Result<(), StorageError> {
    if !job.state.is_unfinished() {
        work.measurements().discard(job.account, job.id).await?;
        let results = work.results();
        results
            .discard_copied(job.account, job.project, job.id)
            .await?;
        settle(work, job).await?;
    }
    work.jobs().save(job).await
}

pub(super) async fn settle(work: &mut dyn Transaction, job: &Job) -> Result<(), StorageError> {
    let JobCost {
        reserved, spent, ..
    } = job.cost;
    settle_all(work, (job.account, job.day), reserved, spent).await
}

/// Turns what was set aside for an account's work of a day into what it cost.
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

/// Stops a project's unfinished jobs, or all of the account's, inside a transaction that holds the account's
/// queue. Tells how many.
pub(super) async fn cancel_unfinished(
    work: &mut dyn Transaction,
    queue: &AccountQueue,
    project: Option<ProjectId>,
    now: DateTime<Utc>,
) -> Result<u32, StorageError> {
    let mut stopped = 0;
    for job in work.jobs().lock_unfinished(queue.account, project).await? {
        if let Ok(canceled) = job.canceled(now) {
            put_away(work, &canceled).await?;
            stopped += 1;
        }
    }
    work.jobs()
        .refresh_queue(queue.account, queue.virtual_time)
        .await?;
    Ok(stopped)
}
