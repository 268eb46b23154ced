use super::stored::{row, stored};
use super::{from_json, json, known};
use crate::instant::At;
use crate::schema::{account_queues, jobs};
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use domain::ai_models::ModelChoice;
use domain::ids::{AccountId, JobId, KeywordId, ProjectId};
use domain::job::account_queue::AccountQueue;
use domain::job::kind::AnalysisKind;
use domain::job::progress::{Progress, Stage, StageStatus};
use domain::job::{Job, JobCost, JobError, JobPriority, JobState, Lease, Trigger};
use domain::keyword::KeywordChoice;
use domain::money::MicroUsd;
use domain::ports::storage::StorageError;
use serde::{Deserialize, Serialize};

row! {
    struct JobRow(jobs) {
        account_id: AccountId,
        id: JobId,
        project_id: ProjectId,
        kind: AnalysisKind ["kind of analysis"],
        keywords: KeywordChoice ["keywords of a job"],
        models: ModelChoice ["AI models of a job"],
        state: JobState ["job state"],
        priority: JobPriority ["job priority"],
        asked_by: Trigger ["trigger"],
        dedupe_key: String,
        day: NaiveDate,
        run_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
        attempt: u32,
        crash_count: u32 ["crash count"],
        epoch: i64,
        lease_epoch: Option<i64> = lease.as_ref().map(|it| it.epoch),
        lease_owner: Option<String> = lease.as_ref().map(|it| it.owner.clone()),
        lease_until: Option<DateTime<Utc>> = lease.as_ref().map(|it| At(it.until)),
        deadline_at: Option<DateTime<Utc>>,
        cancel_requested: bool,
        progress_done: u64 ["progress"],
        progress_total: u64 ["progress"],
        stages: Vec<Stage>,
        cost_reserved: MicroUsd,
        cost_spent: MicroUsd,
        cost_calls: u64 ["calls"],
        errors: Vec<JobError>,
        created_at: DateTime<Utc>,
        started_at: Option<DateTime<Utc>>,
        finished_at: Option<DateTime<Utc>>,
    }
    Job {
        account: account_id, id, project: project_id, kind, keywords, models, state, priority, trigger: asked_by,
        dedupe_key, day, run_at, expires_at, attempt, crash_count, epoch, lease, deadline_at, cancel_requested,
        progress: Progress { done: progress_done, total: progress_total, stages },
        cost: JobCost { reserved: cost_reserved, spent: cost_spent, calls: cost_calls },
        errors, created_at, started_at, finished_at,
    }
    where { lease = lease_of(lease_epoch, lease_owner, lease_until); }
}

/// Passes the changing columns of a job to a macro. Those of the request never change, so that their indexes are not
/// written again.
macro_rules! changing_columns {
    ($act:ident!($($with:tt)*)) => {
        $act! {
            $($with)* jobs: state, priority, run_at, expires_at, attempt, crash_count, epoch, lease_epoch, lease_owner,
            lease_until, deadline_at, cancel_requested, progress_done, progress_total, stages, cost_reserved, cost_spent,
            cost_calls, errors, started_at, finished_at
        }
    };
}
pub(crate) use changing_columns;

row! {
    struct QueueRow(account_queues, key (account_id)) {
        account_id: AccountId,
        waiting: u32 ["waiting jobs"],
        running: u32 ["running jobs"],
        next_run_at: Option<DateTime<Utc>>,
        attention_at: Option<DateTime<Utc>>,
        virtual_time: f64,
        next_short_run_at: Option<DateTime<Utc>>,
    }
    AccountQueue {
        account: account_id, waiting, running, next_run_at, next_short_run_at, attention_at, virtual_time,
    }
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

stored! {
    JobPriority, i32: |it| it.rank(), |rank, subject| known(Self::ALL.into_iter().find(|it| it.rank() == rank), subject);
    KeywordChoice, Option<String>:
        |it| match it {
            Self::All => None,
            Self::Named(ids) => Some(json(&ids.iter().map(|it| it.0).collect::<Vec<_>>())),
        },
        |it, subject| {
            let ids = it.map(|it| from_json::<Vec<i64>>(&it, subject)).transpose()?;
            Ok(ids.map_or(Self::All, |ids| Self::Named(ids.into_iter().map(KeywordId).collect())))
        };
    ModelChoice, Option<String>:
        |it| match it {
            Self::All => None,
            Self::Named(names) => Some(json(names)),
        },
        |it, subject| {
            let names = it.map(|it| from_json(&it, subject)).transpose()?;
            Ok(names.map_or(Self::All, Self::Named))
        };
    Vec<Stage>, String: |it| stages_text(it), |it, _subject| stages(&it);
    Vec<JobError>, String: |it| errors_text(it), |it, _subject| errors(&it);
}

fn lease_of(epoch: Option<i64>, owner: Option<String>, until: Option<At>) -> Option<Lease> {
    Some(Lease {
        epoch: epoch?,
        owner: owner?,
        until: until?.into(),
    })
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

/// Code of the last error; `None` without one.
pub fn last_code(text: &str) -> Result<Option<String>, StorageError> {
    Ok(errors(text)?.pop().map(|it| it.code))
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
