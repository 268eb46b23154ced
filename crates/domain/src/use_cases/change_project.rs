//! Changes a project by a merge patch, its status included.

use super::{end_attempt::cancel_unfinished, may_be_storage, places};
use crate::{
    account::Account,
    allowance::AllowanceExceeded,
    ids::{AccountId, ProjectId},
    ports::{
        clock::Clock,
        keywords::KeywordCounts,
        storage::{Storage, StorageError, Transaction, retrying},
    },
    precondition::{Precondition, holds},
    project::{Project, ProjectPatch, PurgeTerm},
};
use std::sync::Arc;
use thiserror::Error;

pub struct ChangeProject {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    purge_term: PurgeTerm,
}

#[derive(Debug, Error)]
pub enum ChangeProjectError {
    /// The account has no such project, or the term of a deactivated one is over.
    #[error("there is no such project")]
    NoSuchProject,
    /// Holds the project as it is.
    #[error("the project is not as expected")]
    NotAsExpected(Box<Project>),
    /// It is out of use, and the patch does not bring it back.
    #[error("the project is deactivated")]
    Deactivated,
    /// It cannot be brought back: another active project has its domain.
    #[error("another project monitors this domain")]
    Exists(ProjectId),
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(ChangeProjectError);

impl ChangeProject {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self {
            storage,
            clock,
            purge_term: PurgeTerm::default(),
        }
    }

    #[must_use]
    pub fn purging_after(self, purge_term: PurgeTerm) -> Self {
        Self { purge_term, ..self }
    }

    /// The project afterwards; unchanged, version included, when the patch says nothing new.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        patch: &ProjectPatch,
        precondition: Precondition<'_, Project>,
    ) -> Result<Project, ChangeProjectError> {
        retrying(self.storage.as_ref(), || {
            self.once(account, project, patch, precondition)
        })
        .await
    }

    async fn once(
        &self,
        account: AccountId,
        project: ProjectId,
        patch: &ProjectPatch,
        precondition: Precondition<'_, Project>,
    ) -> Result<Project, ChangeProjectError> {
        let mut work = self.storage.write().await?;
        let changes_status = patch.status.as_set().is_some();
        let account = hold(work.as_mut(), account, changes_status).await?;
        let before = work
            .projects()
            .lock(account.id, project)
            .await?
            .ok_or(ChangeProjectError::NoSuchProject)?;
        if !holds(precondition, &before) {
            return Err(ChangeProjectError::NotAsExpected(Box::new(before)));
        }
        let now = self.clock.now();
        // Some of it may be purged already.
        if self.purge_term.is_over(&before, now) {
            return Err(ChangeProjectError::NoSuchProject);
        }
        let after = before.patched(patch.clone(), now);
        if after == before {
            return Ok(before);
        }
        self.apply(work.as_mut(), &account, &before, &after).await?;
        work.projects().save(&after).await?;
        work.commit().await?;
        Ok(after)
    }

    async fn apply(
        &self,
        work: &mut dyn Transaction,
        account: &Account,
        before: &Project,
        after: &Project,
    ) -> Result<(), ChangeProjectError> {
        match (before.is_active(), after.is_active()) {
            (true, true) => Ok(()),
            (true, false) => self.take_out(work, account, before).await,
            (false, true) => bring_back(work, account, before).await,
            (false, false) => Err(ChangeProjectError::Deactivated),
        }
    }

    async fn take_out(
        &self,
        work: &mut dyn Transaction,
        account: &Account,
        project: &Project,
    ) -> Result<(), ChangeProjectError> {
        let usage = places::return_project(account, KeywordCounts::of(project));
        work.accounts().save_usage(account.id, usage).await?;
        let queue = work.jobs().lock_queue(account.id).await?;
        cancel_unfinished(work, &queue, Some(project.id), self.clock.now()).await?;
        Ok(())
    }
}

/// The account; held together with its queue when a status may change. Account, queue, project,
/// job: that is the order in which all transactions take what they hold.
async fn hold(
    work: &mut dyn Transaction,
    account: AccountId,
    changes_status: bool,
) -> Result<Account, ChangeProjectError> {
    let account = if changes_status {
        let held = work.accounts().lock(account).await?;
        work.jobs().lock_queue(account).await?;
        held
    } else {
        work.accounts().find(account).await?
    };
    account.ok_or(ChangeProjectError::NoSuchProject)
}

async fn bring_back(
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
    let usage = places::take_project(account, KeywordCounts::of(project))?;
    Ok(work.accounts().save_usage(account.id, usage).await?)
}

#[cfg(test)]
mod tests;
