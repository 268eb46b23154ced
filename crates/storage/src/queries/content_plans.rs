//! Content plans.

use super::{
    Db,
    paging::{Sortable, behind, one_more, page},
};
use crate::{
    instant::At,
    rows::{
        content_plans::{PlanChange, PlanRow, SummaryRow},
        counted,
    },
    schema::content_plans,
    session::Session,
};
use async_trait::async_trait;
use diesel::{delete, insert_into, prelude::*, update};
use domain::{
    content_plan::{ContentPlan, PlanSummary},
    ids::{AccountId, ContentPlanId, ProjectId},
    page::{Page, PageRequest, Position},
    ports::{
        content_plans::{ContentPlanRepository, ContentPlanSort},
        storage::StorageError,
    },
};

/// The plans of a project.
macro_rules! plans_of {
    ($account:expr, $project:expr) => {
        content_plans::table
            .filter(content_plans::account_id.eq($account.0))
            .filter(content_plans::project_id.eq($project.0))
    };
}

#[async_trait]
impl ContentPlanRepository for Session<Db> {
    async fn add(&mut self, plan: &ContentPlan) -> Result<(), StorageError> {
        let row = PlanRow::from(plan);
        self.change(plan.account, move |db| {
            insert_into(content_plans::table)
                .values(&row)
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Result<Option<ContentPlan>, StorageError> {
        let found: Option<PlanRow> = self
            .ask(account, move |db| {
                plans_of!(account, project)
                    .filter(content_plans::id.eq(plan.0))
                    .select(PlanRow::as_select())
                    .first(db)
                    .optional()
            })
            .await?;
        found.map(ContentPlan::try_from).transpose()
    }

    async fn save(&mut self, plan: &ContentPlan) -> Result<(), StorageError> {
        let (account, project, id) = (plan.account, plan.project, plan.id);
        let change = PlanChange::from(plan);
        self.change(account, move |db| {
            let target = plans_of!(account, project).filter(content_plans::id.eq(id.0));
            update(target).set(&change).execute(db).map(drop)
        })
        .await
    }

    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Result<bool, StorageError> {
        let removed = self.change(account, move |db| {
            let target = plans_of!(account, project).filter(content_plans::id.eq(plan.0));
            delete(target).execute(db)
        });
        Ok(removed.await? == 1)
    }

    async fn count(&mut self, account: AccountId, project: ProjectId) -> Result<u32, StorageError> {
        let number: i64 = self
            .ask(account, move |db| {
                plans_of!(account, project).count().get_result(db)
            })
            .await?;
        counted(number, "a number of plans")
    }

    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        request: &PageRequest<ContentPlanSort>,
    ) -> Result<Page<PlanSummary>, StorageError> {
        let (limit, request) = (request.limit, request.clone());
        let rows: (Vec<SummaryRow>, _) = self
            .ask(account, move |db| {
                let after = behind::<At>(request.after.as_ref())?;
                let mut query = plans_of!(account, project).into_boxed();
                let ContentPlanSort::CreatedAt = request.sort;
                sort_by!(
                    query,
                    request.direction,
                    content_plans::created_at,
                    content_plans::id,
                    after
                );
                let rows = query
                    .limit(one_more(request.limit))
                    .select(SummaryRow::as_select())
                    .load(db)?;
                let total = counted!(request, db, plans_of!(account, project), content_plans::id);
                Ok((rows, total))
            })
            .await?;
        let position = |row: &SummaryRow| Position {
            value: row.created_at.told(),
            id: row.id,
        };
        page(rows, limit, position, PlanSummary::try_from)
    }
}
