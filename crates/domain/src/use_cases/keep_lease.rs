//! A worker's sign of life, with how far it is.

use crate::{
    ids::{AccountId, JobId},
    job::{Job, policy::QueuePolicy, progress::Progress, transitions::TransitionRefused},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, Transaction},
    },
};
use std::sync::Arc;
use thiserror::Error;

/// Renews leases.
pub struct KeepLease {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

/// What a worker holds: a job in a certain epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// Whose job.
    pub account: AccountId,
    /// Which job.
    pub job: JobId,
    /// Which hold.
    pub epoch: i64,
}

impl Hold {
    /// The hold on a job that was just claimed.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        Self {
            account: job.account,
            job: job.id,
            epoch: job.epoch,
        }
    }
}

/// Whether the worker may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoOn {
    /// It may.
    Yes,
    /// The job's owner wants it stopped.
    CancelRequested,
}

/// Why a worker's effect is refused.
#[derive(Debug, Error)]
pub enum HoldError {
    /// The lease was lost; everything the worker does from now on is void.
    #[error("the lease was lost")]
    Lost,
    /// Breakage.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
super::may_be_storage!(HoldError);

impl From<TransitionRefused> for HoldError {
    fn from(_: TransitionRefused) -> Self {
        Self::Lost
    }
}

impl KeepLease {
    /// On this storage and clock, with these limits.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Renews the lease and notes how far the work is.
    pub async fn run(&self, hold: Hold, progress: Option<Progress>) -> Result<GoOn, HoldError> {
        let mut work = self.storage.write().await?;
        let job = held(work.as_mut(), hold).await?.renewed(
            hold.epoch,
            progress,
            self.clock.now(),
            &self.policy,
        )?;
        work.jobs().save(&job).await?;
        work.commit().await?;
        Ok(go_on(&job))
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
