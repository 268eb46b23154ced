use super::Db;
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::schedules::ScheduleRow;
use crate::rows::stored::Put;
use crate::schema::{account_schedules, schedules};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, prelude::*, update};
use domain::ids::{AccountId, ProjectId};
use domain::job::kind::AnalysisKind;
use domain::ports::schedules::ScheduleRepository;
use domain::ports::storage::StorageError;
use domain::schedule::Schedule;

due_directory!(account_schedules of schedules);

#[async_trait]
impl ScheduleRepository for Session {
    async fn set(&mut self, schedule: &Schedule) -> Result<(), StorageError> {
        let (account, row) = (schedule.account, ScheduleRow::from(schedule));
        self.change(account, move |db| changed(db, account, |db| row.put(db)))
            .await
    }

    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
    ) -> Result<bool, StorageError> {
        let removed = self.change(account, move |db| {
            let there =
                rows_of!(schedules, account, project).filter(schedules::kind.eq(kind.name()));
            changed(db, account, |db| delete(there).execute(db))
        });
        Ok(removed.await? == 1)
    }

    async fn list(&mut self, account: AccountId) -> Result<Vec<Schedule>, StorageError> {
        self.fetch_all(account, Schedule::try_from, move |db| {
            rows_of!(schedules, account)
                .order((schedules::project_id, schedules::kind))
                .select(ScheduleRow::as_select())
                .load(db)
        })
        .await
    }

    async fn accounts_due(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError> {
        self.fetch(TenantScope::System, move |db| accounts_due(db, now, limit))
            .await
    }

    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Schedule>, StorageError> {
        self.fetch_all(account, Schedule::try_from, move |db| {
            rows_of!(schedules, account)
                .filter(schedules::next_at.le(At(now)))
                .order((schedules::next_at, schedules::project_id, schedules::kind))
                .limit(limit.into())
                .select(ScheduleRow::as_select())
                .load(db)
        })
        .await
    }

    async fn advance(&mut self, before: &Schedule, after: &Schedule) -> Result<bool, StorageError> {
        let (account, expected) = (before.account, ScheduleRow::from(before));
        let row = ScheduleRow::from(after);
        let moved = self.change(account, move |db| {
            changed(db, account, |db| replace(db, &expected, &row))
        });
        Ok(moved.await? == 1)
    }
}

pub fn forget_project(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<()> {
    let there = rows_of!(schedules, account, project);
    changed(db, account, |db| delete(there).execute(db)).map(drop)
}

/// Replaces the row if it has not changed since; returns 0 or 1.
fn replace(db: &mut Db, expected: &ScheduleRow, after: &ScheduleRow) -> QueryResult<usize> {
    let there = schedules::table
        .filter(schedules::account_id.eq(expected.account_id))
        .filter(schedules::project_id.eq(expected.project_id))
        .filter(schedules::kind.eq(&expected.kind))
        .filter(schedules::days.eq(&expected.days))
        .filter(schedules::time_of_day.eq(&expected.time_of_day))
        .filter(schedules::zone.eq(&expected.zone))
        .filter(schedules::next_at.eq(expected.next_at));
    update(there).set(after).execute(db)
}
