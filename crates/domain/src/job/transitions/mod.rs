//! The queue's state machine: every transition of a job.
//!
//! ```text
//!  ─→ scheduled/ready ──claim──→ running ──finish──→ succeeded | partial
//!         │   ↑                   │  │ └──fail────→ failed
//!         │   └─────release───────┘  └─retry / lose─→ retry_wait ──claim─→ running
//!         ├──expire──→ expired          (crashes or attempts used up: failed)
//!         └──cancel──→ canceled   (running: flagged first, then canceled)
//! ```
//! Each method returns the job after the transition, or refuses and changes nothing. Methods for
//! workers take the epoch: a worker that lost its lease is refused.

use super::{Job, JobError, JobState, Lease, policy::QueuePolicy, progress::Progress};
use chrono::{DateTime, TimeDelta, Utc};
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TransitionRefused {
    #[error("the lease was lost")]
    LeaseLost,
    #[error("not possible in this state")]
    WrongState,
}

use TransitionRefused::{LeaseLost, WrongState};

const START_AGAIN: &str = "Start the analysis again.";

impl Job {
    pub fn claimed(
        &self,
        worker: &str,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
    ) -> Result<Self, TransitionRefused> {
        if !self.is_due(now) || self.cancel_requested {
            return Err(WrongState);
        }
        let epoch = self.epoch + 1;
        Ok(Self {
            state: JobState::Running,
            epoch,
            lease: Some(Lease {
                epoch,
                owner: worker.to_owned(),
                until: now + policy.lease,
            }),
            deadline_at: Some(now + policy.deadline(self.kind)),
            attempt: self.attempt + 1,
            started_at: self.started_at.or(Some(now)),
            ..self.clone()
        })
    }

    /// Heartbeat with progress. The worker must stop if [`Job::cancel_requested`] is set.
    pub fn renewed(
        &self,
        epoch: i64,
        progress: Option<Progress>,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
    ) -> Result<Self, TransitionRefused> {
        let lease = self.current_lease(epoch)?;
        Ok(Self {
            lease: Some(Lease {
                until: now + policy.lease,
                ..lease.clone()
            }),
            progress: progress.unwrap_or_else(|| self.progress.clone()),
            ..self.clone()
        })
    }

    /// The work is done; `partial` if something could not be measured.
    pub fn finished(
        &self,
        epoch: i64,
        partial: bool,
        now: DateTime<Utc>,
    ) -> Result<Self, TransitionRefused> {
        self.current_lease(epoch)?;
        Ok(self.ended(
            if partial {
                JobState::Partial
            } else {
                JobState::Succeeded
            },
            now,
        ))
    }

    /// The attempt failed with a transient error: retry, or fail if the attempts are used up.
    pub fn retried(
        &self,
        epoch: i64,
        error: JobError,
        delay: TimeDelta,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
    ) -> Result<Self, TransitionRefused> {
        self.current_lease(epoch)?;
        let noted = self.with_error(error);
        if noted.cancel_requested {
            return Ok(noted.ended(JobState::Canceled, now));
        }
        if noted.is_last_attempt(policy) {
            return Ok(noted.ended(JobState::Failed, now));
        }
        Ok(noted.requeued(now + delay.min(policy.max_requested_delay)))
    }

    /// The attempt failed permanently.
    pub fn failed(
        &self,
        epoch: i64,
        error: JobError,
        now: DateTime<Utc>,
    ) -> Result<Self, TransitionRefused> {
        self.current_lease(epoch)?;
        Ok(self.with_error(error).ended(JobState::Failed, now))
    }

    /// The worker yields because it shuts down or others wait; the attempt does not count.
    pub fn released(&self, epoch: i64, now: DateTime<Utc>) -> Result<Self, TransitionRefused> {
        self.current_lease(epoch)?;
        if self.cancel_requested {
            return Ok(self.ended(JobState::Canceled, now));
        }
        Ok(Self {
            state: JobState::Ready,
            attempt: self.attempt.saturating_sub(1),
            ..self.requeued(now)
        })
    }

    /// The database was unavailable; the attempt does not count, and the next one starts after a delay.
    pub fn interrupted(
        &self,
        epoch: i64,
        pause: TimeDelta,
        now: DateTime<Utc>,
    ) -> Result<Self, TransitionRefused> {
        let mut released = self.released(epoch, now)?;
        if released.state.is_waiting() {
            released.run_at = now + pause;
        }
        Ok(released)
    }

    /// The worker stopped on a cancel request.
    pub fn stopped(&self, epoch: i64, now: DateTime<Utc>) -> Result<Self, TransitionRefused> {
        self.current_lease(epoch)?;
        if !self.cancel_requested {
            return Err(WrongState);
        }
        Ok(self.ended(JobState::Canceled, now))
    }

    /// Canceled by its owner or the end of its project: a waiting job at once, a running one on request.
    pub fn canceled(&self, now: DateTime<Utc>) -> Result<Self, TransitionRefused> {
        match self.state {
            JobState::Running => Ok(Self {
                cancel_requested: true,
                ..self.clone()
            }),
            state if state.is_waiting() => Ok(self.ended(JobState::Canceled, now)),
            _ => Err(WrongState),
        }
    }

    /// Result of a sweep: a lost lease is a crash, a missed deadline a failed attempt, and a job
    /// that no worker took expires.
    pub fn swept(
        &self,
        jitter: f64,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
    ) -> Result<Self, TransitionRefused> {
        if !self.needs_attention(now) {
            return Err(WrongState);
        }
        match self.state {
            JobState::Running if self.cancel_requested => Ok(self.ended(JobState::Canceled, now)),
            JobState::Running => Ok(self.reclaimed(jitter, now, policy)),
            _ => Ok(self
                .with_error(self.error_now(
                    "expired",
                    ("No worker took the analysis in time.", START_AGAIN),
                    now,
                ))
                .ended(JobState::Expired, now)),
        }
    }

    /// Its worker is known to be gone, whatever the lease says. After the first loss it may run again at once,
    /// because the end of a process is rarely the job's fault; later losses are delayed like any failure.
    pub fn lost(
        &self,
        jitter: f64,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
    ) -> Result<Self, TransitionRefused> {
        if self.state != JobState::Running {
            return Err(WrongState);
        }
        if self.cancel_requested {
            return Ok(self.ended(JobState::Canceled, now));
        }
        let lost = self.reclaimed(jitter, now, policy);
        let is_first = lost.state == JobState::RetryWait && lost.crash_count == 1;
        Ok(if is_first {
            Self {
                run_at: now,
                ..lost
            }
        } else {
            lost
        })
    }

    fn reclaimed(&self, jitter: f64, now: DateTime<Utc>, policy: &QueuePolicy) -> Self {
        let deadline_passed = self.deadline_at.is_some_and(|at| at <= now);
        let (code, detail) = if deadline_passed {
            ("deadline-passed", "The attempt took longer than allowed.")
        } else {
            ("worker-lost", "The worker sent no heartbeat.")
        };
        let crash_count = self.crash_count + u32::from(!deadline_passed);
        let is_over = crash_count >= policy.max_crashes || self.is_last_attempt(policy);
        let hint = if is_over {
            START_AGAIN
        } else {
            "Wait: it is tried again."
        };
        let noted = Self {
            crash_count,
            ..self.with_error(self.error_now(code, (detail, hint), now))
        };
        if is_over {
            return noted.ended(JobState::Failed, now);
        }
        noted.requeued(now + policy.delay_after(self.attempt, jitter))
    }

    fn current_lease(&self, epoch: i64) -> Result<&Lease, TransitionRefused> {
        let lease = self
            .lease
            .as_ref()
            .filter(|lease| self.state == JobState::Running && lease.epoch == epoch);
        lease.ok_or(LeaseLost)
    }

    fn requeued(&self, run_at: DateTime<Utc>) -> Self {
        // A job queued or running in time may still be retried: a late failure must not expire it.
        let expires_at = self.expires_at.max(run_at + TimeDelta::hours(1));
        Self {
            state: JobState::RetryWait,
            epoch: self.epoch + 1,
            lease: None,
            deadline_at: None,
            run_at,
            expires_at,
            ..self.clone()
        }
    }

    fn ended(&self, state: JobState, now: DateTime<Utc>) -> Self {
        Self {
            state,
            epoch: self.epoch + 1,
            lease: None,
            deadline_at: None,
            finished_at: Some(now),
            ..self.clone()
        }
    }

    fn with_error(&self, error: JobError) -> Self {
        let mut errors = self.errors.clone();
        errors.push(error);
        errors.drain(..errors.len().saturating_sub(JobError::MAX_KEPT));
        Self {
            errors,
            ..self.clone()
        }
    }

    fn error_now(&self, code: &str, (detail, hint): (&str, &str), at: DateTime<Utc>) -> JobError {
        JobError {
            code: code.to_owned(),
            detail: detail.to_owned(),
            retryable: true,
            hint: Some(hint.to_owned()),
            attempt: self.attempt,
            at,
        }
    }
}

#[cfg(test)]
mod tests;
