//! Amounts of stored data: a row for each project, updated with each change.

use super::{Db, locked};
use crate::{
    executor::session::Session,
    rows::{console::BYTES_A_ROW, count, counted, stored::excluded_of},
    schema::{console_spans, content_plans, keywords, project_usage, projects},
};
use async_trait::async_trait;
use diesel::dsl::{count_star, sql};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel::{insert_into, update};
use domain::ids::{AccountId, ProjectId};
use domain::ports::storage::StorageError;
use domain::ports::stored_data::StoredDataRepository;
use domain::stored_data::StoredData;
use std::collections::BTreeMap;

/// Projects counted in one transaction.
const PROJECTS: usize = 20;
const SUBJECT: &str = "an amount of stored data";

#[derive(Debug, Clone, Copy, Default)]
pub struct Change {
    pub keyword_rows: i64,
    pub console_rows: i64,
    pub console_bytes: i64,
    pub plan_bytes: i64,
}

#[derive(Insertable, Default)]
#[diesel(table_name = project_usage, treat_none_as_default_value = false)]
struct UsageRow {
    account_id: i64,
    project_id: i64,
    keyword_rows: i64,
    console_rows: i64,
    console_bytes: i64,
    plan_bytes: i64,
}

/// Keyword rows, rows and bytes of Search Console, bytes of plans.
type Sums = (i64, i64, i64, i64);

/// Sums over usage rows, cast to integers.
macro_rules! sums {
    () => {
        (
            sql::<BigInt>("CAST(COALESCE(SUM(keyword_rows), 0) AS BIGINT)"),
            sql::<BigInt>("CAST(COALESCE(SUM(console_rows), 0) AS BIGINT)"),
            sql::<BigInt>("CAST(COALESCE(SUM(console_bytes), 0) AS BIGINT)"),
            sql::<BigInt>("CAST(COALESCE(SUM(plan_bytes), 0) AS BIGINT)"),
        )
    };
}

/// Bytes of the bodies of an account's events.
macro_rules! bytes_of_events {
    ($account:expr) => {
        sql::<BigInt>("CAST(COALESCE((SELECT bytes FROM account_event_heads WHERE account_event_heads.account_id = ")
            .bind::<BigInt, _>($account.0)
            .sql("), 0) AS BIGINT)")
    };
}

#[async_trait]
impl StoredDataRepository for Session {
    async fn of_account(&mut self, account: AccountId) -> Result<StoredData, StorageError> {
        let (sums, of_events) = self
            .fetch(account, move |db| {
                rows_of!(project_usage, account)
                    .select((sums!(), bytes_of_events!(account)))
                    .get_result::<(Sums, i64)>(db)
            })
            .await?;
        stored(sums, of_events)
    }

    async fn of_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<StoredData, StorageError> {
        let sums: Sums = self
            .fetch(account, move |db| {
                rows_of!(project_usage, account, project)
                    .select(sums!())
                    .get_result(db)
            })
            .await?;
        stored(sums, 0)
    }

    async fn recount(
        &mut self,
        account: AccountId,
        after: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError> {
        let last = self.change(account, move |db| {
            let some: Vec<i64> = rows_of!(projects, account)
                .filter(projects::id.gt(after.map_or(0, |it| it.0)))
                .order(projects::id)
                .limit(count(PROJECTS))
                .select(projects::id)
                .load(db)?;
            count_anew(db, account, &some)?;
            let is_full = some.len() == PROJECTS;
            Ok(some.last().copied().filter(|_| is_full))
        });
        Ok(last.await?.map(ProjectId))
    }
}

fn stored(sums: Sums, of_events: i64) -> Result<StoredData, StorageError> {
    // A version that does not count may have removed what this one counted.
    let amount = |it: i64| counted(it.max(0), SUBJECT);
    Ok(StoredData {
        keywords: amount(sums.0)?,
        console_rows: amount(sums.1)?,
        console_bytes: amount(sums.2)?,
        plan_bytes: amount(sums.3)?,
        event_bytes: amount(of_events)?,
    })
}

/// Call it after the change was made.
pub fn note(db: &mut Db, account: i64, project: i64, change: Change) -> QueryResult<()> {
    let row = project_usage::table
        .filter(project_usage::account_id.eq(account))
        .filter(project_usage::project_id.eq(project));
    let noted = update(row)
        .set((
            project_usage::keyword_rows.eq(project_usage::keyword_rows + change.keyword_rows),
            project_usage::console_rows.eq(project_usage::console_rows + change.console_rows),
            project_usage::console_bytes.eq(project_usage::console_bytes + change.console_bytes),
            project_usage::plan_bytes.eq(project_usage::plan_bytes + change.plan_bytes),
        ))
        .execute(db)?;
    if noted == 0 {
        count_anew(db, AccountId(account), &[project])?;
    }
    Ok(())
}

/// Counts these projects. Bytes of plans are read from the plans only for the first row of a project: plans are large,
/// and versions that do not count them are replaced in time.
fn count_anew(db: &mut Db, account: AccountId, ids: &[i64]) -> QueryResult<()> {
    // Waits for running changes, which are counted by their own transactions.
    let query = rows_of!(project_usage, account)
        .filter(project_usage::project_id.eq_any(ids))
        .select(project_usage::project_id);
    let there: Vec<i64> = locked(query).load(db)?;
    let new: Vec<i64> = { ids.iter().copied() }
        .filter(|it| !there.contains(it))
        .collect();
    let mut rows: BTreeMap<i64, UsageRow> = { ids.iter() }
        .map(|id| {
            let row = UsageRow {
                account_id: account.0,
                project_id: *id,
                ..UsageRow::default()
            };
            (*id, row)
        })
        .collect();
    let keywords: Vec<(i64, i64)> = rows_of!(keywords, account)
        .filter(keywords::project_id.eq_any(ids))
        .group_by(keywords::project_id)
        .select((keywords::project_id, count_star()))
        .load(db)?;
    for (project, number) in keywords {
        rows.entry(project).or_default().keyword_rows = number;
    }
    let bytes =
        format!("CAST(SUM(COALESCE(byte_count, (row_count + 1) * {BYTES_A_ROW})) AS BIGINT)");
    let spans: Vec<(i64, i64, i64)> = rows_of!(console_spans, account)
        .filter(console_spans::project_id.eq_any(ids))
        .group_by(console_spans::project_id)
        .select((
            console_spans::project_id,
            sql::<BigInt>("CAST(SUM(row_count + 1) AS BIGINT)"),
            sql::<BigInt>(&bytes),
        ))
        .load(db)?;
    for (project, number, bytes) in spans {
        let row = rows.entry(project).or_default();
        (row.console_rows, row.console_bytes) = (number, bytes);
    }
    let plans: Vec<(i64, i64)> = rows_of!(content_plans, account)
        .filter(content_plans::project_id.eq_any(&new))
        .group_by(content_plans::project_id)
        .select((
            content_plans::project_id,
            sql::<BigInt>("CAST(SUM(octet_length(items)) AS BIGINT)"),
        ))
        .load(db)?;
    for (project, bytes) in plans {
        rows.entry(project).or_default().plan_bytes = bytes;
    }
    let rows: Vec<UsageRow> = rows.into_values().collect();
    if rows.is_empty() {
        return Ok(());
    }
    insert_into(project_usage::table)
        .values(rows)
        .on_conflict((project_usage::account_id, project_usage::project_id))
        .do_update()
        .set(excluded_of!(project_usage: keyword_rows, console_rows, console_bytes))
        .execute(db)
        .map(drop)
}
