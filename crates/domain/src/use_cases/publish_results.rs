//! Ends jobs with results, atomically: all staged data becomes visible, or none.

use super::Core;
use super::end_attempt::settle;
use super::leases::{LeaseError, LeaseToken};
use crate::event::NewEvent;
use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::job::Job;
use crate::job::progress::Progress;
use crate::keyword::LatestRank;
use crate::page::{Direction, PageRequest};
use crate::ports::projects::{ProjectFilter, ProjectSort};
use crate::ports::storage::{StorageError, Transaction};
use crate::results::{CarriedKind, ResultHead};
use analysis::{
    document::Document,
    events::{EventDraft, EventRun, analysis_partial},
    result_type::ResultType,
};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Records copied per transaction: some 10 MB of the largest.
pub const COPY_BATCH: u32 = 500;

#[derive(Debug, Clone)]
pub struct JobResults {
    pub heads: Vec<ResultHead>,
    pub latest: Vec<(KeywordId, LatestRank)>,
    /// Data for the next run of a type.
    pub carried_over: Vec<(CarriedKind, Document)>,
    /// Whether something could not be measured.
    pub partial: bool,
    pub progress: Progress,
    pub events: Vec<EventDraft>,
}

impl Core {
    /// Returns the finished job. A worker that lost its lease publishes nothing.
    pub async fn publish_results(
        &self,
        lease: LeaseToken,
        outcome: &JobResults,
    ) -> Result<Job, LeaseError> {
        let ended = self.publish_all(lease.account, &[(lease, outcome)]).await?;
        ended.into_iter().flatten().next().ok_or(LeaseError::Lost)
    }

    /// Finishes jobs of one account in one transaction, all or none. Results are in the order of
    /// `ends`; `None` if a lease was lost, and nothing of that job is published.
    ///
    /// Records of large results are copied before, in transactions of [`COPY_BATCH`] records, so that
    /// other writers do not wait for all of them. They stay invisible until the last transaction.
    pub async fn publish_all(
        &self,
        account: AccountId,
        ends: &[(LeaseToken, &JobResults)],
    ) -> Result<Vec<Option<Job>>, StorageError> {
        for (lease, outcome) in ends {
            match self.copy_large(*lease, outcome).await {
                // The last transaction checks the lease itself.
                Ok(()) | Err(LeaseError::Lost) => {}
                Err(LeaseError::Storage(error)) => return Err(error),
            }
        }
        let publish = |mut work: Box<dyn Transaction>, now| async move {
            let ids: Vec<JobId> = ends.iter().map(|(lease, _)| lease.job).collect();
            let (queue, jobs) = work.jobs().lock_queue_and_jobs(account, &ids).await?;
            let ended: Vec<Option<Job>> = (0..ends.len())
                .map(|at| ended(&jobs, &ends[..=at], now))
                .collect();

            let mut queue = queue;
            let mut projects = BTreeSet::new();
            for ((_, outcome), job) in ends.iter().zip(&ended) {
                let Some(job) = job else { continue };
                publish(work.as_mut(), job, outcome).await?;
                if projects.insert(job.project) {
                    let noted = work.projects();
                    noted.note_analysis(account, job.project, now).await?;
                }
                settle(work.as_mut(), job).await?;
                queue = queue.after_change(jobs.iter().find(|it| it.id == job.id), job);
            }
            let finished: Vec<Job> = ended.iter().flatten().cloned().collect();
            if !finished.is_empty() {
                let all = ends.iter().zip(&ended);
                let all = all.filter_map(|((_, outcome), job)| Some((job.as_ref()?, *outcome)));
                let all: Vec<(&Job, &JobResults)> = all.collect();
                add_events(work.as_mut(), account, &all, now).await?;
                work.jobs().save_all(&finished).await?;
                work.jobs().save_queue(&queue).await?;
                work.commit().await?;
            }
            Ok(ended)
        };
        self.transaction_with_time(publish).await
    }

    async fn copy_large(&self, lease: LeaseToken, outcome: &JobResults) -> Result<(), LeaseError> {
        let types = large(outcome);
        if types.is_empty() {
            return Ok(());
        }
        // An earlier attempt may have copied other records than this one staged.
        self.discard_copied(lease).await?;
        for result_type in types {
            let mut after = None;
            loop {
                after = self.copy_part(lease, result_type, after).await?;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn discard_copied(&self, lease: LeaseToken) -> Result<(), LeaseError> {
        let discard = |mut work: Box<dyn Transaction>, job: Job, _| async move {
            let results = work.results();
            results
                .discard_copied(job.account, job.project, job.id)
                .await?;
            Ok(work.commit().await?)
        };
        self.with_lease(lease, discard).await
    }

    async fn copy_part(
        &self,
        lease: LeaseToken,
        result_type: ResultType,
        after: Option<i64>,
    ) -> Result<Option<i64>, LeaseError> {
        let copy = |mut work: Box<dyn Transaction>, job: Job, _| async move {
            let results = work.results();
            let last = results
                .copy_staged(
                    job.account,
                    job.project,
                    (result_type, job.id),
                    after,
                    COPY_BATCH,
                )
                .await?;
            if last.is_some() {
                work.commit().await?;
            }
            Ok(last)
        };
        self.with_lease(lease, copy).await
    }
}

/// Types with records that are copied before the job ends.
fn large(outcome: &JobResults) -> Vec<ResultType> {
    let large = outcome.heads.iter();
    large
        .filter(|it| it.item_count > u64::from(COPY_BATCH))
        .map(|it| it.result_type)
        .collect()
}

/// The job ended by the last of `ends`; `None` if its lease was lost or an earlier entry ended it.
fn ended(jobs: &[Job], ends: &[(LeaseToken, &JobResults)], now: DateTime<Utc>) -> Option<Job> {
    let ((lease, outcome), before) = ends.split_last()?;
    if before.iter().any(|(other, _)| other == lease) {
        return None;
    }
    let job = jobs.iter().find(|it| it.id == lease.job)?;
    job.lease.as_ref().filter(|it| it.epoch == lease.epoch)?;
    let finished = job.finished(lease.epoch, outcome.partial, now).ok()?;
    Some(Job {
        progress: outcome.progress.clone(),
        ..finished
    })
}

/// Adds the events of ended jobs, each with the name that its project has now.
async fn add_events(
    work: &mut dyn Transaction,
    account: AccountId,
    ended: &[(&Job, &JobResults)],
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let drafts: Vec<(&Job, Vec<EventDraft>)> = { ended.iter() }
        .map(|(job, outcome)| (*job, drafts(job, outcome, now)))
        .filter(|(_, drafts)| !drafts.is_empty())
        .collect();
    let only: BTreeSet<ProjectId> = drafts.iter().map(|(job, _)| job.project).collect();
    if only.is_empty() {
        return Ok(());
    }
    let page = PageRequest {
        sort: ProjectSort::CreatedAt,
        direction: Direction::Ascending,
        after: None,
        limit: only.len().try_into().unwrap_or(u32::MAX),
        counted: false,
        bytes: None,
    };
    let filter = ProjectFilter {
        only: Some(only),
        ..ProjectFilter::default()
    };
    let projects = work.projects().list(account, &filter, &page).await?.items;
    let of = |job: &Job| projects.iter().find(|it| it.id == job.project);
    let events: Vec<NewEvent> = { drafts.into_iter() }
        .filter_map(|(job, drafts)| Some((job, of(job)?, drafts)))
        .flat_map(|(job, project, drafts)| {
            let new = move |it| NewEvent::of_project(project, Some(job.id), it, now);
            drafts.into_iter().map(new)
        })
        .collect();
    work.events().append(account, &events).await
}

/// What the analysis found, and that it measured only a part.
fn drafts(job: &Job, outcome: &JobResults, now: DateTime<Utc>) -> Vec<EventDraft> {
    let head = outcome.heads.first();
    let run = EventRun {
        job: job.id.0,
        simulated: head.is_some_and(|it| it.provenance.is_simulated()),
        method: "",
    };
    let partial = head.and_then(|it| analysis_partial(&run, job.kind, it.coverage, now));
    outcome.events.iter().cloned().chain(partial).collect()
}

async fn publish(
    work: &mut dyn Transaction,
    job: &Job,
    outcome: &JobResults,
) -> Result<(), StorageError> {
    let (account, project) = (job.account, job.project);
    work.results()
        .publish(account, project, job.id, &outcome.heads, &large(outcome))
        .await?;
    for (kind, carried) in &outcome.carried_over {
        work.results()
            .save_carried_over(account, project, *kind, carried)
            .await?;
    }
    if outcome.latest.is_empty() {
        return Ok(());
    }
    work.keywords().save_latest(account, &outcome.latest).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Coverage, StagedFinding};
    use crate::test_support::fixtures::{job, now, project};
    use crate::test_support::{ACCOUNT, MemoryStorage, a_project, core};
    use analysis::provenance::Provenance;

    fn claimed() -> Job {
        job(31).running_for(0).0
    }

    fn head(job: &Job, result_type: ResultType, item_count: u64) -> ResultHead {
        ResultHead {
            account: job.account,
            project: job.project,
            result_type,
            job: job.id,
            generated_at: now(),
            measured_at: now(),
            method_version: "test/1".into(),
            provider: "sandbox".into(),
            provenance: Provenance::Simulated,
            coverage: Coverage::new(item_count, item_count, 0),
            item_count,
            summary: Document::from_stored("{}".into()),
            warnings: vec![],
        }
    }

    fn outcome(job: &Job, records: u32) -> JobResults {
        JobResults {
            heads: vec![
                head(job, ResultType::Rankings, records.into()),
                head(job, ResultType::Serp, 1),
            ],
            latest: vec![],
            carried_over: vec![],
            partial: false,
            progress: Progress::default(),
            events: vec![],
        }
    }

    /// The job has staged `records` rankings and one search page.
    fn with_staged(records: u32) -> MemoryStorage {
        let storage = MemoryStorage::default()
            .with(project())
            .with(job(31).running_for(0));
        let staged = |result_type, ordinal| StagedFinding {
            result_type,
            ordinal,
            keyword: None,
            url: None,
            sort_value: None,
            measured_at: now(),
            record: Document::from_stored("{}".into()),
        };
        storage.put(|state| {
            let ranks = (0..records).map(|it| staged(ResultType::Rankings, it.into()));
            for it in ranks.chain([staged(ResultType::Serp, 0)]) {
                let place = (it.result_type.name(), it.ordinal);
                state.staged.insert((ACCOUNT, claimed().id, place), it);
            }
        });
        storage
    }

    async fn publish(storage: &MemoryStorage, records: u32) -> Result<Job, LeaseError> {
        let outcome = outcome(&claimed(), records);
        core(storage.port())
            .publish_results(LeaseToken::of(&claimed()), &outcome)
            .await
    }

    #[tokio::test]
    async fn large_results_are_copied_in_batches_before_publication() {
        assert_eq!(COPY_BATCH, 500);
        let storage = with_staged(COPY_BATCH + 1);
        let ended = publish(&storage, COPY_BATCH + 1).await;
        assert!(!ended.unwrap().state.is_unfinished());
        // One commit discards earlier copies, two copy batches, one ends the job.
        assert_eq!(storage.commits(), 1 + 2 + 1);
        let history = storage.history();
        let stood = history.iter().map(|it| (it.findings.len(), it.heads.len()));
        let (part, all) = (COPY_BATCH as usize, COPY_BATCH as usize + 1);
        assert_eq!(
            stood.collect::<Vec<_>>(),
            [(0, 0), (part, 0), (all, 0), (all + 1, 2)]
        );
        assert!(storage.state().staged.is_empty());
    }

    #[tokio::test]
    async fn small_results_are_published_in_one_transaction() {
        let storage = with_staged(COPY_BATCH);
        publish(&storage, COPY_BATCH).await.unwrap();
        assert_eq!(storage.commits(), 1);
        let state = storage.state();
        assert_eq!(state.findings.len(), COPY_BATCH as usize + 1);
        let project = &state.projects[&(ACCOUNT, a_project().id)];
        assert_eq!(project.last_analysis_at, Some(now()));
    }

    #[tokio::test]
    async fn a_worker_that_lost_its_lease_copies_nothing() {
        let storage = with_staged(COPY_BATCH + 1).with(job(31));
        let before = storage.state();
        let ended = publish(&storage, COPY_BATCH + 1).await;
        assert!(matches!(ended, Err(LeaseError::Lost)));
        assert_eq!(storage.commits(), 0);
        assert_eq!(storage.state(), before);
    }
}
