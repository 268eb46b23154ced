use crate::{
    ids::{AccountId, ProjectId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
};
use chrono::TimeDelta;
use std::sync::Arc;

/// How long a page is kept that nobody visits.
pub const KEPT_FOR: TimeDelta = TimeDelta::days(180);
/// How many pages are forgotten at once; the next crawl takes the rest.
const MOST: u32 = 10_000;

pub struct ForgetPages {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

impl ForgetPages {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Says how many.
    pub async fn run(&self, account: AccountId, project: ProjectId) -> Result<u64, StorageError> {
        retrying(self.storage.as_ref(), || self.once(account, project)).await
    }

    async fn once(&self, account: AccountId, project: ProjectId) -> Result<u64, StorageError> {
        let mut work = self.storage.write().await?;
        let before = self.clock.now() - KEPT_FOR;
        let forgotten = work.pages().forget(account, project, before, MOST).await?;
        work.commit().await?;
        Ok(forgotten)
    }
}
