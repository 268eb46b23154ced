use super::paging::{PageRows, Sortable, decode_position, one_more, page};
use super::{Db, stored_data};
use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::content_plans::{PlanRow, SummaryRow};
use crate::rows::stored::values_of;
use crate::rows::{count, counted};
use crate::schema::content_plans;
use async_trait::async_trait;
use diesel::{delete, dsl::sql, insert_into, prelude::*, sql_types::BigInt, update};
use domain::content_plan::{ContentPlan, PlanSummary};
use domain::ids::{AccountId, ContentPlanId, ProjectId};
use domain::page::{Page, PageCursor, PageRequest};
use domain::ports::content_plans::{ContentPlanRepository, ContentPlanSort};
use domain::ports::storage::StorageError;

#[async_trait]
impl ContentPlanRepository for Session {
    async fn add(&mut self, plan: &ContentPlan) -> Result<(), StorageError> {
        let row = PlanRow::from(plan);
        self.change(plan.account, move |db| {
            insert_into(content_plans::table).values(&row).execute(db)?;
            note_bytes(db, row.account_id, row.project_id, count(row.items.len()))
        })
        .await
    }

    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Result<Option<ContentPlan>, StorageError> {
        self.fetch_optional(account, ContentPlan::try_from, move |db| {
            rows_of!(content_plans, account, project)
                .filter(content_plans::id.eq(plan.0))
                .select(PlanRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn save(&mut self, plan: &ContentPlan) -> Result<(), StorageError> {
        let (account, project, id) = (plan.account, plan.project, plan.id);
        let row = PlanRow::from(plan);
        self.change(account, move |db| {
            let bytes = count(row.items.len()) - bytes_of(db, account, project, id)?;
            let target =
                rows_of!(content_plans, account, project).filter(content_plans::id.eq(id.0));
            let change =
                values_of!(row, content_plans: name, clustered_by, item_count, items, updated_at);
            if update(target).set(change).execute(db)? == 1 {
                note_bytes(db, account.0, project.0, bytes)?;
            }
            Ok(())
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
            let bytes = bytes_of(db, account, project, plan)?;
            let target =
                rows_of!(content_plans, account, project).filter(content_plans::id.eq(plan.0));
            let removed = delete(target).execute(db)?;
            if removed == 1 {
                note_bytes(db, account.0, project.0, -bytes)?;
            }
            Ok(removed)
        });
        Ok(removed.await? == 1)
    }

    async fn count(&mut self, account: AccountId, project: ProjectId) -> Result<u32, StorageError> {
        let number: i64 = self
            .fetch(account, move |db| {
                rows_of!(content_plans, account, project)
                    .count()
                    .get_result(db)
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
        let rows = self
            .fetch(account, move |db| {
                let after = decode_position::<At>(request.after.as_ref())?;
                let mut query = rows_of!(content_plans, account, project).into_boxed();
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
                let rows = PageRows::from_limited(rows, limit);
                let total = counted!(
                    request,
                    db,
                    rows_of!(content_plans, account, project),
                    content_plans::id
                );
                Ok((rows, total))
            })
            .await?;
        let position = |row: &SummaryRow| PageCursor {
            value: row.created_at.into_sort_value(),
            id: row.id,
        };
        page(rows, position, PlanSummary::try_from)
    }
}

/// Bytes of the plan's items; 0 without the plan.
fn bytes_of(
    db: &mut Db,
    account: AccountId,
    project: ProjectId,
    plan: ContentPlanId,
) -> QueryResult<i64> {
    let bytes = rows_of!(content_plans, account, project)
        .filter(content_plans::id.eq(plan.0))
        .select(sql::<BigInt>("CAST(octet_length(items) AS BIGINT)"))
        .first(db)
        .optional()?;
    Ok(bytes.unwrap_or(0))
}

fn note_bytes(db: &mut Db, account: i64, project: i64, plan_bytes: i64) -> QueryResult<()> {
    let change = stored_data::Change {
        plan_bytes,
        ..stored_data::Change::default()
    };
    stored_data::note(db, account, project, change)
}
