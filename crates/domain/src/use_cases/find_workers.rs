//! Finds out whether jobs wait because no worker is online.
//!
//! Nothing is written for it. An idle worker takes a due job within a second, and a worker that is busy renews its
//! leases and looks after every account in time. So a job that has been due for a while means that no worker is
//! online, unless some account runs jobs and is looked after.

use crate::{
    job::{Job, policy::QueuePolicy},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct FindWorkers {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl FindWorkers {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Whether some jobs are overdue and no worker is online. Reads nothing when none is overdue.
    pub async fn is_none_online_for<'j>(
        &self,
        jobs: impl IntoIterator<Item = &'j Job>,
    ) -> Result<bool, StorageError> {
        let now = self.clock.now();
        if !jobs.into_iter().any(|it| it.is_overdue(now)) {
            return Ok(false);
        }
        let mut read = self.storage.read().await?;
        let since = now - self.policy.sweep * 3;
        let is_any_online = read.jobs().is_any_account_looked_after(since).await?;
        Ok(!is_any_online)
    }
}
