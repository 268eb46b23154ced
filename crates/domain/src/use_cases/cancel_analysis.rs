//! Cancels an analysis: at once while it waits; a running one is asked to stop.

use super::{end_attempt::put_away, may_be_storage};
use crate::{
    ids::{AccountId, JobId},
    job::Job,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
};
use std::sync::Arc;
use thiserror::Error;

pub struct CancelAnalysis {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Error)]
pub enum CancelAnalysisError {
    #[error("there is no such analysis")]
    NoSuchJob,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(CancelAnalysisError);

impl CancelAnalysis {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// The job afterwards; one that has ended stays as it is.
    pub async fn run(&self, account: AccountId, job: JobId) -> Result<Job, CancelAnalysisError> {
        retrying(self.storage.as_ref(), || self.once(account, job)).await
    }

    async fn once(&self, account: AccountId, job: JobId) -> Result<Job, CancelAnalysisError> {
        let mut work = self.storage.write().await?;
        // Whether it is there is asked before anything is held: a queue is made for whoever asks
        // for one.
        let found = work.jobs().find(account, job).await?;
        found.ok_or(CancelAnalysisError::NoSuchJob)?;
        let queue = work.jobs().lock_queue(account).await?;
        let before = work.jobs().lock(account, job).await?;
        let before = before.ok_or(CancelAnalysisError::NoSuchJob)?;
        let Ok(canceled) = before.canceled(self.clock.now()) else {
            return Ok(before);
        };
        put_away(work.as_mut(), &canceled).await?;
        let virtual_time = queue.virtual_time;
        work.jobs().refresh_queue(account, virtual_time).await?;
        work.commit().await?;
        Ok(canceled)
    }
}
