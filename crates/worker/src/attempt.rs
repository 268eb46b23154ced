//! One attempt at a job: keeps its lease, runs it and stores its end.

use super::attempt_state::{AttemptState, BROKE, Broken, Done};
use super::endings::Endings;
use super::heart::Heart;
use super::{Tools, ai_visibility, chain, counted, rank_check, site_audit, suggest, web_vitals};
use chrono::TimeDelta;
use domain::job::kind::AnalysisKind;
use domain::job::{Job, JobState};
use domain::ports::storage::StorageError;
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::keep_leases::{Hold, HoldError};
use domain::use_cases::publish_results::Outcome;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// How long storing the end of an attempt is retried.
const PATIENCE: Duration = Duration::from_mins(10);
/// The same if the process or job is stopping.
const SHORT_PATIENCE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// An outage does not count as an attempt while the job is younger: older jobs may cause the outages.
const UNCOUNTED_OUTAGES: TimeDelta = TimeDelta::days(1);

pub(super) struct Attempt {
    tools: Tools,
    heart: Arc<Heart>,
    endings: Arc<Endings>,
    job: Job,
    state: Arc<AttemptState>,
}

impl Attempt {
    pub(super) fn new(
        tools: Tools,
        heart: Arc<Heart>,
        endings: Arc<Endings>,
        job: Job,
        stop: CancellationToken,
    ) -> Self {
        let state = Arc::new(AttemptState::new(stop, job.progress.clone()));
        Self {
            tools,
            heart,
            endings,
            job,
            state,
        }
    }

    pub(super) const fn job(&self) -> &Job {
        &self.job
    }

    pub(super) const fn state(&self) -> &Arc<AttemptState> {
        &self.state
    }

    pub(super) async fn run(self) {
        let hold = Hold::of(&self.job);
        let began = Instant::now();
        // All log lines of the attempt carry its ids.
        let span = tracing::error_span!(
            "attempt",
            jobId = hold.job.0,
            accountId = hold.account.0,
            attempt = self.job.attempt
        );
        counted::begun(&self.job, self.tools.core.clock.now());
        tracing::info!(
            jobId = hold.job.0,
            accountId = hold.account.0,
            kind = self.job.kind.name(),
            attempt = self.job.attempt,
            "A job begins."
        );
        let beating = self.heart.keep(hold, &self.state);
        let ending = async {
            let done = self.work().await;
            drop(beating);
            self.conclude(hold, done).await
        };
        let ended = ending.instrument(span).await;
        counted::over(self.job.kind, began.elapsed(), ended.as_ref().ok());
        match ended {
            Ok(job) => {
                let failed = matches!(job.state, JobState::RetryWait | JobState::Failed);
                let error = job.errors.last().filter(|_| failed);
                tracing::info!(
                    jobId = job.id.0,
                    accountId = job.account.0,
                    attempt = self.job.attempt,
                    state = job.state.name(),
                    code = error.map(|it| it.code.as_str()),
                    "A job's attempt is over."
                );
            }
            Err(error) => tracing::warn!(
                jobId = hold.job.0,
                accountId = hold.account.0,
                attempt = self.job.attempt,
                error = chain(&error),
                "A job's attempt ended without a word; its lease will run out."
            ),
        }
    }

    async fn work(&self) -> Result<Done, Broken> {
        let (core, job) = (&self.tools.core, &self.job);
        let project = core.project(job.account, job.project).await?;
        let project = project.ok_or(StorageError::Corrupt {
            what: "the project of a job",
        })?;
        let site = &project.domain;
        let done = match self.job.kind {
            AnalysisKind::RankCheck => {
                rank_check::run(&self.tools, &self.job, site, &self.state).await
            }
            AnalysisKind::SiteAudit => {
                site_audit::run(&self.tools, &self.job, site, &self.state).await
            }
            AnalysisKind::WebVitals => {
                web_vitals::run(&self.tools, &self.job, &project, &self.state).await
            }
            AnalysisKind::AiVisibility => {
                ai_visibility::run(&self.tools, &self.job, &project, &self.state).await
            }
            AnalysisKind::Full => Ok(Done::End(unbuilt(self.job.kind))),
        }?;
        let Done::Results(mut outcome) = done else {
            return Ok(done);
        };
        suggest::add(&self.tools, &self.job, &self.state, &mut outcome).await?;
        Ok(Done::Results(outcome))
    }

    async fn conclude(&self, hold: Hold, done: Result<Done, Broken>) -> Result<Job, HoldError> {
        if self.state.is_lost() {
            return Err(HoldError::Lost);
        }
        let end = match done {
            Ok(Done::Results(outcome)) => return self.publish(hold, outcome).await,
            Ok(Done::End(end)) => end,
            Ok(Done::Stopped) if self.state.is_canceled() => AttemptEnd::Stopped,
            Ok(Done::Stopped) => AttemptEnd::GivenBack,
            Err(Broken::Hold(HoldError::Lost)) => return Err(HoldError::Lost),
            Err(broken) => self.broke(&broken),
        };
        let core = &self.tools.core;
        self.patiently(hold, || core.end_attempt(hold, &end)).await
    }

    async fn publish(&self, hold: Hold, outcome: Outcome) -> Result<Job, HoldError> {
        let outcome = Arc::new(outcome);
        let publish = || self.endings.publish(hold, Arc::clone(&outcome));
        let job = self.patiently(hold, publish).await?;
        debug_assert!(matches!(job.state, JobState::Succeeded | JobState::Partial));
        Ok(job)
    }

    fn broke(&self, broken: &Broken) -> AttemptEnd {
        if let Broken::Hold(HoldError::Storage(error)) | Broken::Storage(error) = broken
            && error.is_of_an_outage()
            && self.tools.core.clock.now() - self.job.created_at < UNCOUNTED_OUTAGES
        {
            tracing::warn!(
                error = chain(broken),
                "A job's attempt was interrupted: the database was away, or its disk full. It does not count."
            );
            return AttemptEnd::Interrupted;
        }
        tracing::error!(error = chain(broken), "A job's attempt broke off.");
        let error = AttemptError {
            code: BROKE.to_owned(),
            detail: "The analysis broke off because of an error in the service.".to_owned(),
            hint: Some("It is tried again by itself; if it fails for good, ask the operator to look at the log.".to_owned()),
        };
        AttemptEnd::Later { error, asked: None }
    }

    /// Retries while the storage is unavailable, renewing the lease meanwhile.
    async fn patiently<F>(&self, hold: Hold, mut act: impl FnMut() -> F) -> Result<Job, HoldError>
    where
        F: Future<Output = Result<Job, HoldError>>,
    {
        let begun = Instant::now();
        let mut pause = Duration::from_secs(1);
        loop {
            let is_ending = self.state.stop.is_cancelled();
            let patience = if is_ending { SHORT_PATIENCE } else { PATIENCE };
            match act().await {
                Err(HoldError::Storage(error)) if begun.elapsed() < patience => {
                    tracing::warn!(
                        error = chain(&error),
                        "The end of an attempt cannot be stored yet."
                    );
                    let _beating = self.heart.keep(hold, &self.state);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                outcome => return outcome,
            }
        }
    }
}

fn unbuilt(kind: AnalysisKind) -> AttemptEnd {
    AttemptEnd::Failed(AttemptError {
        code: "feature-disabled".to_owned(),
        detail: format!("This version does not run {}.", kind.name()),
        hint: Some("Start an analysis that GET /health lists.".to_owned()),
    })
}
