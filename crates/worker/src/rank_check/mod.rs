//! Rank check: measures keywords concurrently, stores measurements as they come, then evaluates all.

mod ai_mentions;
mod failures;
mod head;
mod market;
mod market_history;
mod outcome;
mod own_pages;
mod own_searches;
mod project_overrides;
mod project_series;
mod rank_history;

use super::WorkerContext;
use super::attempt_state::{AttemptFailure, AttemptOutcome, AttemptState};
use super::stoppable_ledger::{StoppableLedger, wait_for_stop_grace};
use analysis::search_panel::DomainProminence;
use domain::domain_name::SiteDomain;
use domain::ids::KeywordId;
use domain::job::Job;
use domain::job::progress::{Progress, Stage};
use domain::money::MicroUsd;
use domain::results::SearchSource;
use domain::use_cases::job_call_ledger::JobCallLedger;
use domain::use_cases::keywords::KeywordTask;
use domain::use_cases::leases::LeaseToken;
use domain::use_cases::measure_keyword::{MeasureKeyword, MeasuredKeyword};
use domain::use_cases::own_searches::OwnSearches;
use failures::Failures;
use futures_util::{StreamExt, stream};
use std::{collections::HashSet, sync::Arc};
use tokio::task::JoinError;

/// Maximum measurements per transaction; fewer if they arrive slowly.
const STORE_BATCH: usize = 64;

struct Pass<'a> {
    tools: &'a WorkerContext,
    job: &'a Job,
    site: &'a SiteDomain,
    state: &'a AttemptState,
    measure: Arc<MeasureKeyword>,
    own: OwnSearches,
    done: u64,
    total: u64,
    evaluated: u64,
    failures: Failures,
}

pub(super) async fn run(
    tools: &WorkerContext,
    job: &Job,
    site: &SiteDomain,
    state: &AttemptState,
) -> Result<AttemptOutcome, AttemptFailure> {
    let source = tools.search.label().source();
    let measured = tools.core.measured_keywords(job).await?;
    let prominence = market::last_prominence(tools, job).await?;
    let own = tools.core.own_searches(job).await?;
    let mut pass = Pass::new(tools, job, site, state, own, prominence);
    pass.done = measured.len() as u64;
    pass.total = pass.total.max(pass.done);
    pass.walk(&source, &measured).await?;
    if state.stop.is_cancelled() {
        return Ok(AttemptOutcome::Stopped);
    }
    state.pass_last_checkpoint();
    match pass.failures.end(job, tools, pass.done) {
        Some(end) => Ok(AttemptOutcome::End(end)),
        None => pass.evaluate().await,
    }
}

impl<'a> Pass<'a> {
    fn new(
        tools: &'a WorkerContext,
        job: &'a Job,
        site: &'a SiteDomain,
        state: &'a AttemptState,
        own: OwnSearches,
        prominence: Option<DomainProminence>,
    ) -> Self {
        let (search, clock) = (Arc::clone(&tools.search), Arc::clone(&tools.core.clock));
        let measure = MeasureKeyword::new(search, clock, tools.limits.depth);
        let ledger = JobCallLedger::new(Arc::clone(&tools.core), LeaseToken::of(job));
        let ledger = StoppableLedger::new(ledger, state.stop.clone());
        Self {
            measure: Arc::new(
                measure
                    .with_ledger(Arc::new(ledger))
                    .with_prominence(prominence),
            ),
            tools,
            job,
            site,
            state,
            own,
            done: 0,
            total: job.progress.total,
            evaluated: 0,
            failures: Failures::default(),
        }
    }

    async fn walk(
        &mut self,
        source: &SearchSource,
        measured: &HashSet<KeywordId>,
    ) -> Result<(), AttemptFailure> {
        let mut after = None;
        loop {
            let core = &self.tools.core;
            let mut batch = core
                .next_keywords(self.job, source, measured, after)
                .await?;
            own_searches::attach(&self.own, &mut batch.tasks).await?;
            self.measure_all(batch.tasks).await?;
            after = batch.next;
            if after.is_none() || self.must_stop() {
                return Ok(());
            }
        }
    }

    fn must_stop(&self) -> bool {
        self.state.stop.is_cancelled() || self.failures.permanent.is_some()
    }

    /// Stores results as they come. Always awaits paid calls under way: while the lease holds, their answers are
    /// recorded and not paid again. Once the attempt has to stop, waits as long as the worker may.
    async fn measure_all(&mut self, tasks: Vec<KeywordTask>) -> Result<(), AttemptFailure> {
        let (job, site) = (Arc::new(self.job.clone()), Arc::new(self.site.clone()));
        let measure = Arc::clone(&self.measure);
        let no_more = self.state.stop.child_token();
        let begin_no_more = no_more.clone();
        let measuring = stream::iter(tasks)
            .take_until(no_more.clone().cancelled_owned())
            .map(move |task| {
                let (measure, job, site) =
                    (Arc::clone(&measure), Arc::clone(&job), Arc::clone(&site));
                let no_more = begin_no_more.clone();
                tokio::spawn(async move {
                    let measured = measure.run(&job, &site, &task).await;
                    if measured.permanent_failure().is_some() {
                        no_more.cancel();
                    }
                    measured
                })
            })
            .buffer_unordered(at_once(self.tools))
            .ready_chunks(STORE_BATCH);
        let mut measuring = std::pin::pin!(measuring);
        let mut late = std::pin::pin!(wait_for_stop_grace(self.state.stop.clone()));
        let mut outcome = Ok(());
        loop {
            let chunk = tokio::select! {
                biased;
                chunk = measuring.next() => chunk,
                () = self.state.stop.cancelled(), if is_free(self.tools) => None,
                () = &mut late => None,
            };
            let Some(chunk) = chunk else {
                return outcome;
            };
            if outcome.is_ok() {
                outcome = self.store(chunk).await;
            }
            if outcome.is_err() {
                no_more.cancel();
            }
        }
    }

    async fn store(
        &mut self,
        chunk: Vec<Result<MeasuredKeyword, JoinError>>,
    ) -> Result<(), AttemptFailure> {
        let measured = chunk.into_iter().collect::<Result<Vec<_>, _>>()?;
        let is_last_attempt = self.job.is_last_attempt(&self.tools.core.policies.queue);
        let (kept, left): (Vec<_>, Vec<_>) = measured
            .into_iter()
            .partition(|it| failures::should_store(it, is_last_attempt));
        for it in &kept {
            self.failures.add_stored(it);
        }
        for it in &left {
            self.failures.add_deferred(it);
        }
        let wasted_calls = left.iter().map(|it| it.calls).sum();
        self.done += kept.len() as u64;
        let progress = self.progress(false);
        self.state.set_progress(progress.clone());
        let lease = LeaseToken::of(self.job);
        let recording =
            { &self.tools.core }.record_measurements(lease, &kept, wasted_calls, &progress);
        self.state.apply(recording.await?);
        if !kept.is_empty() {
            self.state.mark_progress_stored();
        }
        Ok(())
    }

    fn progress(&self, is_over: bool) -> Progress {
        let total = self.total.max(self.done);
        let stages = vec![
            Stage::counted("measure", self.done, total, is_over || self.done == total),
            Stage::counted("judge", self.evaluated, self.evaluated.max(total), is_over),
            Stage::counted("publish", u64::from(is_over), 1, is_over),
        ];
        Progress {
            done: self.done,
            total,
            stages,
        }
    }
}

/// Keywords measured concurrently. Paid calls under way may be paid again after a crash, so they are limited.
fn at_once(tools: &WorkerContext) -> usize {
    let load = &tools.limits;
    if is_free(tools) {
        load.keywords_at_once.max(1)
    } else {
        load.paid_keywords_at_once.max(1)
    }
}

fn is_free(tools: &WorkerContext) -> bool {
    tools.search.max_spend(tools.limits.depth).cost == MicroUsd::default()
}
