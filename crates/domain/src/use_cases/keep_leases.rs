//! Leases of a worker's jobs: heartbeats, and storing results only while the lease is valid.

use super::Core;
use crate::{
    ids::{AccountId, JobId},
    job::{Job, progress::Progress, transitions::TransitionRefused},
    ports::storage::{AsStorageError, StorageError, Transaction},
};
use chrono::{DateTime, Utc};
use thiserror::Error;

/// Lease token: a job in a certain epoch (fencing token).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    pub account: AccountId,
    pub job: JobId,
    pub epoch: i64,
}

impl Hold {
    /// The lease of a job that was just claimed.
    pub fn of(job: &Job) -> Self {
        Self {
            account: job.account,
            job: job.id,
            epoch: job.epoch,
        }
    }
}

#[derive(Debug, Clone)]
pub struct SignOfLife {
    pub hold: Hold,
    pub progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoOn {
    Yes,
    CancelRequested,
}

#[derive(Debug, Error)]
pub enum HoldError {
    /// The lease was lost; nothing the worker does from now on has any effect.
    #[error("the lease was lost")]
    Lost,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
super::may_be_storage!(HoldError);

impl From<TransitionRefused> for HoldError {
    fn from(_: TransitionRefused) -> Self {
        Self::Lost
    }
}

impl Core {
    /// One transaction for jobs of one account. Results are in the order of `signs`; `None` if that lease was lost.
    pub async fn keep_leases(
        &self,
        account: AccountId,
        signs: &[SignOfLife],
    ) -> Result<Vec<Option<GoOn>>, StorageError> {
        let keep = |mut work: Box<dyn Transaction>, now| async move {
            let ids: Vec<JobId> = signs.iter().map(|it| it.hold.job).collect();
            let jobs = work.jobs().lock_all(account, &ids).await?;
            let renewed: Vec<Option<Job>> = { signs.iter() }
                .map(|sign| {
                    let job = jobs.iter().find(|it| it.id == sign.hold.job)?;
                    let progress = Some(sign.progress.clone());
                    job.renewed(sign.hold.epoch, progress, now, &self.policies.queue)
                        .ok()
                })
                .collect();
            let kept: Vec<Job> = renewed.iter().flatten().cloned().collect();
            work.jobs().save_all(&kept).await?;
            work.commit().await?;
            Ok(renewed.iter().map(|it| it.as_ref().map(go_on)).collect())
        };
        self.transaction_at(keep).await
    }

    /// Runs a transaction with the locked job and the time; refused if the lease was lost. Like any
    /// transaction's, the closure commits and may run more than once.
    pub(super) async fn while_held<T, E, F, Fut>(&self, hold: Hold, act: F) -> Result<T, E>
    where
        F: Fn(Box<dyn Transaction>, Job, DateTime<Utc>) -> Fut + Send + Sync,
        Fut: Future<Output = Result<T, E>> + Send,
        T: Send,
        E: AsStorageError + From<StorageError> + From<HoldError> + Send,
    {
        let act = &act;
        let act = |mut work: Box<dyn Transaction>, now| async move {
            let job = held(work.as_mut(), hold).await?;
            act(work, job, now).await
        };
        self.transaction_at(act).await
    }

    /// Stores data, progress and a renewed lease in one transaction; nothing if the lease was lost.
    /// `store` takes the renewed job, returns the one to save, and does not commit.
    pub(super) async fn under_lease<F, Fut>(
        &self,
        hold: Hold,
        progress: Option<&Progress>,
        store: F,
    ) -> Result<GoOn, HoldError>
    where
        F: Fn(Box<dyn Transaction>, Job) -> Fut + Send + Sync,
        Fut: Future<Output = Result<(Box<dyn Transaction>, Job), HoldError>> + Send,
    {
        let store = &store;
        let policy = &self.policies.queue;
        let act = |work, job: Job, now| async move {
            let job = job.renewed(hold.epoch, progress.cloned(), now, policy)?;
            let (mut work, job) = store(work, job).await?;
            work.jobs().save(&job).await?;
            work.commit().await?;
            Ok(go_on(&job))
        };
        self.while_held(hold, act).await
    }
}

/// Locks the job; refused if the lease was lost.
pub(super) async fn held(work: &mut dyn Transaction, hold: Hold) -> Result<Job, HoldError> {
    let job = work.jobs().lock(hold.account, hold.job).await?;
    job.filter(|job| {
        job.lease
            .as_ref()
            .is_some_and(|lease| lease.epoch == hold.epoch)
    })
    .ok_or(HoldError::Lost)
}

pub(super) fn go_on(job: &Job) -> GoOn {
    if job.cancel_requested {
        GoOn::CancelRequested
    } else {
        GoOn::Yes
    }
}
