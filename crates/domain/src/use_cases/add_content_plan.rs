use super::may_be_storage;
use crate::{
    allowance::{Allowance, AllowanceExceeded, AllowanceName},
    content_plan::{ContentPlan, NewContentPlan},
    idempotency::{Receipt, UsedMeanwhile},
    ids::{AccountId, ContentPlanId, IdMint, ProjectId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, Transaction, retrying},
    },
    stored_data::{DataSize, StorageExceeded, StorageLimits, StoredData},
};
use std::sync::Arc;
use thiserror::Error;

pub struct AddContentPlan {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
    limits: StorageLimits,
}

#[derive(Debug, Error)]
pub enum AddContentPlanError {
    #[error("there is no such project")]
    NoSuchProject,
    #[error("the project is deactivated")]
    ProjectDeactivated,
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    #[error(transparent)]
    Full(#[from] StorageExceeded),
    #[error(transparent)]
    UsedMeanwhile(#[from] UsedMeanwhile),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(AddContentPlanError);

impl AddContentPlan {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
            limits: StorageLimits::default(),
        }
    }

    #[must_use]
    pub fn within(self, limits: StorageLimits) -> Self {
        Self { limits, ..self }
    }

    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        new: &NewContentPlan,
        receipt: Option<Receipt<'_, ContentPlan>>,
    ) -> Result<ContentPlan, AddContentPlanError> {
        retrying(self.storage.as_ref(), || {
            self.once(account, project, new, receipt)
        })
        .await
    }

    async fn once(
        &self,
        account: AccountId,
        project: ProjectId,
        new: &NewContentPlan,
        receipt: Option<Receipt<'_, ContentPlan>>,
    ) -> Result<ContentPlan, AddContentPlanError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        // The account's other plans wait here: each is compared with what the one before left.
        work.accounts().lock(account).await?;
        let project = work
            .projects()
            .lock(account, project)
            .await?
            .ok_or(AddContentPlanError::NoSuchProject)?;
        if let Some(receipt) = &receipt {
            receipt
                .begin::<AddContentPlanError>(work.as_mut(), account, now)
                .await?;
        }
        if !project.is_active() {
            return Err(AddContentPlanError::ProjectDeactivated);
        }
        let room = Allowance {
            name: AllowanceName::ContentPlans,
            limit: ContentPlan::MOST_IN_A_PROJECT,
            used: work.content_plans().count(account, project.id).await?,
        };
        room.reserve(1)?;
        let plan = ContentPlan {
            account,
            id: ContentPlanId::mint(&self.mint),
            project: project.id,
            name: new.name.clone(),
            clustered_by: new.clustered_by,
            items: new.items.clone(),
            created_at: now,
            updated_at: now,
        };
        let (of_account, of_project) = stored(work.as_mut(), account, project.id).await?;
        self.limits
            .check(of_account, of_project, plan.size(), DataSize::default())?;
        work.content_plans().add(&plan).await?;
        if let Some(receipt) = &receipt {
            receipt.keep(work.as_mut(), account, now, &plan).await?;
        }
        work.commit().await?;
        Ok(plan)
    }
}

/// What the account stores, and what the project does.
pub(super) async fn stored(
    work: &mut dyn Transaction,
    account: AccountId,
    project: ProjectId,
) -> Result<(StoredData, StoredData), StorageError> {
    let of_account = work.stored_data().of_account(account).await?;
    let of_project = work.stored_data().of_project(account, project).await?;
    Ok((of_account, of_project))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{
        ACCOUNT, FakeStorage, FrozenClock, a_content_plan, a_mint, a_project, an_account,
    };

    async fn added(
        plans: u32,
        there: StoredData,
    ) -> (Result<ContentPlan, AddContentPlanError>, u32) {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|it| {
            it.accounts
                .expect_lock()
                .returning(|_| Ok(Some(an_account())));
            { it.stored_data.expect_of_account() }.returning(move |_| Ok(there));
            { it.stored_data.expect_of_project() }.returning(move |_, _| Ok(there));
            it.projects
                .expect_lock()
                .returning(|_, _| Ok(Some(a_project())));
            it.content_plans
                .expect_count()
                .returning(move |_, _| Ok(plans));
            it.content_plans.expect_add().returning(|_| Ok(()));
        });
        let example = a_content_plan();
        let new = NewContentPlan {
            name: example.name,
            clustered_by: example.clustered_by,
            items: example.items,
        };
        let shared: Arc<dyn Storage> = Arc::clone(&storage) as _;
        let add = AddContentPlan::new(shared, Arc::new(FrozenClock::default()), a_mint());
        let outcome = add.run(ACCOUNT, a_project().id, &new, None).await;
        (outcome, storage.commits())
    }

    #[tokio::test]
    async fn the_last_plan_of_a_project_is_saved_and_the_next_is_not() {
        let (last, commits) =
            added(ContentPlan::MOST_IN_A_PROJECT - 1, StoredData::default()).await;
        assert_eq!(commits, 1);
        assert!(last.unwrap().id.0 > 0);
        let (next, commits) = added(ContentPlan::MOST_IN_A_PROJECT, StoredData::default()).await;
        assert_eq!(commits, 0);
        assert!(matches!(next, Err(AddContentPlanError::Allowance(_))));
    }

    #[tokio::test]
    async fn an_account_that_has_stored_its_bytes_adds_no_plan() {
        let full = StoredData {
            console_bytes: StorageLimits::default().account_bytes.unwrap(),
            ..StoredData::default()
        };
        let (refused, commits) = added(0, full).await;
        assert!(matches!(refused, Err(AddContentPlanError::Full(_))));
        assert_eq!(commits, 0);
    }
}
