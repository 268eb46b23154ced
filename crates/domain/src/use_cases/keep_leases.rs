//! A worker's hold on its jobs: its signs of life, and what it may store only while it holds one.

use super::Core;
use crate::{
    ids::{AccountId, JobId},
    job::{Job, progress::Progress, transitions::TransitionRefused},
    ports::storage::{AsStorageError, StorageError, Transaction},
};
use chrono::{DateTime, Utc};
use thiserror::Error;

/// What a worker holds: a job in a certain epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    pub account: AccountId,
    pub job: JobId,
    pub epoch: i64,
}

impl Hold {
    /// The hold on a job that was just claimed.
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
    /// The lease was lost; everything the worker does from now on is void.
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
    /// One transaction for jobs of one account. Answers in the order of `signs`; `None`: that lease was lost.
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

    /// Runs a transaction with the job locked and the time; refused when the hold is over. Like every transaction's,
    /// the closure commits, and can run more than once.
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

    /// Stores something, progress and a renewed lease in one transaction; nothing when the hold is over. `store` gets
    /// the renewed job and hands back the one that is to be saved, and does not commit.
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

/// The job, locked; refused when the hold is over, before anything else is done.
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
