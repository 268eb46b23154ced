use crate::{
    ids::{AccountId, JobId},
    job::Job,
    ports::{
        jobs::QueueSummary,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct ReadJob {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobState {
    pub job: Job,
    /// How many of its account's jobs go first; `None` when it does not wait.
    pub position: Option<u32>,
    pub queue: QueueSummary,
}

impl ReadJob {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// `None` when the account has no such job.
    pub async fn run(
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
}
