//! Puts pages that are to be kept on their way, a batch at a time.

use super::keep_lease::{GoOn, Hold, HoldError, go_on, held};
use crate::{
    job::policy::QueuePolicy,
    kept_pages::StagedPage,
    ports::{
        clock::Clock,
        storage::{Storage, retrying},
    },
};
use std::sync::Arc;

/// Stages pages.
pub struct StagePages {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl StagePages {
    /// On this storage and clock, with these limits.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Pages and a renewed lease in one transaction; nothing when the hold is over.
    pub async fn run(&self, hold: Hold, pages: &[StagedPage]) -> Result<GoOn, HoldError> {
        retrying(|| self.once(hold, pages)).await
    }

    async fn once(&self, hold: Hold, pages: &[StagedPage]) -> Result<GoOn, HoldError> {
        let mut work = self.storage.write().await?;
        let job = held(work.as_mut(), hold).await?.renewed(
            hold.epoch,
            None,
            self.clock.now(),
            &self.policy,
        )?;
        work.pages().stage(job.account, job.id, pages).await?;
        work.jobs().save(&job).await?;
        work.commit().await?;
        Ok(go_on(&job))
    }
}
