//! Requested analyses: jobs of an account's queue.

use super::{Core, end_attempt::save_and_release, impl_as_storage_error};
use crate::ids::{AccountId, JobId};
use crate::job::Job;
use crate::page::{Page, PageRequest};
use crate::ports::jobs::{JobFilter, JobSort, QueueSummary};
use crate::ports::storage::{StorageError, Transaction};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobDetails {
    pub job: Job,
    /// Number of the account's jobs ahead of it; `None` if it is not waiting.
    pub position: Option<u32>,
    pub queue: QueueSummary,
}

#[derive(Debug, Clone, PartialEq)]
pub struct JobList {
    pub jobs: Page<Job>,
    /// Numbers of all its unfinished jobs.
    pub queue: QueueSummary,
}

#[derive(Debug, Error)]
pub enum ListAnalysesError {
    /// The account does not have the project of the filter.
    #[error("there is no such project")]
    NoSuchProject,
    #[error(transparent)]
    Storage(#[from] StorageError),
}

#[derive(Debug, Error)]
pub enum CancelAnalysisError {
    #[error("there is no such analysis")]
    NoSuchJob,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(CancelAnalysisError);

impl Core {
    pub async fn analyses(
        &self,
        account: AccountId,
        filter: &JobFilter,
        page: &PageRequest<JobSort>,
    ) -> Result<JobList, ListAnalysesError> {
        let mut read = self.storage.read().await?;
        if let Some(project) = filter.project
            && read.projects().find(account, project).await?.is_none()
        {
            return Err(ListAnalysesError::NoSuchProject);
        }
        let jobs = read.jobs().list(account, filter, page).await?;
        let queue = read.jobs().summary(account).await?;
        Ok(JobList { jobs, queue })
    }

    /// `None` if the account has no such job.
    pub async fn analysis(
        &self,
        account: AccountId,
        job: JobId,
    ) -> Result<Option<JobDetails>, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(found) = read.jobs().find(account, job).await? else {
            return Ok(None);
        };
        let position = if found.state.is_waiting() {
            read.jobs().position(account, job).await?
        } else {
            None
        };
        let queue = read.jobs().summary(account).await?;
        Ok(Some(JobDetails {
            job: found,
            position,
            queue,
        }))
    }

    /// Cancels a waiting job at once and asks a running one to stop. Returns the changed job; an
    /// ended one is unchanged.
    pub async fn cancel_analysis(
        &self,
        account: AccountId,
        job: JobId,
    ) -> Result<Job, CancelAnalysisError> {
        let cancel = |mut work: Box<dyn Transaction>, now| async move {
            // Check before locking, because locking creates a missing queue row.
            let found = work.jobs().find(account, job).await?;
            found.ok_or(CancelAnalysisError::NoSuchJob)?;
            let queue = work.jobs().lock_queue(account).await?;
            let before = work.jobs().lock(account, job).await?;
            let before = before.ok_or(CancelAnalysisError::NoSuchJob)?;
            let Ok(canceled) = before.canceled(now) else {
                return Ok(before);
            };
            save_and_release(work.as_mut(), &canceled).await?;
            let virtual_time = queue.virtual_time;
            work.jobs().refresh_queue(account, virtual_time).await?;
            work.commit().await?;
            Ok(canceled)
        };
        self.transaction_with_time(cancel).await
    }

    /// Whether jobs are overdue because no worker is online. Reads nothing if none is overdue.
    ///
    /// Needs no extra writes: an idle worker claims a due job within a second, and a busy one
    /// renews its leases and sweeps in time. So an overdue job means that no worker is online,
    /// unless some account has running jobs and is swept in time.
    pub async fn no_worker_online_for<'j>(
        &self,
        jobs: impl IntoIterator<Item = &'j Job>,
    ) -> Result<bool, StorageError> {
        let now = self.clock.now();
        if !jobs.into_iter().any(|it| it.is_overdue(now)) {
            return Ok(false);
        }
        let mut read = self.storage.read().await?;
        let since = now - self.policies.queue.sweep * 3;
        let is_any_online = read.jobs().has_live_workers(since).await?;
        Ok(!is_any_online)
    }
}
