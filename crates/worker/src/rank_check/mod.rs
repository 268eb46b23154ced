//! Rank check: measures keywords concurrently, stores measurements as they come, then evaluates all.

mod ai_mentions;
mod courses;
mod head;
mod market;
mod market_past;
mod named_sites;
mod own_pages;
mod own_searches;
mod project_series;
mod trouble;
mod verdict;

use super::Tools;
use super::attempt_state::{AttemptState, Broken, Done};
use super::until_stopped::{UntilStopped, last_wait};
use analysis::search_panel::DomainProminence;
use domain::domain_name::SiteDomain;
use domain::ids::KeywordId;
use domain::job::Job;
use domain::job::progress::{Progress, Stage};
use domain::money::MicroUsd;
use domain::results::SearchSource;
use domain::use_cases::keep_leases::Hold;
use domain::use_cases::keywords::KeywordTask;
use domain::use_cases::measure_keyword::{MeasureKeyword, MeasuredKeyword};
use domain::use_cases::own_searches::OwnSearches;
use domain::use_cases::write_down_calls::WriteDownCalls;
use futures_util::{StreamExt, stream};
use std::{collections::HashSet, sync::Arc};
use tokio::task::JoinError;
use trouble::Trouble;

/// Maximum measurements per transaction; fewer if they arrive slowly.
const STORED_TOGETHER: usize = 64;

struct Pass<'a> {
    tools: &'a Tools,
    job: &'a Job,
    site: &'a SiteDomain,
    state: &'a AttemptState,
    measure: Arc<MeasureKeyword>,
    own: OwnSearches,
    done: u64,
    total: u64,
    judged: u64,
    trouble: Trouble,
}

pub(super) async fn run(
    tools: &Tools,
    job: &Job,
    site: &SiteDomain,
    state: &AttemptState,
) -> Result<Done, Broken> {
    let source = tools.search.label().source();
    let measured = tools.core.measured_keywords(job).await?;
    let prominence = market::last_prominence(tools, job).await?;
    let own = tools.core.own_searches(job).await?;
    let mut pass = Pass::new(tools, job, site, state, own, prominence);
    pass.done = measured.len() as u64;
    pass.total = pass.total.max(pass.done);
    pass.walk(&source, &measured).await?;
    if state.stop.is_cancelled() {
        return Ok(Done::Stopped);
    }
    state.pass_last_checkpoint();
    match pass.trouble.end(job, tools, pass.done) {
        Some(end) => Ok(Done::End(end)),
        None => pass.judge().await,
    }
}

impl<'a> Pass<'a> {
    fn new(
        tools: &'a Tools,
        job: &'a Job,
        site: &'a SiteDomain,
        state: &'a AttemptState,
        own: OwnSearches,
        prominence: Option<DomainProminence>,
    ) -> Self {
        let (search, clock) = (Arc::clone(&tools.search), Arc::clone(&tools.core.clock));
        let measure = MeasureKeyword::new(search, clock, tools.load.depth);
        let journal = WriteDownCalls::new(Arc::clone(&tools.core), Hold::of(job));
        let journal = UntilStopped::new(journal, state.stop.clone());
        Self {
            measure: Arc::new(measure.writing_down(Arc::new(journal)).beside(prominence)),
            tools,
            job,
            site,
            state,
            own,
            done: 0,
            total: job.progress.total,
            judged: 0,
            trouble: Trouble::default(),
        }
    }

    async fn walk(
        &mut self,
        source: &SearchSource,
        measured: &HashSet<KeywordId>,
    ) -> Result<(), Broken> {
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
        self.state.stop.is_cancelled() || self.trouble.lasting.is_some()
    }

    /// Stores results as they come. Always awaits paid calls under way: while the lease holds, their answers are
    /// recorded and not paid again. Once the attempt has to stop, waits as long as the worker may.
    async fn measure_all(&mut self, tasks: Vec<KeywordTask>) -> Result<(), Broken> {
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
                    if measured.lasting_trouble().is_some() {
                        no_more.cancel();
                    }
                    measured
                })
            })
            .buffer_unordered(at_once(self.tools))
            .ready_chunks(STORED_TOGETHER);
        let mut measuring = std::pin::pin!(measuring);
        let mut late = std::pin::pin!(last_wait(self.state.stop.clone()));
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
    ) -> Result<(), Broken> {
        let measured = chunk.into_iter().collect::<Result<Vec<_>, _>>()?;
        let is_last_attempt = self.job.is_last_attempt(&self.tools.core.policies.queue);
        let (kept, left): (Vec<_>, Vec<_>) = measured
            .into_iter()
            .partition(|it| trouble::keeps(it, is_last_attempt));
        for it in &kept {
            self.trouble.note(it);
        }
        for it in &left {
            self.trouble.meet(it);
        }
        let in_vain = left.iter().map(|it| it.calls).sum();
        self.done += kept.len() as u64;
        let progress = self.progress(false);
        self.state.note(progress.clone());
        let hold = Hold::of(self.job);
        let recording = { &self.tools.core }.record_measurements(hold, &kept, in_vain, &progress);
        self.state.heed(recording.await?);
        if !kept.is_empty() {
            self.state.advance();
        }
        Ok(())
    }

    fn progress(&self, is_over: bool) -> Progress {
        let total = self.total.max(self.done);
        let stages = vec![
            Stage::counted("measure", self.done, total, is_over || self.done == total),
            Stage::counted("judge", self.judged, self.judged.max(total), is_over),
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
fn at_once(tools: &Tools) -> usize {
    let load = &tools.load;
    if is_free(tools) {
        load.keywords_at_once.max(1)
    } else {
        load.paid_keywords_at_once.max(1)
    }
}

fn is_free(tools: &Tools) -> bool {
    tools.search.most(tools.load.depth).cost == MicroUsd::default()
}
