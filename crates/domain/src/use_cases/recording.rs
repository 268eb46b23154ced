//! Stores interim results of an attempt, so that a crash costs only what is not stored yet. A
//! worker that lost its lease stores nothing.

use super::Core;
use super::leases::{LeaseError, LeaseToken, WorkerSignal, load_leased_job, worker_signal};
use super::measure_keyword::MeasuredKeyword;
use super::query_ai_engine::ObservedAnswer;
use crate::ids::{AccountId, AnswerId, JobId, ProjectId};
use crate::job::progress::Progress;
use crate::job::{Job, JobCost};
use crate::kept_answers::{KeptAnswer, KeywordTallies};
use crate::kept_pages::StagedPage;
use crate::ports::storage::{Storage, StorageError, Transaction};
use crate::record_ordinals::engine_offsets;
use crate::results::{JournalEntry, KeywordMeasurement, StagedFinding};
use analysis::result_type::ResultType;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::BTreeSet;

/// Journal entries read at once. A page has some 50 KB, at most a hundred times that, and takes
/// several times its size in memory.
const BATCH: u32 = 10;
/// Retention of pages since their last visit.
pub const PAGES_KEPT_FOR: TimeDelta = TimeDelta::days(180);
/// Pages deleted at once; the next crawl continues.
const PURGE_BATCH: u32 = 10_000;

/// Iterates over staged records of a type in ordinal order, in batches.
pub struct StagedWalk<'a> {
    storage: &'a dyn Storage,
    account: AccountId,
    job: JobId,
    result_type: ResultType,
    batch_size: u32,
    after: Option<i64>,
    is_over: bool,
}

impl StagedWalk<'_> {
    /// The next batch; `None` at the end. Holds no connection between calls.
    pub async fn next(&mut self) -> Result<Option<Vec<StagedFinding>>, StorageError> {
        if self.is_over {
            return Ok(None);
        }
        let (job, result_type) = (self.job, self.result_type);
        let mut read = self.storage.read().await?;
        let staged = read
            .measurements()
            .staged(self.account, job, result_type, self.after, self.batch_size)
            .await?;
        self.after = staged.last().map(|it| it.ordinal);
        self.is_over = staged.len() < self.batch_size as usize;
        Ok((!staged.is_empty()).then_some(staged))
    }
}

impl Core {
    pub fn walk_staged(&self, job: &Job, result_type: ResultType, at_once: u32) -> StagedWalk<'_> {
        StagedWalk {
            storage: self.storage.as_ref(),
            account: job.account,
            job: job.id,
            result_type,
            batch_size: at_once,
            after: None,
            is_over: false,
        }
    }

    /// Stores measurements, records and calls. `in_vain` are calls for keywords left to another attempt.
    /// Their cost is recorded with each call ([`JobCallLedger`](super::job_call_ledger::JobCallLedger)).
    pub async fn record_measurements(
        &self,
        lease: LeaseToken,
        measured: &[MeasuredKeyword],
        in_vain: u64,
        progress: &Progress,
    ) -> Result<WorkerSignal, LeaseError> {
        let record = |mut work: Box<dyn Transaction>, job: Job| async move {
            let job = counted(job, measured.iter().map(|it| it.calls), in_vain);
            let facts: Vec<KeywordMeasurement> =
                measured.iter().map(|it| it.measurement.clone()).collect();
            let findings: Vec<StagedFinding> =
                measured.iter().flat_map(|it| it.findings.clone()).collect();
            work.measurements()
                .add(job.account, job.project, &facts)
                .await?;
            work.measurements()
                .stage(job.account, job.id, &findings)
                .await?;
            Ok((work, job))
        };
        self.store_with_lease(lease, Some(progress), record).await
    }

    /// Stores answers and calls. `in_vain` are calls for queries left to another attempt.
    pub async fn record_answers(
        &self,
        lease: LeaseToken,
        observed: &[ObservedAnswer],
        in_vain: u64,
        progress: &Progress,
    ) -> Result<WorkerSignal, LeaseError> {
        let ids = || AnswerId::mint_ascending(&self.mint, observed.len());
        let prepare = || (self.clock.now(), ids());
        let record = |mut work: Box<dyn Transaction>, (now, ids): (_, Vec<AnswerId>)| async move {
            let job = load_leased_job(work.as_mut(), lease).await?;
            let progress = Some(progress.clone());
            let job = job.renewed(lease.epoch, progress, now, &self.policies.queue)?;
            let job = counted(job, observed.iter().map(|it| it.calls), in_vain);
            if !observed.is_empty() {
                let kept: Vec<KeptAnswer> = { ids.into_iter().zip(observed) }
                    .map(|(id, it)| KeptAnswer {
                        id,
                        job: job.id,
                        answer: it.answer.clone(),
                    })
                    .collect();
                work.answers().keep(job.account, job.project, &kept).await?;
                let engines: BTreeSet<&String> =
                    observed.iter().map(|it| &it.answer.engine).collect();
                let engines: Vec<String> = engines.into_iter().cloned().collect();
                work.ai_models()
                    .note_use(job.account, &engines, now)
                    .await?;
            }
            work.jobs().save(&job).await?;
            work.commit().await?;
            Ok(worker_signal(&job))
        };
        self.storage.transaction_with(prepare, record).await
    }

    /// Stages records, and the pages stored with them.
    pub async fn stage_findings(
        &self,
        lease: LeaseToken,
        findings: &[StagedFinding],
        pages: &[StagedPage],
    ) -> Result<WorkerSignal, LeaseError> {
        let stage = |mut work: Box<dyn Transaction>, job: Job| async move {
            work.measurements()
                .stage(job.account, job.id, findings)
                .await?;
            if !pages.is_empty() {
                work.pages().stage(job.account, job.id, pages).await?;
            }
            Ok((work, job))
        };
        self.store_with_lease(lease, None, stage).await
    }

    /// Stages visibility records, and stores the tallies of trends, which stay even if the run fails.
    pub async fn stage_visibility(
        &self,
        lease: LeaseToken,
        findings: &[StagedFinding],
        tallies: &[KeywordTallies],
    ) -> Result<WorkerSignal, LeaseError> {
        let stage = |mut work: Box<dyn Transaction>, job: Job| async move {
            work.measurements()
                .stage(job.account, job.id, findings)
                .await?;
            work.answers()
                .save_tallies(job.account, job.project, tallies)
                .await?;
            Ok((work, job))
        };
        self.store_with_lease(lease, None, stage).await
    }

    /// Carries over records of these engines that the run lacks, so that a run of three keywords,
    /// or of one engine, does not hide the others. Omits keywords without AI tracking.
    pub async fn carry_over_visibility(
        &self,
        job: &Job,
        engines: &[String],
    ) -> Result<u64, LeaseError> {
        let places: &Vec<i64> = &engines.iter().flat_map(|it| engine_offsets(it)).collect();
        let carry = |mut work: Box<dyn Transaction>, _, _| async move {
            let carried = work
                .answers()
                .stage_carried_over(job.account, job.project, job.id, places)
                .await?;
            work.commit().await?;
            Ok(carried)
        };
        self.with_lease(LeaseToken::of(job), carry).await
    }

    /// Appends to the job's journal, which the next attempt reads back.
    pub async fn add_to_journal(
        &self,
        lease: LeaseToken,
        entries: &[JournalEntry],
        progress: &Progress,
    ) -> Result<WorkerSignal, LeaseError> {
        let add = |mut work: Box<dyn Transaction>, job: Job| async move {
            work.measurements()
                .append_journal(job.account, job.id, entries)
                .await?;
            Ok((work, job))
        };
        self.store_with_lease(lease, Some(progress), add).await
    }

    /// The next journal entries after a position, in order; empty at the end.
    pub async fn journal(
        &self,
        lease: LeaseToken,
        behind: Option<i64>,
    ) -> Result<Vec<JournalEntry>, StorageError> {
        let mut read = self.storage.read().await?;
        read.measurements()
            .read_journal(lease.account, lease.job, behind, BATCH)
            .await
    }

    /// Purges pages of a project past retention; returns how many.
    pub async fn purge_pages(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<u64, StorageError> {
        let forget = |mut work: Box<dyn Transaction>, now: DateTime<Utc>| async move {
            let before = now - PAGES_KEPT_FOR;
            let forgotten = { work.pages() }
                .purge_before(account, project, before, PURGE_BATCH)
                .await?;
            work.commit().await?;
            Ok(forgotten)
        };
        self.transaction_with_time(forget).await
    }
}

fn counted(job: Job, calls: impl IntoIterator<Item = u64>, in_vain: u64) -> Job {
    let cost = JobCost {
        calls: job.cost.calls + in_vain + calls.into_iter().sum::<u64>(),
        ..job.cost
    };
    Job { cost, ..job }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::policy::QueuePolicy;
    use crate::ports::clock::Clock;
    use crate::test_support::{FakeStorage, FrozenClock, a_job, core};
    use std::sync::Arc;

    fn held_by_another() -> Job {
        let (now, policy) = (FrozenClock::default().now(), QueuePolicy::default());
        a_job()
            .claimed("a", now, &policy)
            .and_then(|job| job.swept(0.0, now + TimeDelta::seconds(45), &policy))
            .and_then(|job| job.claimed("b", now + TimeDelta::minutes(2), &policy))
            .unwrap()
    }

    fn lost() -> LeaseToken {
        LeaseToken {
            epoch: 1,
            ..LeaseToken::of(&a_job())
        }
    }

    #[tokio::test]
    async fn a_worker_that_lost_its_lease_stores_nothing() {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            work.jobs
                .expect_lock()
                .return_once(|_, _| Ok(Some(held_by_another())));
            work.measurements.expect_add().never();
            work.measurements.expect_stage().never();
        });
        let core = core(Arc::<FakeStorage>::clone(&storage));
        let none = Progress::default();
        let outcome = core.record_measurements(lost(), &[], 0, &none).await;
        assert!(matches!(outcome, Err(LeaseError::Lost)));
        assert_eq!(storage.commits(), 0);
    }

    #[tokio::test]
    async fn a_worker_that_lost_its_lease_keeps_no_answer() {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            work.jobs
                .expect_lock()
                .return_once(|_, _| Ok(Some(held_by_another())));
            work.answers.expect_keep().never();
        });
        let core = core(Arc::<FakeStorage>::clone(&storage));
        let none = Progress::default();
        let outcome = core.record_answers(lost(), &[], 0, &none).await;
        assert!(matches!(outcome, Err(LeaseError::Lost)));
        assert_eq!(storage.commits(), 0);
    }

    #[test]
    fn calls_without_a_record_are_counted_but_not_their_cost() {
        let job = counted(a_job(), [], 3);
        let before = a_job().cost;
        assert_eq!(job.cost.calls, before.calls + 3);
        assert_eq!(job.cost.spent, before.spent);
    }
}
