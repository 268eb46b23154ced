//! One attempt at a job: keeps its lease, runs it and stores its end.

use super::attempt_state::{AttemptFailure, AttemptOutcome, AttemptState, INTERNAL_ERROR};
use super::heartbeat::HeartbeatTask;
use super::publisher::JobPublisher;
use super::{
    WorkerContext, ai_visibility, error_chain, job_metrics, rank_check, site_audit, suggest,
    web_vitals,
};
use chrono::TimeDelta;
use domain::job::kind::AnalysisKind;
use domain::job::{Job, JobState};
use domain::ports::storage::StorageError;
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::leases::{LeaseError, LeaseToken};
use domain::use_cases::publish_results::JobResults;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// How long storing the end of an attempt is retried.
const END_RETRY_TIMEOUT: Duration = Duration::from_mins(10);
/// The same if the process or job is stopping.
const STOPPING_RETRY_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_PAUSE: Duration = Duration::from_secs(15);
/// An outage does not count as an attempt while the job is younger: older jobs may cause the outages.
const UNCOUNTED_OUTAGES: TimeDelta = TimeDelta::days(1);

pub(super) struct Attempt {
    tools: WorkerContext,
    heartbeat: Arc<HeartbeatTask>,
    publisher: Arc<JobPublisher>,
    job: Job,
    state: Arc<AttemptState>,
}

impl Attempt {
    pub(super) fn new(
        tools: WorkerContext,
        heartbeat: Arc<HeartbeatTask>,
        publisher: Arc<JobPublisher>,
        job: Job,
        stop: CancellationToken,
    ) -> Self {
        let state = Arc::new(AttemptState::new(stop, job.progress.clone()));
        Self {
            tools,
            heartbeat,
            publisher,
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
        let lease = LeaseToken::of(&self.job);
        let began = Instant::now();
        // All log lines of the attempt carry its ids.
        let span = tracing::error_span!(
            "attempt",
            jobId = lease.job.0,
            accountId = lease.account.0,
            attempt = self.job.attempt
        );
        job_metrics::record_start(&self.job, self.tools.core.clock.now());
        tracing::info!(
            jobId = lease.job.0,
            accountId = lease.account.0,
            kind = self.job.kind.name(),
            attempt = self.job.attempt,
            "A job begins."
        );
        let lease_guard = self.heartbeat.track(lease, &self.state);
        let ending = async {
            let done = self.work().await;
            drop(lease_guard);
            self.conclude(lease, done).await
        };
        let ended = ending.instrument(span).await;
        job_metrics::record_end(self.job.kind, began.elapsed(), ended.as_ref().ok());
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
                jobId = lease.job.0,
                accountId = lease.account.0,
                attempt = self.job.attempt,
                error = error_chain(&error),
                "A job's attempt ended without a word; its lease will run out."
            ),
        }
    }

    async fn work(&self) -> Result<AttemptOutcome, AttemptFailure> {
        let (core, job) = (&self.tools.core, &self.job);
        let project = core.project(job.account, job.project).await?;
        let project = project.ok_or(StorageError::Corrupt {
            subject: "the project of a job",
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
            AnalysisKind::Full => Ok(AttemptOutcome::End(unsupported_kind(self.job.kind))),
        }?;
        let AttemptOutcome::Results(mut outcome) = done else {
            return Ok(done);
        };
        suggest::add(&self.tools, &self.job, &self.state, &mut outcome).await?;
        Ok(AttemptOutcome::Results(outcome))
    }

    async fn conclude(
        &self,
        lease: LeaseToken,
        done: Result<AttemptOutcome, AttemptFailure>,
    ) -> Result<Job, LeaseError> {
        if self.state.is_lease_lost() {
            return Err(LeaseError::Lost);
        }
        let end = match done {
            Ok(AttemptOutcome::Results(outcome)) => return self.publish(lease, outcome).await,
            Ok(AttemptOutcome::End(end)) => end,
            Ok(AttemptOutcome::Stopped) if self.state.is_canceled() => AttemptEnd::Stopped,
            Ok(AttemptOutcome::Stopped) => AttemptEnd::Released,
            Err(AttemptFailure::Lease(LeaseError::Lost)) => return Err(LeaseError::Lost),
            Err(failure) => self.end_after_failure(&failure),
        };
        let core = &self.tools.core;
        self.retry_until_stored(lease, || core.end_attempt(lease, &end))
            .await
    }

    async fn publish(&self, lease: LeaseToken, outcome: JobResults) -> Result<Job, LeaseError> {
        let outcome = Arc::new(outcome);
        let publish = || self.publisher.publish(lease, Arc::clone(&outcome));
        let job = self.retry_until_stored(lease, publish).await?;
        debug_assert!(matches!(job.state, JobState::Succeeded | JobState::Partial));
        Ok(job)
    }

    fn end_after_failure(&self, failure: &AttemptFailure) -> AttemptEnd {
        if let AttemptFailure::Lease(LeaseError::Storage(error)) | AttemptFailure::Storage(error) =
            failure
            && error.is_outage()
            && self.tools.core.clock.now() - self.job.created_at < UNCOUNTED_OUTAGES
        {
            tracing::warn!(
                error = error_chain(failure),
                "A job's attempt was interrupted: the database was away, or its disk full. It does not count."
            );
            return AttemptEnd::Interrupted;
        }
        tracing::error!(error = error_chain(failure), "A job's attempt broke off.");
        let error = AttemptError {
            code: INTERNAL_ERROR.to_owned(),
            detail: "The analysis broke off because of an error in the service.".to_owned(),
            hint: Some("It is retried automatically; if it fails for good, ask the operator to look at the log.".to_owned()),
        };
        AttemptEnd::Retry {
            error,
            requested_delay: None,
        }
    }

    /// Retries while the storage is unavailable, renewing the lease meanwhile.
    async fn retry_until_stored<F>(
        &self,
        lease: LeaseToken,
        mut act: impl FnMut() -> F,
    ) -> Result<Job, LeaseError>
    where
        F: Future<Output = Result<Job, LeaseError>>,
    {
        let begun = Instant::now();
        let mut pause = Duration::from_secs(1);
        loop {
            let is_ending = self.state.stop.is_cancelled();
            let timeout = if is_ending {
                STOPPING_RETRY_TIMEOUT
            } else {
                END_RETRY_TIMEOUT
            };
            match act().await {
                Err(LeaseError::Storage(error)) if begun.elapsed() < timeout => {
                    tracing::warn!(
                        error = error_chain(&error),
                        "The end of an attempt cannot be stored yet."
                    );
                    let _lease_guard = self.heartbeat.track(lease, &self.state);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(MAX_PAUSE);
                }
                outcome => return outcome,
            }
        }
    }
}

fn unsupported_kind(kind: AnalysisKind) -> AttemptEnd {
    AttemptEnd::Failed(AttemptError {
        code: "feature-disabled".to_owned(),
        detail: format!("This version does not run {}.", kind.name()),
        hint: Some("Start an analysis that GET /health lists.".to_owned()),
    })
}
