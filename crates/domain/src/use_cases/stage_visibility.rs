//! Stages visibility records, and the counts that trends are made of, some keywords at a time.

use super::keep_leases::{GoOn, Hold, HoldError, go_on, held};
use crate::{
    job::{Job, policy::QueuePolicy},
    kept_answers::KeywordTallies,
    ports::{
        clock::Clock,
        storage::{Storage, retrying},
    },
    record_places::places,
    results::StagedFinding,
};
use std::sync::Arc;

pub struct StageVisibility {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl StageVisibility {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Records, counts and a renewed lease in one transaction; nothing when the hold is over. What
    /// was counted is a fact, whatever becomes of the run.
    pub async fn run(
        &self,
        hold: Hold,
        findings: &[StagedFinding],
        tallies: &[KeywordTallies],
    ) -> Result<GoOn, HoldError> {
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let job = held(work.as_mut(), hold).await?;
            let job = job.renewed(hold.epoch, None, self.clock.now(), &self.policy)?;
            work.measurements()
                .stage(job.account, job.id, findings)
                .await?;
            work.answers()
                .count_in(job.account, job.project, tallies)
                .await?;
            work.jobs().save(&job).await?;
            work.commit().await?;
            Ok(go_on(&job))
        })
        .await
    }

    /// Takes over the records of these engines that this run has none of, so that a run of three
    /// keywords, or of one engine, does not hide the others. Those of keywords that are not AI-tracked
    /// any more are left behind.
    pub async fn carry(&self, job: &Job, engines: &[String]) -> Result<u64, HoldError> {
        let places: Vec<i64> = engines.iter().flat_map(|it| places(it)).collect();
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            held(work.as_mut(), Hold::of(job)).await?;
            let carried = work
                .answers()
                .stage_carried(job.account, job.project, job.id, &places)
                .await?;
            work.commit().await?;
            Ok(carried)
        })
        .await
    }
}
