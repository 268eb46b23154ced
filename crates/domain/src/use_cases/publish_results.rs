//! Ends jobs with results: everything that a job staged becomes visible, or nothing does.

use super::{
    end_attempt::settle,
    keep_leases::{Hold, HoldError},
};
use crate::{
    ids::{AccountId, JobId, KeywordId},
    job::{Job, progress::Progress},
    keyword::LatestRank,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, Transaction, retrying},
    },
    results::ResultHead,
};
use analysis::{document::Document, result_type::ResultType};
use chrono::{DateTime, Utc};
use std::{collections::BTreeSet, sync::Arc};

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
        let ended = self.run_all(hold.account, &[(hold, outcome)]).await?;
        ended.into_iter().flatten().next().ok_or(HoldError::Lost)
    }

    /// The finished jobs of one account, in one transaction: all of them, or none. Answers for each in its turn;
    /// `None`: that hold was over, and nothing of it is published.
    pub async fn run_all(
        &self,
        account: AccountId,
        ends: &[(Hold, &Outcome)],
    ) -> Result<Vec<Option<Job>>, StorageError> {
        retrying(self.storage.as_ref(), || self.once(account, ends)).await
    }

    async fn once(
        &self,
        account: AccountId,
        ends: &[(Hold, &Outcome)],
    ) -> Result<Vec<Option<Job>>, StorageError> {
        let mut work = self.storage.write().await?;
        let ids: Vec<JobId> = ends.iter().map(|(hold, _)| hold.job).collect();
        let (queue, jobs) = work.jobs().lock_with_line(account, &ids).await?;
        let now = self.clock.now();
        let ended: Vec<Option<Job>> = (0..ends.len())
            .map(|at| ended(&jobs, &ends[..=at], now))
            .collect();

        let mut line = queue;
        let mut projects = BTreeSet::new();
        for ((_, outcome), job) in ends.iter().zip(&ended) {
            let Some(job) = job else { continue };
            publish(work.as_mut(), job, outcome).await?;
            if projects.insert(job.project) {
                let noted = work.projects();
                noted.note_analysis(account, job.project, now).await?;
            }
            settle(work.as_mut(), job).await?;
            line = line.after(jobs.iter().find(|it| it.id == job.id), job);
        }
        let finished: Vec<Job> = ended.iter().flatten().cloned().collect();
        if !finished.is_empty() {
            work.jobs().save_all(&finished).await?;
            work.jobs().save_queue(&line).await?;
            work.commit().await?;
        }
        Ok(ended)
    }
}

/// What becomes of the job that the last of these ends, unless its hold is over or one before ended it.
fn ended(jobs: &[Job], ends: &[(Hold, &Outcome)], now: DateTime<Utc>) -> Option<Job> {
    let ((hold, outcome), before) = ends.split_last()?;
    if before.iter().any(|(other, _)| other == hold) {
        return None;
    }
    let job = jobs.iter().find(|it| it.id == hold.job)?;
    job.lease.as_ref().filter(|it| it.epoch == hold.epoch)?;
    let finished = job.finished(hold.epoch, outcome.partial, now).ok()?;
    Some(Job {
        progress: outcome.progress.clone(),
        ..finished
    })
}

async fn publish(
    work: &mut dyn Transaction,
    job: &Job,
    outcome: &Outcome,
) -> Result<(), StorageError> {
    let (account, project) = (job.account, job.project);
    work.results()
        .publish(account, project, job.id, &outcome.heads)
        .await?;
    for (result_type, carried) in &outcome.carried {
        work.results()
            .carry(account, project, *result_type, carried)
            .await?;
    }
    if outcome.latest.is_empty() {
        return Ok(());
    }
    work.keywords().save_latest(account, &outcome.latest).await
}
