use super::{Core, impl_as_storage_error};
use crate::allowance::{Allowance, AllowanceExceeded, AllowanceName};
use crate::content_plan::{ContentPlan, ContentPlanPatch, NewContentPlan, PlanSummary};
use crate::ids::{AccountId, ContentPlanId, ProjectId};
use crate::page::{Page, PageRequest};
use crate::ports::content_plans::ContentPlanSort;
use crate::ports::storage::{StorageError, Transaction};
use crate::precondition::{Precondition, holds};
use crate::stored_data::{DataSize, StorageExceeded, StoredData};
use crate::use_cases::idempotency::{IdempotencyWriter, KeyUsedConcurrently};
use chrono::{DateTime, Utc};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ContentPlanError {
    #[error("there is no such project")]
    NoSuchProject,
    #[error("there is no such content plan")]
    NoSuchPlan,
    /// Holds the current plan.
    #[error("the content plan is not as expected")]
    NotAsExpected(Box<ContentPlan>),
    #[error("the project is deactivated")]
    ProjectDeactivated,
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    #[error(transparent)]
    Full(#[from] StorageExceeded),
    #[error(transparent)]
    UsedMeanwhile(#[from] KeyUsedConcurrently),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(ContentPlanError);

type Expected<'a> = Precondition<'a, ContentPlan>;

impl Core {
    /// `None` if the account has no such project.
    pub async fn content_plans(
        &self,
        account: AccountId,
        project: ProjectId,
        page: &PageRequest<ContentPlanSort>,
    ) -> Result<Option<Page<PlanSummary>>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let page = read.content_plans().list(account, project, page).await?;
        Ok(Some(page))
    }

    /// A plan of an active or deactivated project.
    pub async fn content_plan(
        &self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Result<ContentPlan, ContentPlanError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Err(ContentPlanError::NoSuchProject);
        }
        let found = read.content_plans().find(account, project, plan).await?;
        found.ok_or(ContentPlanError::NoSuchPlan)
    }

    pub async fn add_content_plan(
        &self,
        account: AccountId,
        project: ProjectId,
        new: &NewContentPlan,
        writer: Option<IdempotencyWriter<'_, ContentPlan>>,
    ) -> Result<ContentPlan, ContentPlanError> {
        let prepare = || (ContentPlanId::mint(&self.mint), self.clock.now());
        self.storage
            .transaction_with(prepare, |work, prepared| {
                self.added(work, prepared, account, project, new, writer)
            })
            .await
    }

    async fn added(
        &self,
        mut work: Box<dyn Transaction>,
        (id, now): (ContentPlanId, DateTime<Utc>),
        account: AccountId,
        project: ProjectId,
        new: &NewContentPlan,
        writer: Option<IdempotencyWriter<'_, ContentPlan>>,
    ) -> Result<ContentPlan, ContentPlanError> {
        // Locks out other plans of the account, so that each is checked against the total after the previous one.
        work.accounts().lock(account).await?;
        let project = work
            .projects()
            .lock(account, project)
            .await?
            .ok_or(ContentPlanError::NoSuchProject)?;
        if let Some(writer) = &writer {
            writer
                .ensure_unused::<ContentPlanError>(work.as_mut(), account, now)
                .await?;
        }
        if !project.is_active() {
            return Err(ContentPlanError::ProjectDeactivated);
        }
        let allowance = Allowance {
            name: AllowanceName::ContentPlans,
            limit: ContentPlan::MAX_IN_A_PROJECT,
            used: work.content_plans().count(account, project.id).await?,
        };
        allowance.reserve(1)?;
        let plan = ContentPlan {
            account,
            id,
            project: project.id,
            name: new.name.clone(),
            clustered_by: new.clustered_by,
            items: new.items.clone(),
            created_at: now,
            updated_at: now,
        };
        let (of_account, of_project) = stored(work.as_mut(), account, project.id).await?;
        let limits = &self.policies.storage;
        limits.check(of_account, of_project, plan.size(), DataSize::default())?;
        work.content_plans().add(&plan).await?;
        if let Some(writer) = &writer {
            writer
                .store::<ContentPlanError>(work.as_mut(), account, now, &plan)
                .await?;
        }
        work.commit().await?;
        Ok(plan)
    }

    /// Returns the new plan; unchanged, time included, if the patch changes nothing.
    pub async fn change_content_plan(
        &self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
        patch: &ContentPlanPatch,
        precondition: Expected<'_>,
    ) -> Result<ContentPlan, ContentPlanError> {
        let change = |mut work: Box<dyn Transaction>, now| async move {
            work.accounts().lock(account).await?;
            let before = lock_plan(work.as_mut(), account, project, plan, precondition).await?;
            let after = before.patched(patch.clone(), now);
            if after != before {
                let (of_account, of_project) = stored(work.as_mut(), account, project).await?;
                let limits = &self.policies.storage;
                limits.check(of_account, of_project, after.size(), before.size())?;
                work.content_plans().save(&after).await?;
                work.commit().await?;
            }
            Ok(after)
        };
        self.transaction_with_time(change).await
    }

    pub async fn remove_content_plan(
        &self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
        precondition: Expected<'_>,
    ) -> Result<(), ContentPlanError> {
        let remove = |mut work: Box<dyn Transaction>| async move {
            lock_plan(work.as_mut(), account, project, plan, precondition).await?;
            work.content_plans().remove(account, project, plan).await?;
            Ok(work.commit().await?)
        };
        self.storage.transaction(remove).await
    }
}

/// Loads the plan and locks the project's plans until the transaction ends.
async fn lock_plan(
    work: &mut dyn Transaction,
    account: AccountId,
    project: ProjectId,
    plan: ContentPlanId,
    precondition: Expected<'_>,
) -> Result<ContentPlan, ContentPlanError> {
    let project = work
        .projects()
        .lock(account, project)
        .await?
        .ok_or(ContentPlanError::NoSuchProject)?;
    let plan = work
        .content_plans()
        .find(account, project.id, plan)
        .await?
        .ok_or(ContentPlanError::NoSuchPlan)?;
    if !holds(precondition, &plan) {
        return Err(ContentPlanError::NotAsExpected(Box::new(plan)));
    }
    if !project.is_active() {
        return Err(ContentPlanError::ProjectDeactivated);
    }
    Ok(plan)
}

/// Stored data of the account and of the project.
async fn stored(
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
    use crate::ids::{ConsoleSpanId, ContentPlanId};
    use crate::search_console::{
        DimensionSet, ImportInfo, Origin, RowSet, RowSubject, SearchRow, Span,
    };
    use crate::stored_data::StorageLimits;
    use crate::test_support::fixtures::{account, now, plan, project};
    use crate::test_support::{ACCOUNT, ImportRow, MemoryStorage, a_content_plan, a_project, core};

    fn with_plans(number: u32) -> MemoryStorage {
        let mut storage = MemoryStorage::default().with(account()).with(project());
        for id in 0..number {
            storage = storage.with(plan().but(|it| it.id = ContentPlanId(100 + i64::from(id))));
        }
        storage
    }

    async fn added(
        storage: &MemoryStorage,
        limits: StorageLimits,
    ) -> Result<ContentPlan, ContentPlanError> {
        let example = a_content_plan();
        let new = NewContentPlan {
            name: example.name,
            clustered_by: example.clustered_by,
            items: example.items,
        };
        let mut core = core(storage.port());
        core.policies.storage = limits;
        core.add_content_plan(ACCOUNT, a_project().id, &new, None)
            .await
    }

    #[tokio::test]
    async fn the_last_allowed_plan_is_saved_and_the_next_is_refused() {
        let storage = with_plans(ContentPlan::MAX_IN_A_PROJECT - 1);
        let usual = StorageLimits::default();
        let last = added(&storage, usual).await.unwrap();
        assert_eq!(storage.commits(), 1);
        assert!(last.id.0 > 0);
        assert_eq!(storage.state().plans[&(ACCOUNT, last.id)], last);
        let next = added(&storage, usual).await;
        assert_eq!(storage.commits(), 1);
        assert!(matches!(next, Err(ContentPlanError::Allowance(_))));
    }

    /// A row of Search Console with a page URL of `bytes` bytes.
    fn imported(bytes: usize) -> ImportRow {
        let row = SearchRow {
            query: None,
            page: Some("x".repeat(bytes)),
            country: None,
            device: None,
            clicks: 0,
            impressions: 0,
            position: None,
        };
        ImportRow {
            project: a_project().id,
            set: RowSet {
                dimensions: DimensionSet::aggregated(RowSubject::Page),
                span: Span::day(now().date_naive()),
                rows: vec![row],
            },
            import_info: ImportInfo {
                origin: Origin::Export,
                label: "x".to_owned(),
                at: now(),
            },
        }
    }

    #[tokio::test]
    async fn an_account_at_its_storage_limit_adds_no_plan() {
        let limits = StorageLimits {
            account_bytes: Some(10_000),
            ..StorageLimits::default()
        };
        for (bytes, fits) in [(0, true), (10_000, false)] {
            let storage = with_plans(0);
            storage.put(|state| {
                let key = (ACCOUNT, ConsoleSpanId(91));
                state.imports.insert(key, imported(bytes));
            });
            let outcome = added(&storage, limits).await;
            let is_refused = matches!(outcome, Err(ContentPlanError::Full(_)));
            assert_eq!(is_refused, !fits);
            assert_eq!(storage.commits(), usize::from(fits));
        }
    }
}
