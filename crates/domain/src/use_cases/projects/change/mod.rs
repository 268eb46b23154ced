//! Changes a project by a merge patch, including its status.

use crate::account::Account;
use crate::allowance::AllowanceExceeded;
use crate::ids::{AccountId, ProjectId};
use crate::patch::Change;
use crate::ports::keywords::KeywordCounts;
use crate::ports::storage::{StorageError, Transaction};
use crate::precondition::{Precondition, holds};
use crate::project::{Project, ProjectPatch, Status};
use crate::use_cases::end_attempt::cancel_unfinished;
use crate::use_cases::{Core, impl_as_storage_error, quota};
use chrono::{DateTime, Utc};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ChangeProjectError {
    /// The account has no such project, or the purge term of a deactivated one is over.
    #[error("there is no such project")]
    NoSuchProject,
    /// Holds the current project.
    #[error("the project is not as expected")]
    NotAsExpected(Box<Project>),
    /// It is deactivated, and the patch does not reactivate it.
    #[error("the project is deactivated")]
    Deactivated,
    /// It cannot be reactivated: another active project has its domain.
    #[error("another project monitors this domain")]
    Exists(ProjectId),
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(ChangeProjectError);

impl Core {
    /// Returns the new project; unchanged, version included, if the patch changes nothing.
    pub async fn change_project(
        &self,
        account: AccountId,
        project: ProjectId,
        patch: &ProjectPatch,
        precondition: Precondition<'_, Project>,
    ) -> Result<Project, ChangeProjectError> {
        let change = |mut work: Box<dyn Transaction>, now| async move {
            let changes_status = patch.status.as_set().is_some();
            let account = lock_account(work.as_mut(), account, changes_status).await?;
            let before = work
                .projects()
                .lock(account.id, project)
                .await?
                .ok_or(ChangeProjectError::NoSuchProject)?;
            if !holds(precondition, &before) {
                return Err(ChangeProjectError::NotAsExpected(Box::new(before)));
            }
            let purge_term = self.policies.retention.deactivated_projects;
            // Some of its data may be purged already.
            if purge_term.is_expired(&before, now) {
                return Err(ChangeProjectError::NoSuchProject);
            }
            let after = before.patched(patch.clone(), now);
            if after == before {
                return Ok(before);
            }
            apply_status_change(work.as_mut(), &account, &before, &after, now).await?;
            work.projects().save(&after).await?;
            work.commit().await?;
            Ok(after)
        };
        self.transaction_with_time(change).await
    }

    /// Returns the new project; releases its quota and cancels its unfinished jobs. Idempotent.
    pub async fn deactivate_project(
        &self,
        account: AccountId,
        project: ProjectId,
        precondition: Precondition<'_, Project>,
    ) -> Result<Project, ChangeProjectError> {
        let patch = ProjectPatch {
            status: Change::Set(Status::Deactivated),
            ..ProjectPatch::default()
        };
        self.change_project(account, project, &patch, precondition)
            .await
    }
}

async fn apply_status_change(
    work: &mut dyn Transaction,
    account: &Account,
    before: &Project,
    after: &Project,
    now: DateTime<Utc>,
) -> Result<(), ChangeProjectError> {
    match (before.is_active(), after.is_active()) {
        (true, true) => Ok(()),
        (true, false) => deactivate(work, account, before, now).await,
        (false, true) => reactivate(work, account, before).await,
        (false, false) => Err(ChangeProjectError::Deactivated),
    }
}

async fn deactivate(
    work: &mut dyn Transaction,
    account: &Account,
    project: &Project,
    now: DateTime<Utc>,
) -> Result<(), ChangeProjectError> {
    let usage = quota::release_project(account, KeywordCounts::of(project));
    work.accounts().save_usage(account.id, usage).await?;
    let queue = work.jobs().lock_queue(account.id).await?;
    cancel_unfinished(work, &queue, Some(project.id), now).await?;
    Ok(())
}

/// Locks the account, and its queue row if a status may change. All transactions lock in the order
/// account, queue, project, job.
async fn lock_account(
    work: &mut dyn Transaction,
    account: AccountId,
    changes_status: bool,
) -> Result<Account, ChangeProjectError> {
    let account = if changes_status {
        let locked = work.accounts().lock(account).await?;
        work.jobs().lock_queue(account).await?;
        locked
    } else {
        work.accounts().find(account).await?
    };
    account.ok_or(ChangeProjectError::NoSuchProject)
}

async fn reactivate(
    work: &mut dyn Transaction,
    account: &Account,
    project: &Project,
) -> Result<(), ChangeProjectError> {
    if let Some(other) = work
        .projects()
        .active_with_domain(account.id, project.domain.ascii())
        .await?
    {
        return Err(ChangeProjectError::Exists(other));
    }
    let usage = quota::reserve_project(account, KeywordCounts::of(project))?;
    Ok(work.accounts().save_usage(account.id, usage).await?)
}

#[cfg(test)]
mod tests;
