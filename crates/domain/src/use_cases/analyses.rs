//! Analyses that were asked for: jobs of an account's queue.

use super::{Core, end_attempt::put_away, may_be_storage};
use crate::ids::{AccountId, JobId};
use crate::job::Job;
use crate::page::{Page, PageRequest};
use crate::ports::jobs::{JobFilter, JobSort, QueueSummary};
use crate::ports::storage::{StorageError, Transaction};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobState {
    pub job: Job,
    /// How many of its account's jobs go first; `None` when it does not wait.
    pub position: Option<u32>,
    pub queue: QueueSummary,
}

#[derive(Debug, Clone, PartialEq)]
pub struct JobList {
    pub jobs: Page<Job>,
    /// All its unfinished jobs in numbers.
    pub queue: QueueSummary,
}

#[derive(Debug, Error)]
pub enum ListAnalysesError {
    /// The filter names a project that the account does not have.
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
may_be_storage!(CancelAnalysisError);

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

    /// `None` when the account has no such job.
    pub async fn analysis(
        &self,
        account: AccountId,
        job: JobId,
    ) -> Result<Option<JobState>, StorageError> {
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
        Ok(Some(JobState {
            job: found,
            position,
            queue,
        }))
    }

    /// Cancels a job at once while it waits; a running one is asked to stop. The job afterwards; one that has ended
    /// stays as it is.
    pub async fn cancel_analysis(
        &self,
        account: AccountId,
        job: JobId,
    ) -> Result<Job, CancelAnalysisError> {
        let cancel = |mut work: Box<dyn Transaction>, now| async move {
            // Whether it is there is asked before anything is held: a queue is made for whoever asks
            // for one.
            let found = work.jobs().find(account, job).await?;
            found.ok_or(CancelAnalysisError::NoSuchJob)?;
            let queue = work.jobs().lock_queue(account).await?;
            let before = work.jobs().lock(account, job).await?;
            let before = before.ok_or(CancelAnalysisError::NoSuchJob)?;
            let Ok(canceled) = before.canceled(now) else {
                return Ok(before);
            };
            put_away(work.as_mut(), &canceled).await?;
            let virtual_time = queue.virtual_time;
            work.jobs().refresh_queue(account, virtual_time).await?;
            work.commit().await?;
            Ok(canceled)
        };
        self.transaction_at(cancel).await
    }

    /// Whether some jobs are overdue because no worker is online. Reads nothing when none is overdue.
    ///
    /// Nothing is written for it. An idle worker takes a due job within a second, and a worker that is busy renews its
    /// leases and looks after every account in time. So a job that has been due for a while means that no worker is
    /// online, unless some account runs jobs and is looked after.
    pub async fn is_no_worker_online_for<'j>(
        &self,
        jobs: impl IntoIterator<Item = &'j Job>,
    ) -> Result<bool, StorageError> {
        let now = self.clock.now();
        if !jobs.into_iter().any(|it| it.is_overdue(now)) {
            return Ok(false);
        }
        let mut read = self.storage.read().await?;
        let since = now - self.policies.queue.sweep * 3;
        let is_any_online = read.jobs().is_any_account_looked_after(since).await?;
        Ok(!is_any_online)
    }
}
