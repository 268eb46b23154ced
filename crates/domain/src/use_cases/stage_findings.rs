//! Puts records on their way, and the pages that are to be kept with them, a batch at a time.

use super::keep_leases::{GoOn, Hold, HoldError, go_on, held};
use crate::{
    job::policy::QueuePolicy,
    kept_pages::StagedPage,
    ports::{
        clock::Clock,
        storage::{Storage, retrying},
    },
    results::StagedFinding,
};
use std::sync::Arc;

pub struct StageFindings {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl StageFindings {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Records, pages and a renewed lease in one transaction; nothing when the hold is over.
    pub async fn run(
        &self,
        hold: Hold,
        findings: &[StagedFinding],
        pages: &[StagedPage],
    ) -> Result<GoOn, HoldError> {
        retrying(self.storage.as_ref(), || self.once(hold, findings, pages)).await
    }

    async fn once(
        &self,
        hold: Hold,
        findings: &[StagedFinding],
        pages: &[StagedPage],
    ) -> Result<GoOn, HoldError> {
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
        if !pages.is_empty() {
            work.pages().stage(job.account, job.id, pages).await?;
        }
        work.jobs().save(&job).await?;
        work.commit().await?;
        Ok(go_on(&job))
    }
}
