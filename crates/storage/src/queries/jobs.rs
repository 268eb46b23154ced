use super::paging::{PageRows, Sortable, decode_position, one_more, page};
use super::{Backend, Db, locked, queues, skip_locked};
use crate::executor::cached::{cached, execute_cached};
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::counted;
use crate::rows::jobs::{JobRow, QueueRow, changing_columns};
use crate::rows::stored::{excluded_of, values_of};
use crate::schema::{account_queues, jobs};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::{count_star, min, sql};
use diesel::expression::SqlLiteral;
use diesel::helper_types::{EqAny, IntoBoxed};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel::{delete, insert_into, update};
use domain::account::Account;
use domain::ids::{AccountId, JobId, ProjectId};
use domain::job::account_queue::AccountQueue;
use domain::job::kind::AnalysisKind;
use domain::job::policy::QueuePolicy;
use domain::job::slots::SlotKind;
use domain::job::{Job, JobState};
use domain::page::{Page, PageCursor, PageRequest};
use domain::ports::jobs::{JobFilter, JobRepository, JobSort, QueueFigures, QueueSummary};
use domain::ports::storage::StorageError;
use domain::project::Project;

type Query<'a> = IntoBoxed<'a, jobs::table, Backend>;

/// Up to so many jobs, the statement is cached.
const MAX_CACHED_JOBS: usize = 8;

/// [`JobState::is_unfinished`], verbatim as in the partial indexes: otherwise they are not used.
pub fn is_unfinished() -> SqlLiteral<Bool> {
    sql("jobs.state IN ('scheduled', 'ready', 'running', 'retry_wait')")
}

/// [`JobState::is_waiting`], verbatim as in the index that orders waiting jobs.
pub fn is_waiting() -> SqlLiteral<Bool> {
    sql("jobs.state IN ('scheduled', 'ready', 'retry_wait')")
}

/// [`JobState::Running`]; what runs is unfinished, and is found through that index.
pub fn is_running() -> SqlLiteral<Bool> {
    sql("jobs.state IN ('scheduled', 'ready', 'running', 'retry_wait') AND jobs.state = 'running'")
}

/// Skips jobs of other kinds, which a newer version may have queued.
fn kind_is_one_of(kinds: &'static [AnalysisKind]) -> EqAny<jobs::kind, Vec<&'static str>> {
    jobs::kind.eq_any(kinds.iter().map(|it| it.name()).collect::<Vec<_>>())
}

#[async_trait]
impl JobRepository for Session {
    async fn add(&mut self, job: &Job) -> Result<bool, StorageError> {
        let row = JobRow::from(job);
        self.change(job.account, move |db| {
            let insert = insert_into(jobs::table)
                .values(&row)
                .on_conflict_do_nothing();
            Ok(cached(insert).execute(db)? == 1)
        })
        .await
    }

    async fn find(&mut self, account: AccountId, job: JobId) -> Result<Option<Job>, StorageError> {
        self.fetch_optional(account, Job::try_from, move |db| {
            rows_of!(jobs, account)
                .filter(jobs::id.eq(job.0))
                .select(JobRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn lock(&mut self, account: AccountId, job: JobId) -> Result<Option<Job>, StorageError> {
        let found = self.change(account, move |db| {
            let query = rows_of!(jobs, account)
                .filter(jobs::id.eq(job.0))
                .select(JobRow::as_select());
            cached(locked(query)).get_result(db).optional()
        });
        found.await?.map(Job::try_from).transpose()
    }

    async fn unfinished_with_key(
        &mut self,
        account: AccountId,
        dedupe_key: &str,
    ) -> Result<Option<Job>, StorageError> {
        let key = dedupe_key.to_owned();
        self.fetch_optional(account, Job::try_from, move |db| {
            rows_of!(jobs, account)
                .filter(jobs::dedupe_key.eq(&key))
                .filter(is_unfinished())
                .select(JobRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn lock_all(
        &mut self,
        account: AccountId,
        ids: &[JobId],
    ) -> Result<Vec<Job>, StorageError> {
        let ids: Vec<i64> = ids.iter().map(|it| it.0).collect();
        let found = self.change(account, move |db| {
            let query = rows_of!(jobs, account)
                .filter(jobs::id.eq_any(ids.clone()))
                .order(jobs::id)
                .select(JobRow::as_select());
            locked(query).load(db)
        });
        found.await?.into_iter().map(Job::try_from).collect()
    }

    async fn save(&mut self, job: &Job) -> Result<(), StorageError> {
        let (account, id) = (job.account, job.id.0);
        let row = JobRow::from(job);
        self.change(account, move |db| {
            let target = rows_of!(jobs, account).filter(jobs::id.eq(id));
            execute_cached(db, update(target).set(changing_columns!(values_of!(row,))))
        })
        .await
    }

    async fn save_all(&mut self, jobs: &[Job]) -> Result<(), StorageError> {
        if let [job] = jobs {
            return self.save(job).await;
        }
        let rows: Vec<JobRow> = jobs.iter().map(JobRow::from).collect();
        let tenant = TenantScope::common(jobs.iter().map(|it| it.account));
        self.change(tenant, move |db| overwrite(db, &rows)).await
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &JobFilter,
        request: &PageRequest<JobSort>,
    ) -> Result<Page<Job>, StorageError> {
        let limit = request.limit;
        let (filter, request) = (filter.clone(), request.clone());
        let rows = self
            .fetch(account, move |db| {
                let mut query = filtered(account, &filter);
                let after = decode_position::<At>(request.after.as_ref())?;
                let JobSort::CreatedAt = request.sort;
                sort_by!(query, request.direction, jobs::created_at, jobs::id, after);
                let rows = query
                    .limit(one_more(request.limit))
                    .select(JobRow::as_select())
                    .load(db)?;
                let total = counted!(request, db, filtered(account, &filter), jobs::id);
                Ok((PageRows::from_limited(rows, limit), total))
            })
            .await?;
        let position = |row: &JobRow| PageCursor {
            value: row.created_at.into_sort_value(),
            id: row.id,
        };
        page(rows, position, Job::try_from)
    }

    async fn lock_unfinished(
        &mut self,
        account: AccountId,
        project: Option<ProjectId>,
    ) -> Result<Vec<Job>, StorageError> {
        let (first, last) = project.map_or((i64::MIN, i64::MAX), |it| (it.0, it.0));
        let rows = self.change(account, move |db| {
            let query = rows_of!(jobs, account)
                .filter(jobs::project_id.between(first, last))
                .filter(is_unfinished())
                .filter(kind_is_one_of(&AnalysisKind::ALL))
                // In the order of their index: else the account's whole history is read by id.
                .order((jobs::state, jobs::run_at, jobs::id))
                .select(JobRow::as_select());
            locked(query).load(db)
        });
        rows.await?.into_iter().map(Job::try_from).collect()
    }

    async fn purge_finished(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let done_before = At(now - policy.done_kept_for);
        let failed_before = At(now - policy.failed_kept_for);
        let forgotten = self.change(account, move |db| {
            let failed = [JobState::Failed.name(), JobState::Expired.name()];
            let ended_long_ago = jobs::state
                .eq_any(failed)
                .and(jobs::finished_at.le(failed_before))
                .or(jobs::state
                    .ne_all(failed)
                    .and(jobs::finished_at.le(done_before)));
            // A job that ended before a time was created before it, so that the index by age applies.
            let ids: Vec<i64> = rows_of!(jobs, account)
                .filter(jobs::created_at.le(done_before.max(failed_before)))
                .filter(ended_long_ago)
                .order((jobs::created_at, jobs::id))
                .limit(limit.into())
                .select(jobs::id)
                .load(db)?;
            if ids.is_empty() {
                return Ok(0);
            }
            let old = rows_of!(jobs, account).filter(jobs::id.eq_any(ids));
            delete(old).execute(db)
        });
        Ok(forgotten.await? as u64)
    }

    async fn summary(&mut self, account: AccountId) -> Result<QueueSummary, StorageError> {
        let (queued, running, oldest) = self
            .fetch(account, move |db| {
                let (queued, oldest) = rows_of!(jobs, account)
                    .filter(is_waiting())
                    .select((count_star(), min(jobs::created_at)))
                    .first::<(i64, Option<At>)>(db)?;
                let running = rows_of!(jobs, account)
                    .filter(is_running())
                    .count()
                    .get_result::<i64>(db)?;
                Ok((queued, running, oldest))
            })
            .await?;
        Ok(QueueSummary {
            queued: counted(queued, "waiting jobs")?,
            running: counted(running, "running jobs")?,
            oldest_queued_at: oldest.map(Into::into),
        })
    }

    async fn position(
        &mut self,
        account: AccountId,
        job: JobId,
    ) -> Result<Option<u32>, StorageError> {
        let number = self
            .fetch(account, move |db| position(db, account, job))
            .await?;
        number.map(|it| counted(it, "position")).transpose()
    }

    async fn lock_queue(&mut self, account: AccountId) -> Result<AccountQueue, StorageError> {
        let row = self.change(account, move |db| queues::lock(db, account));
        row.await?.try_into()
    }

    async fn try_lock_queue(
        &mut self,
        account: AccountId,
    ) -> Result<Option<AccountQueue>, StorageError> {
        let row = self.change(account, move |db| queues::try_lock(db, account));
        row.await?.map(QueueRow::try_into).transpose()
    }

    async fn lock_queue_and_jobs(
        &mut self,
        account: AccountId,
        ids: &[JobId],
    ) -> Result<(AccountQueue, Vec<Job>), StorageError> {
        let ids: Vec<i64> = ids.iter().map(|it| it.0).collect();
        let found = self.change(account, move |db| {
            // Conditions that follow from each other: any two of the three imply the third.
            let queue_and_jobs = account_queues::table
                .inner_join(jobs::table.on(jobs::account_id.eq(account_queues::account_id)))
                .filter(account_queues::account_id.eq(account.0))
                .filter(jobs::account_id.eq(account.0))
                .select((QueueRow::as_select(), JobRow::as_select()));
            // Most jobs end alone: with one id, PostgreSQL can reuse the plan.
            if let [id] = *ids {
                return cached(locked(queue_and_jobs.filter(jobs::id.eq(id)))).load(db);
            }
            let these = queue_and_jobs.filter(jobs::id.eq_any(ids.clone()));
            let query = locked(these.order(jobs::id));
            if ids.len() <= MAX_CACHED_JOBS {
                return cached(query).load(db);
            }
            query.load(db)
        });
        let (queue_rows, jobs): (Vec<QueueRow>, Vec<JobRow>) = found.await?.into_iter().unzip();
        let queue = match queue_rows.into_iter().next() {
            Some(line) => line.try_into()?,
            None => self.lock_queue(account).await?,
        };
        let jobs: Result<_, _> = jobs.into_iter().map(Job::try_from).collect();
        Ok((queue, jobs?))
    }

    async fn lock_with_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<(Account, AccountQueue, Project)>, StorageError> {
        let found = self.change(account, move |db| {
            queues::lock_with_project(db, account, project)
        });
        let Some((account, queue, project)) = found.await? else {
            return Ok(None);
        };
        Ok(Some((
            account.try_into()?,
            queue.try_into()?,
            project.try_into()?,
        )))
    }

    async fn lock_newcomer_with_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<(Account, Project)>, StorageError> {
        let found = self.change(account, move |db| {
            queues::lock_newcomer_with_project(db, account, project)
        });
        let Some((account, project)) = found.await? else {
            return Ok(None);
        };
        Ok(Some((account.try_into()?, project.try_into()?)))
    }

    async fn save_queue(&mut self, queue: &AccountQueue) -> Result<(), StorageError> {
        let row = QueueRow::from(queue);
        self.change(queue.account, move |db| queues::write(db, &row))
            .await
    }

    async fn add_queue(&mut self, queue: &AccountQueue) -> Result<(), StorageError> {
        let row = QueueRow::from(queue);
        let is_first = self.change(queue.account, move |db| queues::add(db, &row));
        if is_first.await? {
            return Ok(());
        }
        Err(StorageError::Interrupted(
            "the account's line was made meanwhile".into(),
        ))
    }

    async fn refresh_queue(
        &mut self,
        account: AccountId,
        virtual_time: f64,
    ) -> Result<AccountQueue, StorageError> {
        let row = self.change(account, move |db| {
            queues::refresh(db, account, virtual_time)
        });
        row.await?.try_into()
    }

    async fn lock_due(
        &mut self,
        account: AccountId,
        takes: SlotKind,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError> {
        let found = self.change(account, move |db| {
            let query = rows_of!(jobs, account)
                .filter(is_waiting())
                .filter(kind_is_one_of(takes.kinds()))
                .filter(jobs::run_at.le(At(now)))
                .filter(jobs::expires_at.gt(At(now)))
                .filter(jobs::cancel_requested.eq(false))
                .order((jobs::priority.desc(), jobs::run_at, jobs::id))
                .limit(limit.into())
                .select(JobRow::as_select());
            cached(skip_locked(query)).load(db)
        });
        found.await?.into_iter().map(Job::try_from).collect()
    }

    async fn lock_needing_attention(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError> {
        let rows = self.change(account, move |db| {
            let lost = jobs::lease_until
                .is_null()
                .or(jobs::lease_until.le(At(now)));
            let late = is_running().and(lost.or(jobs::deadline_at.le(At(now))));
            let over = is_waiting().and(jobs::expires_at.le(At(now)));
            let query = rows_of!(jobs, account)
                .filter(is_unfinished())
                .filter(late.or(over))
                .filter(kind_is_one_of(&AnalysisKind::ALL))
                .order((jobs::state, jobs::run_at, jobs::id))
                .limit(limit.into())
                .select(JobRow::as_select());
            skip_locked(query).load(db)
        });
        rows.await?.into_iter().map(Job::try_from).collect()
    }

    async fn accounts_with_due_jobs(
        &mut self,
        takes: SlotKind,
        now: DateTime<Utc>,
        cap: u32,
        limit: u32,
    ) -> Result<Vec<AccountQueue>, StorageError> {
        self.fetch_all(TenantScope::System, AccountQueue::try_from, move |db| {
            queues::with_due_jobs(db, takes, now, cap, limit)
        })
        .await
    }

    async fn accounts_needing_attention(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError> {
        let ids = self.fetch(TenantScope::System, move |db| {
            queues::needing_attention(db, now, limit)
        });
        Ok(ids.await?.into_iter().map(AccountId).collect())
    }

    async fn accounts_with_running_jobs(
        &mut self,
        behind: Option<AccountId>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError> {
        let ids = self.fetch(TenantScope::System, move |db| {
            queues::with_running_jobs(db, behind, limit)
        });
        Ok(ids.await?.into_iter().map(AccountId).collect())
    }

    async fn has_live_workers(&mut self, since: DateTime<Utc>) -> Result<bool, StorageError> {
        let found = self.fetch(TenantScope::System, move |db| {
            queues::has_live_workers(db, since)
        });
        found.await
    }

    async fn queue_figures(&mut self) -> Result<QueueFigures, StorageError> {
        figures(self.fetch(TenantScope::System, queues::figures).await?)
    }

    async fn queue_figures_for(
        &mut self,
        account: AccountId,
    ) -> Result<(QueueFigures, bool), StorageError> {
        let found = self.fetch(TenantScope::System, move |db| {
            queues::figures_for(db, account)
        });
        let (found, has_line) = found.await?;
        Ok((figures(found)?, has_line))
    }

    async fn waiting_accounts(&mut self, limit: u32) -> Result<Vec<AccountQueue>, StorageError> {
        let rows = self.fetch(TenantScope::System, move |db| queues::waiting(db, limit));
        rows.await?
            .into_iter()
            .map(AccountQueue::try_from)
            .collect()
    }

    async fn next_run_at(&mut self) -> Result<Option<DateTime<Utc>>, StorageError> {
        let next = self.fetch(TenantScope::System, queues::next_run_at).await?;
        Ok(next.map(Into::into))
    }
}

/// One upsert for many rows. Columns of the request stay.
fn overwrite(db: &mut Db, rows: &[JobRow]) -> QueryResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let upsert = insert_into(jobs::table)
        .values(rows)
        .on_conflict((jobs::account_id, jobs::id))
        .do_update()
        .set(changing_columns!(excluded_of!()));
    // Usually few rows are written together, and each number of rows has its own text.
    if rows.len() <= MAX_CACHED_JOBS {
        return execute_cached(db, upsert);
    }
    upsert.execute(db).map(drop)
}

fn filtered<'a>(account: AccountId, filter: &JobFilter) -> Query<'a> {
    let mut query = jobs::table.into_boxed();
    query = query.filter(jobs::account_id.eq(account.0));
    if let Some(project) = filter.project {
        query = query.filter(jobs::project_id.eq(project.0));
    }
    query = match filter.kind {
        Some(kind) => query.filter(jobs::kind.eq(kind.name())),
        None => query.filter(kind_is_one_of(&AnalysisKind::ALL)),
    };
    if let Some(status) = filter.status {
        let states: Vec<&str> = status.states().map(JobState::name).collect();
        query = query.filter(jobs::state.eq_any(states));
    }
    query
}

/// Waiting jobs before this one; `None` when it does not wait.
fn position(db: &mut Db, account: AccountId, job: JobId) -> QueryResult<Option<i64>> {
    let own: Option<(i32, At)> = rows_of!(jobs, account)
        .filter(jobs::id.eq(job.0))
        .filter(is_waiting())
        .select((jobs::priority, jobs::run_at))
        .first(db)
        .optional()?;
    let Some((priority, run_at)) = own else {
        return Ok(None);
    };
    let earlier = jobs::run_at
        .lt(run_at)
        .or(jobs::run_at.eq(run_at).and(jobs::id.lt(job.0)));
    let before = jobs::priority
        .gt(priority)
        .or(jobs::priority.eq(priority).and(earlier));
    rows_of!(jobs, account)
        .filter(is_waiting())
        .filter(before)
        .count()
        .get_result(db)
        .map(Some)
}

fn figures(found: queues::Figures) -> Result<QueueFigures, StorageError> {
    let (waiting, running, next_run_at, attention_at, least_virtual_time) = found;
    Ok(QueueFigures {
        waiting: counted(waiting, "waiting jobs")?,
        running: counted(running, "running jobs")?,
        next_run_at: next_run_at.map(Into::into),
        attention_at: attention_at.map(Into::into),
        min_virtual_time: least_virtual_time.unwrap_or_default(),
    })
}
