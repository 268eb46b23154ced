//! Puts records of a site audit on their way, a batch at a time.

use super::keep_lease::{GoOn, Hold, HoldError, go_on, held};
use crate::{
    job::policy::QueuePolicy,
    ports::{
        clock::Clock,
        storage::{Storage, retrying},
    },
    results::StagedFinding,
};
use std::sync::Arc;

/// Stages findings.
pub struct StageFindings {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl StageFindings {
    /// On this storage and clock, with these limits.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Records and a renewed lease in one transaction; nothing when the hold is over.
    pub async fn run(&self, hold: Hold, findings: &[StagedFinding]) -> Result<GoOn, HoldError> {
        retrying(|| self.once(hold, findings)).await
    }

    async fn once(&self, hold: Hold, findings: &[StagedFinding]) -> Result<GoOn, HoldError> {
        let mut work = self.storage.write().await?;
        let job = held(work.as_mut(), hold).await?.renewed(
            hold.epoch,
            None,
            self.clock.now(),
            &self.policy,
        )?;
        work.measurements()
            .stage(job.account, job.id, findings)
            .await?;
        work.jobs().save(&job).await?;
        work.commit().await?;
        Ok(go_on(&job))
    }
}
