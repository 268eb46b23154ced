//! Runs a rank check: measures keywords concurrently, stores what is measured as it comes, and judges
//! at the end what follows from all of it.

mod courses;
mod head;
mod market;
mod market_past;
mod named_sites;
mod own_pages;
mod own_searches;
mod project_series;
mod verdict;

use super::{
    Tools,
    attempt::{AttemptState, Broken, Done},
};
use analysis::search_panel::DomainProminence;
use chrono::TimeDelta;
use domain::{
    domain_name::SiteDomain,
    ids::KeywordId,
    job::{
        Job,
        progress::{Progress, Stage},
    },
    money::MicroUsd,
    ports::search_results::ProviderError,
    use_cases::{
        end_attempt::{AttemptEnd, AttemptError},
        keep_lease::Hold,
        measure_keyword::{MeasureKeyword, MeasuredKeyword},
        next_keywords::{KeywordTask, NextKeywords},
        read_own_searches::OwnSearches,
        record_measurements::RecordMeasurements,
        write_down_calls::WriteDownCalls,
    },
};
use futures_util::{StreamExt, stream};
use std::{collections::HashSet, sync::Arc};

/// How many measurements are stored in one transaction at the most; fewer when they come slowly.
const STORED_TOGETHER: usize = 64;

/// A pass over the job's keywords.
struct Pass<'a> {
    tools: &'a Tools,
    job: &'a Job,
    site: &'a SiteDomain,
    state: &'a AttemptState,
    measure: Arc<MeasureKeyword>,
    record: RecordMeasurements,
    /// What the project's Search Console tells.
    own: OwnSearches,
    done: u64,
    total: u64,
    /// Keywords whose course is judged.
    judged: u64,
    trouble: Trouble,
}

/// What went wrong on the way, as far as it decides how the attempt ends.
#[derive(Default)]
struct Trouble {
    /// Failures that may pass, left for another attempt.
    passing: u64,
    /// The last of them.
    last: Option<ProviderError>,
    /// A failure that ends the pass: every further call would fail alike.
    fatal: Option<ProviderError>,
}

pub(super) async fn run(
    tools: &Tools,
    job: &Job,
    site: &SiteDomain,
    state: &AttemptState,
) -> Result<Done, Broken> {
    let source = tools.search.label().source();
    let next = NextKeywords::new(Arc::clone(&tools.storage), source);
    let measured = next.measured(job).await?;
    let prominence = market::last_prominence(tools, job).await?;
    let own = own_searches::of(tools, job).await?;
    let mut pass = Pass::new(tools, job, site, state, own, prominence);
    pass.done = measured.len() as u64;
    pass.total = pass.total.max(pass.done);
    pass.walk(&next, &measured).await?;
    if state.stop.is_cancelled() {
        return Ok(Done::Stopped);
    }
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
        let clock = || Arc::clone(&tools.clock);
        let measure = MeasureKeyword::new(Arc::clone(&tools.search), clock(), tools.load.depth);
        let journal = WriteDownCalls::new(Arc::clone(&tools.storage), clock(), Hold::of(job));
        Self {
            measure: Arc::new(measure.writing_down(Arc::new(journal)).beside(prominence)),
            record: RecordMeasurements::new(Arc::clone(&tools.storage), clock(), tools.policy),
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
        next: &NextKeywords,
        measured: &HashSet<KeywordId>,
    ) -> Result<(), Broken> {
        let mut after = None;
        loop {
            let mut batch = next.run(self.job, measured, after).await?;
            own_searches::attach(&self.own, &mut batch.tasks).await?;
            self.measure_all(batch.tasks).await?;
            after = batch.next;
            if after.is_none() || self.must_stop() {
                return Ok(());
            }
        }
    }

    fn must_stop(&self) -> bool {
        self.state.stop.is_cancelled() || self.trouble.fatal.is_some()
    }

    async fn measure_all(&mut self, tasks: Vec<KeywordTask>) -> Result<(), Broken> {
        let (job, site) = (Arc::new(self.job.clone()), Arc::new(self.site.clone()));
        let measure = Arc::clone(&self.measure);
        let no_more = self.state.stop.child_token();
        let at_once = at_once(self.tools);
        let measuring = stream::iter(tasks)
            .take_until(no_more.clone().cancelled_owned())
            .map(move |task| {
                let (measure, job, site) =
                    (Arc::clone(&measure), Arc::clone(&job), Arc::clone(&site));
                tokio::spawn(async move { measure.run(&job, &site, &task).await })
            })
            .buffer_unordered(at_once)
            .ready_chunks(STORED_TOGETHER);
        let mut measuring = std::pin::pin!(measuring);
        // What is under way is waited for, however this ends: it may have been paid, and while the
        // job is held what was answered is written down.
        let mut outcome = Ok(());
        while let Some(chunk) = measuring.next().await {
            if outcome.is_ok() {
                let measured = chunk.into_iter().collect::<Result<Vec<_>, _>>();
                outcome = match measured {
                    Ok(measured) => self.store(measured).await,
                    Err(error) => Err(error.into()),
                };
            }
            if outcome.is_err() || self.must_stop() {
                no_more.cancel();
            }
        }
        outcome
    }

    async fn store(&mut self, measured: Vec<MeasuredKeyword>) -> Result<(), Broken> {
        let is_last_attempt = self.job.attempt >= self.tools.policy.most_attempts;
        let (kept, left): (Vec<_>, Vec<_>) = measured
            .into_iter()
            .partition(|it| keeps(it, is_last_attempt));
        let mut in_vain = 0;
        for unmeasured in left {
            in_vain += unmeasured.calls;
            self.trouble.meet(unmeasured.failure);
        }
        self.done += kept.len() as u64;
        let progress = self.progress(false);
        self.state.note(progress.clone());
        let go_on = self
            .record
            .run(Hold::of(self.job), &kept, in_vain, &progress)
            .await?;
        self.state.heed(go_on);
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

/// How many keywords are measured at the same time. Where calls cost money, those under way may
/// have to be paid again after a crash.
fn at_once(tools: &Tools) -> usize {
    let load = &tools.load;
    let is_free = tools.search.most(load.depth).cost == MicroUsd::default();
    if is_free {
        load.keywords_at_once.max(1)
    } else {
        load.paid_keywords_at_once.max(1)
    }
}

/// A failure that may pass is left for another attempt while there is one; every other outcome
/// is kept, a failure as the state that it is.
fn keeps(measured: &MeasuredKeyword, is_last_attempt: bool) -> bool {
    measured.failure.as_ref().is_none_or(|failure| {
        let ends_the_pass = matches!(
            failure,
            ProviderError::Unauthorised
                | ProviderError::OutOfFunds
                | ProviderError::CapReached
                | ProviderError::Unpaid(_)
        );
        !ends_the_pass && (is_last_attempt || !failure.is_retryable())
    })
}

impl Trouble {
    fn meet(&mut self, failure: Option<ProviderError>) {
        match failure {
            Some(failure) if failure.is_retryable() => {
                self.passing += 1;
                self.last = Some(failure);
            }
            fatal => self.fatal = fatal.or(self.fatal.take()),
        }
    }

    /// How the attempt ends because of the trouble; `None` when there was none worth another one.
    fn end(&self, job: &Job, tools: &Tools, done: u64) -> Option<AttemptEnd> {
        if let Some(fatal) = &self.fatal {
            // What was measured before is paid for: it is published, and the rest told.
            return (done == 0).then(|| AttemptEnd::Failed(attempt_error(fatal)));
        }
        let last = self.last.as_ref()?;
        tracing::info!(
            job = job.id.0,
            left = self.passing,
            done,
            most = tools.policy.most_attempts,
            "Some keywords are left for another attempt."
        );
        Some(AttemptEnd::Later {
            error: attempt_error(last),
            asked: asked_delay(last),
        })
    }
}

pub(super) fn asked_delay(error: &ProviderError) -> Option<TimeDelta> {
    match error {
        ProviderError::RateLimited {
            retry_after: Some(wait),
        } => TimeDelta::from_std(*wait).ok(),
        _ => None,
    }
}

pub(super) fn attempt_error(error: &ProviderError) -> AttemptError {
    let hint = match error {
        ProviderError::Unauthorised => {
            "Ask the operator to check the supplier's credentials (`sightline doctor`)."
        }
        ProviderError::OutOfFunds => "Ask the operator to top up the supplier's account.",
        ProviderError::CapReached => {
            "Start the analysis again: what it can cost is set aside anew, within the month's budget."
        }
        ProviderError::Unpaid(unpaid) => unpaid.hint(),
        _ => "Nothing has to be done: it is tried again by itself.",
    };
    AttemptError {
        code: error.code().to_owned(),
        detail: sentence(error),
        hint: Some(hint.to_owned()),
    }
}

fn sentence(error: &ProviderError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
