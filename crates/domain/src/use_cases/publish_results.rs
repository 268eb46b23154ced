//! Ends a job with results: everything it staged becomes visible, or nothing does.

use super::{
    end_attempt::settle,
    keep_leases::{Hold, HoldError, held},
};
use crate::{
    ids::KeywordId,
    job::{Job, progress::Progress},
    keyword::LatestRank,
    ports::{
        clock::Clock,
        storage::{Storage, retrying},
    },
    results::ResultHead,
};
use analysis::{document::Document, result_type::ResultType};
use std::sync::Arc;

/// Publishes results.
pub struct PublishResults {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

/// What a job ends with.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The new heads.
    pub heads: Vec<ResultHead>,
    /// Where each measured keyword stands now.
    pub latest: Vec<(KeywordId, LatestRank)>,
    /// What the next run of a type needs to know of this one.
    pub carried: Vec<(ResultType, Document)>,
    /// Whether something could not be measured.
    pub partial: bool,
    /// How far it came.
    pub progress: Progress,
}

impl PublishResults {
    /// On this storage and clock.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// The finished job. A worker whose hold is over publishes nothing.
    pub async fn run(&self, hold: Hold, outcome: &Outcome) -> Result<Job, HoldError> {
        retrying(self.storage.as_ref(), || self.once(hold, outcome)).await
    }

    async fn once(&self, hold: Hold, outcome: &Outcome) -> Result<Job, HoldError> {
        let mut work = self.storage.write().await?;
        let queue = work.jobs().lock_queue(hold.account).await?;
        let now = self.clock.now();
        let before = held(work.as_mut(), hold).await?;
        let finished = before.finished(hold.epoch, outcome.partial, now)?;
        let job = Job {
            progress: outcome.progress.clone(),
            ..finished
        };

        work.results()
            .publish(job.account, job.project, job.id, &outcome.heads)
            .await?;
        for (result_type, carried) in &outcome.carried {
            work.results()
                .carry(job.account, job.project, *result_type, carried)
                .await?;
        }
        work.keywords()
            .save_latest(job.account, &outcome.latest)
            .await?;
        work.projects()
            .note_analysis(job.account, job.project, now)
            .await?;
        settle(work.as_mut(), &job).await?;
        work.jobs().save(&job).await?;
        let line = queue.after(Some(&before), &job);
        work.jobs().save_queue(&line).await?;
        work.commit().await?;
        Ok(job)
    }
}
