use super::paging::{PageRows, Sortable, decode_position, one_more, page};
use super::{Backend, dialect, locked, purging};
use crate::executor::cached::execute_cached;
use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::projects::{ProjectRow, folded, rank};
use crate::rows::{counted, tag_line};
use crate::schema::projects;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    connection::DefaultLoadingMode, helper_types::IntoBoxed, insert_into, prelude::*, update,
};
use domain::ids::{AccountId, ProjectId};
use domain::page::{Page, PageCursor, PageRequest};
use domain::ports::projects::{ProjectFilter, ProjectRepository, ProjectSort};
use domain::ports::storage::StorageError;
use domain::project::{Project, Status};

type Query<'a> = IntoBoxed<'a, projects::table, Backend>;

#[async_trait]
impl ProjectRepository for Session {
    async fn add(&mut self, project: &Project) -> Result<(), StorageError> {
        let row = ProjectRow::from(project);
        self.change(project.account, move |db| {
            insert_into(projects::table)
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
    ) -> Result<Option<Project>, StorageError> {
        self.fetch_optional(account, Project::try_from, move |db| {
            rows_of!(projects, account)
                .filter(projects::id.eq(project.0))
                .select(ProjectRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn lock(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Project>, StorageError> {
        let found = self.change(account, move |db| {
            let query = rows_of!(projects, account)
                .filter(projects::id.eq(project.0))
                .select(ProjectRow::as_select());
            locked(query).get_result(db).optional()
        });
        found.await?.map(Project::try_from).transpose()
    }

    async fn active_with_domain(
        &mut self,
        account: AccountId,
        domain: &str,
    ) -> Result<Option<ProjectId>, StorageError> {
        let domain = domain.to_owned();
        let found = self.fetch(account, move |db| {
            rows_of!(projects, account)
                .filter(projects::domain.eq(&domain))
                .filter(projects::status.eq(Status::Active.name()))
                .select(projects::id)
                .first(db)
                .optional()
        });
        Ok(found.await?.map(ProjectId))
    }

    async fn save(&mut self, project: &Project) -> Result<(), StorageError> {
        let row = ProjectRow::from(project);
        self.change(project.account, move |db| {
            let target = projects::table
                .filter(projects::account_id.eq(row.account_id))
                .filter(projects::id.eq(row.id));
            update(target).set(&row).execute(db).map(drop)
        })
        .await
    }

    async fn note_analysis(
        &mut self,
        account: AccountId,
        project: ProjectId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        self.change(account, move |db| {
            let target = rows_of!(projects, account).filter(projects::id.eq(project.0));
            let noted = update(target).set(projects::last_analysis_at.eq(At(at)));
            execute_cached(db, noted)
        })
        .await
    }

    async fn count_all(&mut self, account: AccountId) -> Result<u32, StorageError> {
        let number: i64 = self
            .fetch(account, move |db| {
                rows_of!(projects, account).count().get_result(db)
            })
            .await?;
        counted(number, "a number of projects")
    }

    async fn deactivated_until(
        &mut self,
        account: AccountId,
        until: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<ProjectId>, StorageError> {
        let ids: Vec<i64> = self
            .fetch(account, move |db| {
                rows_of!(projects, account)
                    .filter(projects::status.eq(Status::Deactivated.name()))
                    .filter(projects::deactivated_at.le(At(until)))
                    .order((projects::deactivated_at, projects::id))
                    .limit(limit.into())
                    .select(projects::id)
                    .load(db)
            })
            .await?;
        Ok(ids.into_iter().map(ProjectId).collect())
    }

    async fn purge_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<bool, StorageError> {
        self.change(account, move |db| {
            purging::purge_next_part(db, account, project)
        })
        .await
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &ProjectFilter,
        request: &PageRequest<ProjectSort>,
    ) -> Result<Page<Project>, StorageError> {
        let sort = request.sort;
        let (filter, request) = (filter.clone(), request.clone());
        self.fetch(account, move |db| {
            let query = sorted(filtered(account, &filter), &request)?;
            let rows = query
                .limit(one_more(request.limit))
                .select(ProjectRow::as_select())
                .load_iter::<ProjectRow, DefaultLoadingMode>(db)?;
            let rows = PageRows::read(rows, &request, ProjectRow::bytes)?;
            let total = counted!(request, db, filtered(account, &filter), projects::id);
            Ok(page(
                (rows, total),
                |row| position(sort, row),
                Project::try_from,
            ))
        })
        .await?
    }
}

fn filtered<'a>(account: AccountId, filter: &ProjectFilter) -> Query<'a> {
    let mut query = projects::table.into_boxed();
    query = query.filter(projects::account_id.eq(account.0));
    if let Some(status) = filter.status {
        query = query.filter(projects::status.eq(status.name()));
    }
    if let Some(tag) = &filter.tag {
        let found = dialect::position_of(projects::tags, tag_line(tag));
        query = query.filter(found.gt(0));
    }
    if let Some(category) = &filter.category {
        query = query.filter(projects::category.eq(category.clone()));
    }
    if let Some(priority) = filter.priority {
        query = query.filter(projects::priority.eq(rank(priority)));
    }
    if let Some(status) = filter.workflow_status {
        query = query.filter(projects::workflow_status.eq(status.name()));
    }
    if let Some(favorite) = filter.favorite {
        query = query.filter(projects::favorite.eq(favorite));
    }
    if let Some(text) = &filter.search {
        let found = dialect::position_of(projects::search_text, folded(text));
        query = query.filter(found.gt(0));
    }
    if let Some(only) = &filter.only {
        let ids: Vec<i64> = only.iter().map(|it| it.0).collect();
        query = query.filter(projects::id.eq_any(ids));
    }
    query
}

fn sorted<'a>(mut query: Query<'a>, request: &PageRequest<ProjectSort>) -> QueryResult<Query<'a>> {
    let (direction, after) = (request.direction, request.after.as_ref());
    match request.sort {
        ProjectSort::CreatedAt => {
            let after = decode_position::<At>(after)?;
            sort_by!(query, direction, projects::created_at, projects::id, after);
        }
        ProjectSort::Name => {
            let after = decode_position::<String>(after)?;
            sort_by!(query, direction, projects::name_folded, projects::id, after);
        }
        ProjectSort::Domain => {
            let after = decode_position::<String>(after)?;
            sort_by!(query, direction, projects::domain, projects::id, after);
        }
        ProjectSort::Priority => {
            let after = decode_position::<i32>(after)?;
            sort_by!(query, direction, projects::priority, projects::id, after);
        }
        ProjectSort::LastAnalysisAt => {
            let after = decode_position::<Option<At>>(after)?;
            let column = projects::last_analysis_at;
            sort_by_with_missing_last!(query, direction, column, projects::id, after);
        }
    }
    Ok(query)
}

fn position(sort: ProjectSort, row: &ProjectRow) -> PageCursor {
    let value = match sort {
        ProjectSort::CreatedAt => row.created_at.into_sort_value(),
        ProjectSort::Name => row.name_folded.clone().into_sort_value(),
        ProjectSort::Domain => row.domain.clone().into_sort_value(),
        ProjectSort::Priority => row.priority.into_sort_value(),
        ProjectSort::LastAnalysisAt => row.last_analysis_at.into_sort_value(),
    };
    PageCursor { value, id: row.id }
}
