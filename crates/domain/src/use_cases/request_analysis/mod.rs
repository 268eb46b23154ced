//! Requests an analysis: queues a job with its cost reserved.

mod estimate;
mod plan;

use super::budgets::{Budget, OverBudget};
use super::{Core, impl_as_storage_error};
use crate::account::AccountStatus;
use crate::ai_models::ModelChoice;
use crate::ids::{AccountId, JobId, ProjectId};
use crate::job::account_queue::AccountQueue;
use crate::job::kind::AnalysisKind;
use crate::job::progress::Progress;
use crate::job::{Job, JobCost, JobPriority, JobState, Trigger, dedupe_key};
use crate::keyword::KeywordChoice;
use crate::money::MicroUsd;
use crate::ports::jobs::QueueFigures;
use crate::ports::search_results::{PaidCallRefusal, Spent};
use crate::ports::storage::{AsStorageError, StorageError, Transaction, run_with_retries};
use crate::schedule::Schedule;
use crate::use_cases::idempotency::{IdempotencyWriter, KeyUsedConcurrently};
use chrono::{DateTime, Utc};
pub use estimate::EnginePlan;
use estimate::WorkEstimate;
pub use plan::AnalysisPlan;
use thiserror::Error;

/// Prices of measurements with the configured suppliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// Maximum calls and cost per keyword.
    pub per_keyword: Spent,
    /// Why paid calls of keyword measurements are refused.
    pub paid_call_refusal: Option<PaidCallRefusal>,
    /// Budget of all accounts on a day (UTC); `None` is unlimited.
    pub max_per_day: Option<MicroUsd>,
    /// Maximum pages of one speed measurement; these queries are free.
    pub speed_pages: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalysisRequest {
    pub project: ProjectId,
    pub kind: AnalysisKind,
    /// For analyses that measure keywords.
    pub keywords: KeywordChoice,
    /// For analyses that query AI engines.
    pub models: ModelChoice,
    pub priority: JobPriority,
    pub trigger: Trigger,
}

/// A due schedule before and after firing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleFiring {
    pub before: Schedule,
    pub after: Schedule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedJob {
    pub job: Job,
    /// Whether an equivalent job existed.
    pub deduplicated: bool,
}

/// Input of an attempt to queue a job.
struct QueueInput {
    id: JobId,
    now: DateTime<Utc>,
    all: QueueFigures,
    /// Whether the account has a queue row; it is created with the first analysis.
    has_queue: bool,
}

#[derive(Debug, Error)]
pub enum RequestAnalysisError {
    #[error("there is no such project")]
    NoSuchProject,
    #[error("the account is switched off")]
    AccountDisabled,
    #[error("the project is deactivated")]
    ProjectDeactivated,
    #[error("this version does not run {}", .0.name())]
    NotBuilt(AnalysisKind),
    #[error("not all of the keywords are active keywords of the project")]
    NoSuchKeyword,
    #[error("the project has no active keywords to measure")]
    NothingToMeasure,
    #[error("the project has no AI-tracked keywords to measure")]
    NothingTracked,
    #[error("not all of the keywords are AI-tracked keywords of the project")]
    NotTracked,
    #[error("the account queries none of the AI engines")]
    NoActiveEngine,
    #[error("the account does not query {named}")]
    EngineNotActive {
        /// The first such name.
        named: String,
        active: Vec<String>,
    },
    #[error("the account has {limit} unfinished analyses, the most it may have")]
    AccountQueueFull { limit: u32 },
    #[error("the queue is full")]
    ServerQueueFull,
    #[error("{0}")]
    PaidCallRefused(PaidCallRefusal),
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// Another process fired the schedule first, or it was changed meanwhile.
    #[error("the schedule was moved on a moment ago")]
    FiredConcurrently,
    #[error(transparent)]
    KeyUsedConcurrently(#[from] KeyUsedConcurrently),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(RequestAnalysisError);

impl RequestAnalysisError {
    /// Whether the key's first request, executed since the lookup, may have got another response. A
    /// request refused by the server's budget added the record of the key before, so it is the first.
    fn may_differ_from_the_first(&self) -> bool {
        let is_the_first = matches!(self, Self::OverBudget(it) if it.which == Budget::ServerDay);
        self.as_storage_error().is_none()
            && !is_the_first
            && !matches!(self, Self::AccountDisabled | Self::KeyUsedConcurrently(_))
    }
}

impl Core {
    /// The job is stored when this returns. Returns an equivalent unfinished job instead of adding one.
    pub async fn request_analysis(
        &self,
        account: AccountId,
        request: &AnalysisRequest,
        writer: Option<IdempotencyWriter<'_, RequestedJob>>,
    ) -> Result<RequestedJob, RequestAnalysisError> {
        self.queue_job(account, request, writer, None).await
    }

    /// The same for a due schedule, which advances in the same transaction, so that each firing
    /// starts one job, however many processes see it; `None` if another process was first.
    pub async fn request_scheduled(
        &self,
        request: &AnalysisRequest,
        firing: &ScheduleFiring,
    ) -> Result<Option<RequestedJob>, RequestAnalysisError> {
        let account = firing.before.account;
        match self.queue_job(account, request, None, Some(firing)).await {
            Ok(requested) => Ok(Some(requested)),
            Err(RequestAnalysisError::FiredConcurrently) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn queue_job(
        &self,
        account: AccountId,
        request: &AnalysisRequest,
        writer: Option<IdempotencyWriter<'_, RequestedJob>>,
        firing: Option<&ScheduleFiring>,
    ) -> Result<RequestedJob, RequestAnalysisError> {
        self.ensure_startable(request.kind)?;
        run_with_retries(self.storage.as_ref(), || async {
            let mut read = self.storage.read().await?;
            // Counts all accounts before locking; limits need not be exact.
            let (all, has_line) = read.jobs().queue_figures_for(account).await?;
            drop(read);
            let beginning = QueueInput {
                id: JobId::mint(&self.mint),
                now: self.clock.now(),
                all,
                has_queue: has_line,
            };
            let mut work = self.storage.write().await?;
            let outcome = self
                .queued(work.as_mut(), account, request, writer, firing, &beginning)
                .await;
            if let Err(refusal) = &outcome
                && let Some(writer) = writer
                && refusal.may_differ_from_the_first()
            {
                writer
                    .ensure_unused::<RequestAnalysisError>(work.as_mut(), account, beginning.now)
                    .await?;
            }
            let requested = outcome?;
            if !requested.deduplicated || writer.is_some() || firing.is_some() {
                work.commit().await?;
            }
            Ok(requested)
        })
        .await
    }

    async fn queued(
        &self,
        work: &mut dyn Transaction,
        account: AccountId,
        request: &AnalysisRequest,
        writer: Option<IdempotencyWriter<'_, RequestedJob>>,
        firing: Option<&ScheduleFiring>,
        beginning: &QueueInput,
    ) -> Result<RequestedJob, RequestAnalysisError> {
        // Locks the queue row first: disabling an account takes the same lock, so no job can be added after it.
        let locked = if beginning.has_queue {
            { work.jobs() }
                .lock_with_project(account, request.project)
                .await?
        } else {
            { work.jobs() }
                .lock_newcomer_with_project(account, request.project)
                .await?
                .map(|(found, project)| (found, AccountQueue::new(account), project))
        };
        let Some((account, queue, project)) = locked else {
            return Err(no_project(work, account).await?);
        };
        if account.status == AccountStatus::Disabled {
            return Err(RequestAnalysisError::AccountDisabled);
        }
        let QueueInput {
            id, now, ref all, ..
        } = *beginning;
        if let Some(ScheduleFiring { before, after }) = firing
            && !work.schedules().advance(before, after).await?
        {
            return Err(RequestAnalysisError::FiredConcurrently);
        }
        let amount = self.estimate(work, &project, request).await?;
        let job = self.begin((account.id, id), now, request, &amount);
        let capacity = self.refuse_full_queues(queue.waiting + queue.running, all.unfinished());
        if capacity.is_err() || !work.jobs().add(&job).await? {
            let requested = existing_job(work, &job, capacity).await?;
            if let Some(writer) = writer {
                writer
                    .store::<RequestAnalysisError>(work, account.id, now, &requested)
                    .await?;
            }
            return Ok(requested);
        }
        let [month, day, server] = self.budgets(&account, job.day);
        for budget in [month, day] {
            budget
                .reserve::<RequestAnalysisError>(work, job.cost.reserved)
                .await?;
        }
        // An idle account must not accumulate credit: its virtual time is raised to the current
        // minimum (start-time fair queuing).
        let virtual_time = match queue.waiting + queue.running {
            0 => queue.virtual_time.max(all.min_virtual_time),
            _ => queue.virtual_time,
        };
        let queue = AccountQueue {
            virtual_time,
            ..queue
        };
        let queue = queue.after_change(None, &job);
        if beginning.has_queue {
            work.jobs().save_queue(&queue).await?;
        } else {
            work.jobs().add_queue(&queue).await?;
        }
        let requested = RequestedJob {
            job,
            deduplicated: false,
        };
        if let Some(writer) = writer {
            // Claiming the job purges old records.
            writer
                .store_only::<RequestAnalysisError>(work, account.id, now, &requested)
                .await?;
        }
        // Last, because all accounts contend for this row.
        let reserved = requested.job.cost.reserved;
        server
            .reserve::<RequestAnalysisError>(work, reserved)
            .await?;
        Ok(requested)
    }

    fn refuse_full_queues(&self, of_account: u32, in_all: u64) -> Result<(), RequestAnalysisError> {
        let limit = self.policies.queue.queued_per_account;
        if of_account >= limit {
            return Err(RequestAnalysisError::AccountQueueFull { limit });
        }
        if in_all >= self.policies.queue.queued_total {
            return Err(RequestAnalysisError::ServerQueueFull);
        }
        Ok(())
    }

    fn ensure_startable(&self, kind: AnalysisKind) -> Result<(), RequestAnalysisError> {
        if !kind.is_implemented() {
            return Err(RequestAnalysisError::NotBuilt(kind));
        }
        match self.policies.prices.paid_call_refusal {
            Some(unpaid) if kind == AnalysisKind::RankCheck => {
                Err(RequestAnalysisError::PaidCallRefused(unpaid))
            }
            _ => Ok(()),
        }
    }

    fn begin(
        &self,
        (account, id): (AccountId, JobId),
        now: DateTime<Utc>,
        request: &AnalysisRequest,
        amount: &WorkEstimate,
    ) -> Job {
        Job {
            account,
            id,
            project: request.project,
            kind: request.kind,
            keywords: request.keywords.clone(),
            models: request.models.clone(),
            state: JobState::Ready,
            priority: request.priority,
            trigger: request.trigger,
            dedupe_key: key_of(request),
            day: now.date_naive(),
            run_at: now,
            expires_at: now + self.policies.queue.expires_after,
            attempt: 0,
            crash_count: 0,
            epoch: 0,
            lease: None,
            deadline_at: None,
            cancel_requested: false,
            progress: Progress {
                total: amount.units.unwrap_or(0),
                ..Progress::default()
            },
            cost: JobCost {
                calls: 0,
                reserved: amount.max_spend.cost,
                spent: MicroUsd::default(),
            },
            errors: vec![],
            created_at: now,
            started_at: None,
            finished_at: None,
        }
    }
}

/// Why there is no project; a disabled account is reported first.
async fn no_project(
    work: &mut dyn Transaction,
    account: AccountId,
) -> Result<RequestAnalysisError, StorageError> {
    let account = work.accounts().find(account).await?;
    Ok(match account.map(|it| it.status) {
        Some(AccountStatus::Disabled) => RequestAnalysisError::AccountDisabled,
        Some(AccountStatus::Active) | None => RequestAnalysisError::NoSuchProject,
    })
}

/// The equivalent unfinished job, if one prevented adding; else the refusal.
async fn existing_job(
    work: &mut dyn Transaction,
    job: &Job,
    capacity: Result<(), RequestAnalysisError>,
) -> Result<RequestedJob, RequestAnalysisError> {
    let found = { work.jobs() }
        .unfinished_with_key(job.account, &job.dedupe_key)
        .await?;
    let Some(job) = found else {
        capacity?;
        return Err(StorageError::IdTaken.into());
    };
    Ok(RequestedJob {
        job,
        deduplicated: true,
    })
}

fn key_of(request: &AnalysisRequest) -> String {
    dedupe_key(
        request.project,
        request.kind,
        &request.keywords,
        &request.models,
    )
}

#[cfg(test)]
mod tests;
