use crate::ToSchema;
use chrono::{DateTime, Utc};
use domain::job::progress::{Stage, StageStatus};
use domain::job::{Job, JobError};
use domain::money::MicroUsd;
use domain::ports::jobs::QueueSummary;
use serde::Serialize;

/// A requested analysis.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Job)]
pub struct JobView {
    /// Its id.
    #[schema(minimum = 1)]
    pub id: i64,
    /// The site.
    #[schema(minimum = 1)]
    pub project_id: i64,
    /// What is measured.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `queued`, `running`, `retrying`, `succeeded`, `partial`, `failed` or `canceled`.
    pub status: &'static str,
    /// How far it is.
    pub progress: ProgressView,
    /// Its parts, in order.
    pub stages: Vec<StageView>,
    /// Attempts begun.
    pub attempts: u32,
    /// `low`, `normal` or `high`.
    pub priority: &'static str,
    /// Who requested it: `api`, `session`, `mcp` or `schedule`.
    pub trigger: &'static str,
    /// What it cost so far.
    pub cost: MoneyView,
    /// The result types that it brings.
    pub results: Vec<&'static str>,
    /// What went wrong, when something did.
    pub error: Option<JobErrorView>,
    /// How many of the account's analyses go first, when it is read by `jobId`; null when it
    /// does not wait, and in lists.
    pub queue_position: Option<u32>,
    /// `worker` when it has been due for some seconds and no worker is online to take it; null otherwise, and where an
    /// analysis is started or canceled.
    pub waiting_for: Option<&'static str>,
    /// Whether it existed already when it was requested.
    pub deduplicated: bool,
    /// When it was requested.
    pub created_at: DateTime<Utc>,
    /// When a worker first took it.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Progress)]
pub struct ProgressView {
    /// Units done.
    pub done: u64,
    /// Units in all as far as known; 0 before it is known.
    pub total: u64,
    /// What is counted: `keywords`, `urls`…
    pub unit: &'static str,
    /// Percent done, rounded down; null while the total is unknown, 100 only at the end.
    pub percent: Option<u8>,
    /// Seconds until the end at the speed so far; null when unknown, also after the last unit.
    pub eta_seconds: Option<u64>,
}

/// One part of a job.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Stage)]
pub struct StageView {
    /// What is done in it.
    pub name: String,
    /// `waiting`, `running` or `done`; in a job that ended before, `stopped` or `skipped`.
    pub status: &'static str,
    /// Units done.
    pub done: u64,
    /// Units in all as far as known.
    pub total: u64,
}

/// What something cost.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Cost)]
pub struct MoneyView {
    /// A decimal number.
    pub amount: String,
    /// ISO 4217.
    pub currency: &'static str,
    /// Supplier calls.
    pub calls: u64,
}

/// What went wrong in a job.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobError)]
pub struct JobErrorView {
    /// A stable code.
    pub code: String,
    /// What happened.
    pub detail: String,
    /// Whether asking again may help.
    pub retryable: bool,
    /// What to do.
    pub hint: Option<String>,
}

/// The account's unfinished jobs in numbers.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Queue)]
pub struct QueueView {
    /// Waiting to be worked on, for the first time or again: `queued` and `retrying`.
    pub queued: u32,
    /// Being worked on.
    pub running: u32,
    /// How long the oldest waiting one has waited; null when none waits.
    pub oldest_queued_seconds: Option<u64>,
}

impl JobView {
    pub fn of(job: &Job, queue_position: Option<u32>, now: DateTime<Utc>) -> Self {
        let progress = &job.progress;
        // Work remains after the last unit, so only an ended job reaches 100 %.
        let most_percent = if job.state.is_unfinished() { 99 } else { 100 };
        let eta = job
            .state
            .is_unfinished()
            .then_some(job.started_at)
            .flatten();
        Self {
            id: job.id.0,
            project_id: job.project.0,
            kind: job.kind.name(),
            status: job.state.status().name(),
            progress: ProgressView {
                done: progress.done,
                total: progress.total,
                unit: job.kind.unit(),
                percent: progress.percent().map(|it| it.min(most_percent)),
                eta_seconds: eta.and_then(|started| progress.eta_seconds(started, now)),
            },
            stages: progress
                .stages
                .iter()
                .map(|stage| StageView::of(stage, job.state.is_unfinished()))
                .collect(),
            attempts: job.attempt,
            priority: job.priority.name(),
            trigger: job.trigger.name(),
            cost: MoneyView::of(job.cost.spent, job.cost.calls),
            results: job
                .kind
                .results()
                .iter()
                .map(|result| result.name())
                .collect(),
            error: job.error().map(JobErrorView::of),
            queue_position,
            waiting_for: None,
            deduplicated: false,
            created_at: job.created_at,
            started_at: job.started_at,
            finished_at: job.finished_at,
        }
    }
}

impl JobView {
    /// Sets `waitingFor` when the job is overdue and no worker is online.
    #[must_use]
    pub fn with_worker_wait(self, none_is_online: bool, job: &Job, now: DateTime<Utc>) -> Self {
        let waits = none_is_online && job.is_overdue(now);
        Self {
            waiting_for: waits.then_some("worker"),
            ..self
        }
    }
}

impl StageView {
    /// In an ended job no stage runs or waits.
    fn of(stage: &Stage, may_go_on: bool) -> Self {
        let status = match stage.status {
            StageStatus::Running if !may_go_on => "stopped",
            StageStatus::Waiting if !may_go_on => "skipped",
            status => status.name(),
        };
        Self {
            name: stage.name.clone(),
            status,
            done: stage.done,
            total: stage.total,
        }
    }
}

impl MoneyView {
    pub fn of(amount: MicroUsd, calls: u64) -> Self {
        Self {
            amount: amount.to_string(),
            currency: MicroUsd::CURRENCY,
            calls,
        }
    }
}

impl JobErrorView {
    fn of(error: &JobError) -> Self {
        Self {
            code: error.code.clone(),
            detail: error.detail.clone(),
            retryable: error.retryable,
            hint: error.hint.clone(),
        }
    }
}

impl QueueView {
    pub fn of(queue: &QueueSummary, now: DateTime<Utc>) -> Self {
        let waited = queue
            .oldest_queued_at
            .map(|since| (now - since).num_seconds());
        Self {
            queued: queue.queued,
            running: queue.running,
            oldest_queued_seconds: waited.map(|seconds| u64::try_from(seconds).unwrap_or(0)),
        }
    }
}
