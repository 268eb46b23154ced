use super::{count, counted, from_json, json, known};
use crate::{
    instant::At,
    schema::{account_queues, jobs},
};
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use domain::{
    ai_models::ModelChoice,
    ids::{AccountId, JobId, KeywordId, ProjectId},
    job::{
        Job, JobCost, JobError, JobPriority, JobState, Lease, Trigger,
        kind::AnalysisKind,
        progress::{Progress, Stage, StageStatus},
    },
    keyword::KeywordChoice,
    money::MicroUsd,
    ports::{jobs::AccountQueue, storage::StorageError},
};
use serde::{Deserialize, Serialize};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = jobs, treat_none_as_default_value = false)]
pub struct JobRow {
    pub account_id: i64,
    pub id: i64,
    pub project_id: i64,
    pub kind: String,
    pub keywords: Option<String>,
    pub models: Option<String>,
    pub state: String,
    pub priority: i32,
    pub asked_by: String,
    pub dedupe_key: String,
    pub day: NaiveDate,
    pub run_at: At,
    pub expires_at: At,
    pub attempt: i64,
    pub crash_count: i64,
    pub epoch: i64,
    pub lease_epoch: Option<i64>,
    pub lease_owner: Option<String>,
    pub lease_until: Option<At>,
    pub deadline_at: Option<At>,
    pub cancel_requested: bool,
    pub progress_done: i64,
    pub progress_total: i64,
    pub stages: String,
    pub cost_reserved: i64,
    pub cost_spent: i64,
    pub cost_calls: i64,
    pub errors: String,
    pub created_at: At,
    pub started_at: Option<At>,
    pub finished_at: Option<At>,
}

/// Columns of a job that change. Those of the request never do, so that their indexes are not written again.
#[derive(AsChangeset)]
#[diesel(table_name = jobs, treat_none_as_null = true)]
pub struct JobChange {
    state: String,
    priority: i32,
    run_at: At,
    expires_at: At,
    attempt: i64,
    crash_count: i64,
    epoch: i64,
    lease_epoch: Option<i64>,
    lease_owner: Option<String>,
    lease_until: Option<At>,
    deadline_at: Option<At>,
    cancel_requested: bool,
    progress_done: i64,
    progress_total: i64,
    stages: String,
    cost_reserved: i64,
    cost_spent: i64,
    cost_calls: i64,
    errors: String,
    started_at: Option<At>,
    finished_at: Option<At>,
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = account_queues,
    primary_key(account_id),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub struct QueueRow {
    pub account_id: i64,
    pub waiting: i64,
    pub running: i64,
    pub next_run_at: Option<At>,
    pub attention_at: Option<At>,
    pub virtual_time: f64,
    pub next_short_run_at: Option<At>,
}

#[derive(Serialize, Deserialize)]
struct StoredStage {
    name: String,
    status: String,
    done: u64,
    total: u64,
}

#[derive(Serialize, Deserialize)]
struct StoredError {
    code: String,
    detail: String,
    retryable: bool,
    hint: Option<String>,
    attempt: u32,
    at: DateTime<Utc>,
}

impl From<&Job> for JobRow {
    fn from(job: &Job) -> Self {
        let lease = job.lease.as_ref();
        Self {
            account_id: job.account.0,
            id: job.id.0,
            project_id: job.project.0,
            kind: job.kind.name().to_owned(),
            keywords: choice_text(&job.keywords),
            models: models_text(&job.models),
            state: job.state.name().to_owned(),
            priority: job.priority.rank(),
            asked_by: job.trigger.name().to_owned(),
            dedupe_key: job.dedupe_key.clone(),
            day: job.day,
            run_at: job.run_at.into(),
            expires_at: job.expires_at.into(),
            attempt: count(job.attempt),
            crash_count: count(job.crash_count),
            epoch: job.epoch,
            lease_epoch: lease.map(|it| it.epoch),
            lease_owner: lease.map(|it| it.owner.clone()),
            lease_until: lease.map(|it| it.until.into()),
            deadline_at: job.deadline_at.map(At),
            cancel_requested: job.cancel_requested,
            progress_done: count(job.progress.done),
            progress_total: count(job.progress.total),
            stages: stages_text(&job.progress.stages),
            cost_reserved: job.cost.reserved.0,
            cost_spent: job.cost.spent.0,
            cost_calls: count(job.cost.calls),
            errors: errors_text(&job.errors),
            created_at: job.created_at.into(),
            started_at: job.started_at.map(At),
            finished_at: job.finished_at.map(At),
        }
    }
}

impl From<&Job> for JobChange {
    fn from(job: &Job) -> Self {
        let row = JobRow::from(job);
        Self {
            state: row.state,
            priority: row.priority,
            run_at: row.run_at,
            expires_at: row.expires_at,
            attempt: row.attempt,
            crash_count: row.crash_count,
            epoch: row.epoch,
            lease_epoch: row.lease_epoch,
            lease_owner: row.lease_owner,
            lease_until: row.lease_until,
            deadline_at: row.deadline_at,
            cancel_requested: row.cancel_requested,
            progress_done: row.progress_done,
            progress_total: row.progress_total,
            stages: row.stages,
            cost_reserved: row.cost_reserved,
            cost_spent: row.cost_spent,
            cost_calls: row.cost_calls,
            errors: row.errors,
            started_at: row.started_at,
            finished_at: row.finished_at,
        }
    }
}

impl From<&AccountQueue> for QueueRow {
    fn from(line: &AccountQueue) -> Self {
        Self {
            account_id: line.account.0,
            waiting: count(line.waiting),
            running: count(line.running),
            next_run_at: line.next_run_at.map(At),
            attention_at: line.attention_at.map(At),
            virtual_time: line.virtual_time,
            next_short_run_at: line.next_short_run_at.map(At),
        }
    }
}

impl TryFrom<JobRow> for Job {
    type Error = StorageError;

    fn try_from(row: JobRow) -> Result<Self, StorageError> {
        let priority = JobPriority::ALL.into_iter();
        Ok(Self {
            lease: lease(&row),
            progress: Progress {
                done: counted(row.progress_done, "progress")?,
                total: counted(row.progress_total, "progress")?,
                stages: stages(&row.stages)?,
            },
            cost: JobCost {
                reserved: MicroUsd(row.cost_reserved),
                spent: MicroUsd(row.cost_spent),
                calls: counted(row.cost_calls, "calls")?,
            },
            account: AccountId(row.account_id),
            id: JobId(row.id),
            project: ProjectId(row.project_id),
            kind: known(AnalysisKind::named(&row.kind), "kind of analysis")?,
            keywords: choice(row.keywords.as_deref())?,
            models: models(row.models.as_deref())?,
            state: known(JobState::named(&row.state), "job state")?,
            priority: known(
                priority.into_iter().find(|it| it.rank() == row.priority),
                "job priority",
            )?,
            trigger: known(Trigger::named(&row.asked_by), "trigger")?,
            dedupe_key: row.dedupe_key,
            day: row.day,
            run_at: row.run_at.into(),
            expires_at: row.expires_at.into(),
            attempt: counted(row.attempt, "attempt")?,
            crash_count: counted(row.crash_count, "crash count")?,
            epoch: row.epoch,
            deadline_at: row.deadline_at.map(Into::into),
            cancel_requested: row.cancel_requested,
            errors: errors(&row.errors)?,
            created_at: row.created_at.into(),
            started_at: row.started_at.map(Into::into),
            finished_at: row.finished_at.map(Into::into),
        })
    }
}

impl TryFrom<QueueRow> for AccountQueue {
    type Error = StorageError;

    fn try_from(row: QueueRow) -> Result<Self, StorageError> {
        Ok(Self {
            account: AccountId(row.account_id),
            waiting: counted(row.waiting, "waiting jobs")?,
            running: counted(row.running, "running jobs")?,
            next_run_at: row.next_run_at.map(Into::into),
            next_short_run_at: row.next_short_run_at.map(Into::into),
            attention_at: row.attention_at.map(Into::into),
            virtual_time: row.virtual_time,
        })
    }
}

fn lease(row: &JobRow) -> Option<Lease> {
    Some(Lease {
        epoch: row.lease_epoch?,
        owner: row.lease_owner.clone()?,
        until: row.lease_until?.into(),
    })
}

fn choice_text(choice: &KeywordChoice) -> Option<String> {
    match choice {
        KeywordChoice::All => None,
        KeywordChoice::Named(ids) => Some(json(&ids.iter().map(|it| it.0).collect::<Vec<_>>())),
    }
}

fn choice(text: Option<&str>) -> Result<KeywordChoice, StorageError> {
    let Some(text) = text else {
        return Ok(KeywordChoice::All);
    };
    let ids: Vec<i64> = from_json(text, "keywords of a job")?;
    Ok(KeywordChoice::Named(
        ids.into_iter().map(KeywordId).collect(),
    ))
}

fn models_text(choice: &ModelChoice) -> Option<String> {
    match choice {
        ModelChoice::All => None,
        ModelChoice::Named(names) => Some(json(names)),
    }
}

fn models(text: Option<&str>) -> Result<ModelChoice, StorageError> {
    let names = text.map(|it| from_json(it, "AI models of a job"));
    Ok(names
        .transpose()?
        .map_or(ModelChoice::All, ModelChoice::Named))
}

fn stages_text(stages: &[Stage]) -> String {
    let stored = stages.iter().map(|stage| StoredStage {
        name: stage.name.clone(),
        status: stage.status.name().to_owned(),
        done: stage.done,
        total: stage.total,
    });
    json(&stored.collect::<Vec<_>>())
}

fn stages(text: &str) -> Result<Vec<Stage>, StorageError> {
    let stored: Vec<StoredStage> = from_json(text, "stages")?;
    let stages = stored.into_iter().map(|it| {
        Ok(Stage {
            status: known(StageStatus::named(&it.status), "stage status")?,
            name: it.name,
            done: it.done,
            total: it.total,
        })
    });
    stages.collect()
}

fn errors_text(errors: &[JobError]) -> String {
    let stored = errors.iter().map(|error| StoredError {
        code: error.code.clone(),
        detail: error.detail.clone(),
        retryable: error.retryable,
        hint: error.hint.clone(),
        attempt: error.attempt,
        at: error.at,
    });
    json(&stored.collect::<Vec<_>>())
}

fn errors(text: &str) -> Result<Vec<JobError>, StorageError> {
    let stored: Vec<StoredError> = from_json(text, "errors")?;
    let errors = stored.into_iter().map(|it| JobError {
        code: it.code,
        detail: it.detail,
        retryable: it.retryable,
        hint: it.hint,
        attempt: it.attempt,
        at: it.at,
    });
    Ok(errors.collect())
}
