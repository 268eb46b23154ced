use crate::{
    ids::AccountId,
    job::Job,
    page::{Page, PageRequest},
    ports::{
        jobs::{JobFilter, JobSort, QueueSummary},
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct ListJobs {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct JobList {
    pub jobs: Page<Job>,
    /// All its unfinished jobs in numbers.
    pub queue: QueueSummary,
}

#[derive(Debug, thiserror::Error)]
pub enum ListJobsError {
    /// The filter names a project that the account does not have.
    #[error("there is no such project")]
    NoSuchProject,
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl ListJobs {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    pub async fn run(
        &self,
        account: AccountId,
        filter: &JobFilter,
        page: &PageRequest<JobSort>,
    ) -> Result<JobList, ListJobsError> {
        let mut read = self.storage.read().await?;
        if let Some(project) = filter.project
            && read.projects().find(account, project).await?.is_none()
        {
            return Err(ListJobsError::NoSuchProject);
        }
        let jobs = read.jobs().list(account, filter, page).await?;
        let queue = read.jobs().summary(account).await?;
        Ok(JobList { jobs, queue })
    }
}
