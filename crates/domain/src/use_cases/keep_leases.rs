//! A worker's signs of life, with how far each job is.

use crate::{
    ids::{AccountId, JobId},
    job::{Job, policy::QueuePolicy, progress::Progress, transitions::TransitionRefused},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, Transaction, retrying},
    },
};
use std::sync::Arc;
use thiserror::Error;

pub struct KeepLeases {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

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

impl KeepLeases {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// One transaction for jobs of one account. Answers in the order of `signs`; `None`: that lease was lost.
    pub async fn run(
        &self,
        account: AccountId,
        signs: &[SignOfLife],
    ) -> Result<Vec<Option<GoOn>>, StorageError> {
        retrying(self.storage.as_ref(), || self.once(account, signs)).await
    }

    async fn once(
        &self,
        account: AccountId,
        signs: &[SignOfLife],
    ) -> Result<Vec<Option<GoOn>>, StorageError> {
        let mut work = self.storage.write().await?;
        let ids: Vec<JobId> = signs.iter().map(|it| it.hold.job).collect();
        let jobs = work.jobs().lock_all(account, &ids).await?;
        let now = self.clock.now();
        let renewed: Vec<Option<Job>> = { signs.iter() }
            .map(|sign| {
                let job = jobs.iter().find(|it| it.id == sign.hold.job)?;
                let progress = Some(sign.progress.clone());
                job.renewed(sign.hold.epoch, progress, now, &self.policy)
                    .ok()
            })
            .collect();
        let kept: Vec<Job> = renewed.iter().flatten().cloned().collect();
        work.jobs().save_all(&kept).await?;
        work.commit().await?;
        Ok(renewed.iter().map(|it| it.as_ref().map(go_on)).collect())
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
