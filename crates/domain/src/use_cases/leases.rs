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
pub struct LeaseToken {
    pub account: AccountId,
    pub job: JobId,
    pub epoch: i64,
}

impl LeaseToken {
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
pub struct Heartbeat {
    pub lease: LeaseToken,
    pub progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerSignal {
    Continue,
    CancelRequested,
}

#[derive(Debug, Error)]
pub enum LeaseError {
    /// The lease was lost; nothing the worker does from now on has any effect.
    #[error("the lease was lost")]
    Lost,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
super::impl_as_storage_error!(LeaseError);

impl From<TransitionRefused> for LeaseError {
    fn from(_: TransitionRefused) -> Self {
        Self::Lost
    }
}

impl Core {
    /// One transaction for jobs of one account. Results are in the order of `signs`; `None` if that lease was lost.
    pub async fn renew_leases(
        &self,
        account: AccountId,
        heartbeats: &[Heartbeat],
    ) -> Result<Vec<Option<WorkerSignal>>, StorageError> {
        let keep = |mut work: Box<dyn Transaction>, now| async move {
            let ids: Vec<JobId> = heartbeats.iter().map(|it| it.lease.job).collect();
            let jobs = work.jobs().lock_all(account, &ids).await?;
            let renewed: Vec<Option<Job>> = { heartbeats.iter() }
                .map(|heartbeat| {
                    let job = jobs.iter().find(|it| it.id == heartbeat.lease.job)?;
                    let progress = Some(heartbeat.progress.clone());
                    job.renewed(heartbeat.lease.epoch, progress, now, &self.policies.queue)
                        .ok()
                })
                .collect();
            let kept: Vec<Job> = renewed.iter().flatten().cloned().collect();
            work.jobs().save_all(&kept).await?;
            work.commit().await?;
            Ok(renewed
                .iter()
                .map(|it| it.as_ref().map(worker_signal))
                .collect())
        };
        self.transaction_with_time(keep).await
    }

    /// Runs a transaction with the locked job and the time; refused if the lease was lost. Like any
    /// transaction's, the closure commits and may run more than once.
    pub(super) async fn with_lease<T, E, F, Fut>(&self, lease: LeaseToken, act: F) -> Result<T, E>
    where
        F: Fn(Box<dyn Transaction>, Job, DateTime<Utc>) -> Fut + Send + Sync,
        Fut: Future<Output = Result<T, E>> + Send,
        T: Send,
        E: AsStorageError + From<StorageError> + From<LeaseError> + Send,
    {
        let act = &act;
        let act = |mut work: Box<dyn Transaction>, now| async move {
            let job = load_leased_job(work.as_mut(), lease).await?;
            act(work, job, now).await
        };
        self.transaction_with_time(act).await
    }

    /// Stores data, progress and a renewed lease in one transaction; nothing if the lease was lost.
    /// `store` takes the renewed job, returns the one to save, and does not commit.
    pub(super) async fn store_with_lease<F, Fut>(
        &self,
        lease: LeaseToken,
        progress: Option<&Progress>,
        store: F,
    ) -> Result<WorkerSignal, LeaseError>
    where
        F: Fn(Box<dyn Transaction>, Job) -> Fut + Send + Sync,
        Fut: Future<Output = Result<(Box<dyn Transaction>, Job), LeaseError>> + Send,
    {
        let store = &store;
        let policy = &self.policies.queue;
        let act = |work, job: Job, now| async move {
            let job = job.renewed(lease.epoch, progress.cloned(), now, policy)?;
            let (mut work, job) = store(work, job).await?;
            work.jobs().save(&job).await?;
            work.commit().await?;
            Ok(worker_signal(&job))
        };
        self.with_lease(lease, act).await
    }
}

/// Locks the job; refused if the lease was lost.
pub(super) async fn load_leased_job(
    work: &mut dyn Transaction,
    token: LeaseToken,
) -> Result<Job, LeaseError> {
    let job = work.jobs().lock(token.account, token.job).await?;
    job.filter(|job| {
        job.lease
            .as_ref()
            .is_some_and(|lease| lease.epoch == token.epoch)
    })
    .ok_or(LeaseError::Lost)
}

pub(super) fn worker_signal(job: &Job) -> WorkerSignal {
    if job.cancel_requested {
        WorkerSignal::CancelRequested
    } else {
        WorkerSignal::Continue
    }
}
