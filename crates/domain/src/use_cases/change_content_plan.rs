//! Changes a content plan by a merge patch, or removes it.

use super::{add_content_plan::stored, may_be_storage};
use crate::{
    content_plan::{ContentPlan, ContentPlanPatch},
    ids::{AccountId, ContentPlanId, ProjectId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, Transaction, retrying},
    },
    precondition::{Precondition, holds},
    stored_data::{StorageExceeded, StorageLimits},
};
use std::sync::Arc;
use thiserror::Error;

pub struct ChangeContentPlan {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    limits: StorageLimits,
}

#[derive(Debug, Error)]
pub enum ChangeContentPlanError {
    #[error("there is no such project")]
    NoSuchProject,
    #[error("there is no such content plan")]
    NoSuchPlan,
    /// Holds the plan as it is.
    #[error("the content plan is not as expected")]
    NotAsExpected(Box<ContentPlan>),
    #[error("the project is deactivated")]
    ProjectDeactivated,
    #[error(transparent)]
    Full(#[from] StorageExceeded),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(ChangeContentPlanError);

type Expected<'a> = Precondition<'a, ContentPlan>;

impl ChangeContentPlan {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self {
            storage,
            clock,
            limits: StorageLimits::default(),
        }
    }

    #[must_use]
    pub fn within(self, limits: StorageLimits) -> Self {
        Self { limits, ..self }
    }

    /// The plan afterwards; unchanged, time included, when the patch says nothing new.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
        patch: &ContentPlanPatch,
        precondition: Expected<'_>,
    ) -> Result<ContentPlan, ChangeContentPlanError> {
        retrying(self.storage.as_ref(), || async move {
            let mut work = self.storage.write().await?;
            work.accounts().lock(account).await?;
            let before = held(work.as_mut(), account, project, plan, precondition).await?;
            let after = before.patched(patch.clone(), self.clock.now());
            if after != before {
                let (of_account, of_project) = stored(work.as_mut(), account, project).await?;
                self.limits
                    .check(of_account, of_project, after.size(), before.size())?;
                work.content_plans().save(&after).await?;
                work.commit().await?;
            }
            Ok(after)
        })
        .await
    }

    pub async fn remove(
        &self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
        precondition: Expected<'_>,
    ) -> Result<(), ChangeContentPlanError> {
        retrying(self.storage.as_ref(), || async move {
            let mut work = self.storage.write().await?;
            held(work.as_mut(), account, project, plan, precondition).await?;
            work.content_plans().remove(account, project, plan).await?;
            work.commit().await?;
            Ok(())
        })
        .await
    }
}

/// The plan as it is; nobody else changes one of the project until the transaction ends.
async fn held(
    work: &mut dyn Transaction,
    account: AccountId,
    project: ProjectId,
    plan: ContentPlanId,
    precondition: Expected<'_>,
) -> Result<ContentPlan, ChangeContentPlanError> {
    let project = work
        .projects()
        .lock(account, project)
        .await?
        .ok_or(ChangeContentPlanError::NoSuchProject)?;
    let plan = work
        .content_plans()
        .find(account, project.id, plan)
        .await?
        .ok_or(ChangeContentPlanError::NoSuchPlan)?;
    if !holds(precondition, &plan) {
        return Err(ChangeContentPlanError::NotAsExpected(Box::new(plan)));
    }
    if !project.is_active() {
        return Err(ChangeContentPlanError::ProjectDeactivated);
    }
    Ok(plan)
}
