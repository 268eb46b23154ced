//! Jobs: requested analyses and their states.
//!
//! The state machine is in [`transitions`]; storage only stores its decisions.

pub mod account_queue;
pub mod budget;
pub mod clock_check;
pub mod fair_queue;
pub mod fairness;
pub mod kind;
pub mod policy;
pub mod progress;
pub mod slots;
pub mod transitions;

use crate::ai_models::ModelChoice;
use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::keyword::KeywordChoice;
use crate::money::MicroUsd;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use kind::AnalysisKind;
use policy::QueuePolicy;
use progress::Progress;

/// Idle workers poll for due jobs at least once a second.
const OVERDUE_AFTER: TimeDelta = TimeDelta::seconds(15);

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum JobState {
        Scheduled = "scheduled",
        Ready = "ready",
        Running = "running",
        RetryWait = "retry_wait",
        Succeeded = "succeeded",
        /// Finished, but something could not be measured.
        Partial = "partial",
        Failed = "failed",
        Canceled = "canceled",
        /// No worker took it in time.
        Expired = "expired",
    }
}

impl JobState {
    pub const fn status(self) -> JobStatus {
        match self {
            Self::Scheduled | Self::Ready => JobStatus::Queued,
            Self::Running => JobStatus::Running,
            Self::RetryWait => JobStatus::Retrying,
            Self::Succeeded => JobStatus::Succeeded,
            Self::Partial => JobStatus::Partial,
            Self::Failed | Self::Expired => JobStatus::Failed,
            Self::Canceled => JobStatus::Canceled,
        }
    }

    pub const fn is_unfinished(self) -> bool {
        matches!(
            self,
            Self::Scheduled | Self::Ready | Self::Running | Self::RetryWait
        )
    }

    /// Whether it waits for a worker, now or later.
    pub const fn is_waiting(self) -> bool {
        matches!(self, Self::Scheduled | Self::Ready | Self::RetryWait)
    }
}

analysis::wire_enum! {
    /// Status shown to callers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum JobStatus {
        Queued = "queued",
        Running = "running",
        Retrying = "retrying",
        Succeeded = "succeeded",
        Partial = "partial",
        Failed = "failed",
        Canceled = "canceled",
    }
}

impl JobStatus {
    pub fn states(self) -> impl Iterator<Item = JobState> {
        JobState::ALL
            .into_iter()
            .filter(move |state| state.status() == self)
    }
}

analysis::wire_enum! {
    /// Order among the account's jobs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    // Ascending.
    pub enum JobPriority {
        Low = "low",
        #[default]
        Normal = "normal",
        High = "high",
    }
}

impl JobPriority {
    /// Rises with the priority, for sorting.
    pub const fn rank(self) -> i32 {
        self as i32
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Trigger {
        Api = "api",
        Session = "session",
        Mcp = "mcp",
        Schedule = "schedule",
    }
}

/// A worker's lease of a running job. Every effect is fenced by the epoch; a worker that lost its lease has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Fencing token: grows with each claim and each loss.
    pub epoch: i64,
    pub owner: String,
    pub until: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobError {
    /// Stable code.
    pub code: String,
    /// Message for users, without supplier names and secrets.
    pub detail: String,
    pub retryable: bool,
    pub hint: Option<String>,
    pub attempt: u32,
    pub at: DateTime<Utc>,
}

impl JobError {
    /// Maximum errors stored per job.
    pub const MAX_KEPT: usize = 5;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobCost {
    /// Reserved when it was requested.
    pub reserved: MicroUsd,
    pub spent: MicroUsd,
    /// Supplier calls made.
    pub calls: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub account: AccountId,
    pub id: JobId,
    pub project: ProjectId,
    pub kind: AnalysisKind,
    pub keywords: KeywordChoice,
    /// The AI engines to query, for analyses that do so.
    pub models: ModelChoice,
    pub state: JobState,
    pub priority: JobPriority,
    pub trigger: Trigger,
    /// Equal for equivalent jobs; unique among unfinished jobs.
    pub dedupe_key: String,
    /// The measured day, equal in every attempt.
    pub day: NaiveDate,
    /// Earliest start.
    pub run_at: DateTime<Utc>,
    /// Latest start, unless a worker already has it.
    pub expires_at: DateTime<Utc>,
    /// Attempts begun; released ones do not count.
    pub attempt: u32,
    /// Attempts that ended with a lost lease.
    pub crash_count: u32,
    /// Fencing token: grows with each claim and each loss.
    pub epoch: i64,
    pub lease: Option<Lease>,
    /// When the running attempt times out.
    pub deadline_at: Option<DateTime<Utc>>,
    pub cancel_requested: bool,
    pub progress: Progress,
    pub cost: JobCost,
    /// Oldest first.
    pub errors: Vec<JobError>,
    pub created_at: DateTime<Utc>,
    /// When a worker first claimed it.
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

impl Job {
    /// The final error, or the last one so far.
    pub fn error(&self) -> Option<&JobError> {
        let failed = matches!(
            self.state,
            JobState::Failed | JobState::Expired | JobState::RetryWait
        );
        failed.then(|| self.errors.last()).flatten()
    }

    /// Whether a worker may claim it now. Storage selects by the same rule; a contract test
    /// compares both at the boundary.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.state.is_waiting() && self.run_at <= now && now < self.expires_at
    }

    /// Whether it has been due for so long that any idle worker would have claimed it.
    pub fn is_overdue(&self, now: DateTime<Utc>) -> bool {
        self.is_due(now) && !self.cancel_requested && self.run_at + OVERDUE_AFTER <= now
    }

    pub const fn is_last_attempt(&self, policy: &QueuePolicy) -> bool {
        self.attempt >= policy.max_attempts
    }

    /// Whether it ended long enough ago to be deleted.
    pub fn is_purgeable(&self, now: DateTime<Utc>, policy: &QueuePolicy) -> bool {
        let kept_for = match self.state.status() {
            JobStatus::Failed => policy.failed_kept_for,
            _ => policy.done_kept_for,
        };
        self.finished_at.is_some_and(|at| at + kept_for <= now)
    }

    /// Whether it needs a sweep: lease or deadline has passed, or no worker came in time.
    pub fn needs_attention(&self, now: DateTime<Utc>) -> bool {
        match self.state {
            JobState::Running => {
                self.lease.as_ref().is_none_or(|lease| lease.until <= now)
                    || self.deadline_at.is_some_and(|at| at <= now)
            }
            state => state.is_waiting() && self.expires_at <= now,
        }
    }
}

pub fn dedupe_key(
    project: ProjectId,
    kind: AnalysisKind,
    keywords: &KeywordChoice,
    models: &ModelChoice,
) -> String {
    let of_keywords = match keywords {
        KeywordChoice::All => "all".to_owned(),
        KeywordChoice::Named(named) => keyword_set_digest(named),
    };
    let mut key = format!("{project}:{}:{of_keywords}", kind.name());
    if let ModelChoice::Named(named) = models {
        let mut sorted = named.clone();
        sorted.sort_unstable();
        key.extend([":", &sorted.join(",")]);
    }
    key
}

/// Distinguishes keyword sets of one project.
fn keyword_set_digest(keywords: &[KeywordId]) -> String {
    use sha2::{Digest, Sha256};
    let mut sorted = keywords.to_vec();
    sorted.sort_unstable();
    let mut hash = Sha256::new();
    for keyword in sorted {
        hash.update(keyword.0.to_be_bytes());
    }
    let digest = hash.finalize();
    let digest = u128::from_be_bytes(std::array::from_fn(|at| digest[at]));
    format!("{digest:032x}")
}

#[cfg(test)]
mod tests;
