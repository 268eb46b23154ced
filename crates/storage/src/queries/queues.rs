//! Queue rows of accounts: the one table that is searched across accounts.

use super::{Db, jobs::is_unfinished, locked, skip_locked};
use crate::{
    executor::cached::{cached, execute_cached},
    instant::{At, Instant},
    rows::{accounts::AccountRow, jobs::QueueRow, projects::ProjectRow},
    schema::{account_queues, accounts, jobs, projects},
};
use chrono::{DateTime, Utc};
use diesel::dsl::{IsNotNull, exists, min, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use diesel::{alias, insert_into, select, update};
use domain::ids::{AccountId, ProjectId};
use domain::job::account_queue::AccountQueue;
use domain::job::slots::SlotKind;

/// Verbatim as in the partial index: otherwise it is not used. Only accounts with unfinished jobs have a time at which
/// the sweep should look at them (when a wait or a lease ends).
fn has_jobs() -> IsNotNull<account_queues::attention_at> {
    account_queues::attention_at.is_not_null()
}

/// Locks the account's queue row; creates it when there is none.
pub fn lock(db: &mut Db, account: AccountId) -> QueryResult<QueueRow> {
    if let Some(row) = lock_existing(db, account)? {
        return Ok(row);
    }
    add(db, &QueueRow::from(&AccountQueue::new(account)))?;
    lock_existing(db, account)?.ok_or(diesel::NotFound)
}

fn lock_existing(db: &mut Db, account: AccountId) -> QueryResult<Option<QueueRow>> {
    let query = rows_of!(account_queues, account).select(QueueRow::as_select());
    locked(query).get_result(db).optional()
}

/// `None` when another transaction has locked the row, or there is none.
pub fn try_lock(db: &mut Db, account: AccountId) -> QueryResult<Option<QueueRow>> {
    let query = rows_of!(account_queues, account).select(QueueRow::as_select());
    skip_locked(query).get_result(db).optional()
}

/// Joined in the order of locking: `PostgreSQL` locks one row after the other, and waits.
pub fn lock_with_project(
    db: &mut Db,
    account: AccountId,
    project: ProjectId,
) -> QueryResult<Option<(AccountRow, QueueRow, ProjectRow)>> {
    // Conditions that follow from each other: any two on the account imply the others.
    let query = accounts::table
        .inner_join(account_queues::table.on(account_queues::account_id.eq(accounts::account_id)))
        .inner_join(projects::table.on(projects::account_id.eq(accounts::account_id)))
        .filter(accounts::account_id.eq(account.0))
        .filter(account_queues::account_id.eq(account.0))
        .filter(projects::account_id.eq(account.0))
        .filter(projects::id.eq(project.0))
        .select((
            AccountRow::as_select(),
            QueueRow::as_select(),
            ProjectRow::as_select(),
        ));
    locked(query).get_result(db).optional()
}

pub fn lock_newcomer_with_project(
    db: &mut Db,
    account: AccountId,
    project: ProjectId,
) -> QueryResult<Option<(AccountRow, ProjectRow)>> {
    // Conditions that follow from each other: any two of the three imply the third.
    let query = accounts::table
        .inner_join(projects::table.on(projects::account_id.eq(accounts::account_id)))
        .filter(accounts::account_id.eq(account.0))
        .filter(projects::account_id.eq(account.0))
        .filter(projects::id.eq(project.0))
        .select((AccountRow::as_select(), ProjectRow::as_select()));
    locked(query).get_result(db).optional()
}

/// Whether there was no row yet.
pub fn add(db: &mut Db, row: &QueueRow) -> QueryResult<bool> {
    let added = insert_into(account_queues::table)
        .values(row)
        .on_conflict_do_nothing();
    Ok(cached(added).execute(db)? == 1)
}

type Counted = (
    i64,
    Option<At>,
    Option<At>,
    i64,
    Option<At>,
    Option<At>,
    Option<At>,
);

/// Recounts the account's unfinished jobs.
pub fn refresh(db: &mut Db, account: AccountId, virtual_time: f64) -> QueryResult<QueueRow> {
    // A job with a cancellation request is not run again: it must not wake workers.
    let counts = rows_of!(jobs, account)
        .filter(is_unfinished())
        .select((
            sql::<BigInt>("COUNT(CASE WHEN jobs.state <> 'running' THEN 1 END)"),
            sql::<Nullable<Instant>>("MIN(CASE WHEN jobs.state <> 'running' THEN jobs.expires_at END)"),
            sql::<Nullable<Instant>>("MIN(CASE WHEN jobs.state <> 'running' AND NOT jobs.cancel_requested THEN jobs.run_at END)"),
            sql::<BigInt>("COUNT(CASE WHEN jobs.state = 'running' THEN 1 END)"),
            sql::<Nullable<Instant>>("MIN(CASE WHEN jobs.state = 'running' THEN jobs.lease_until END)"),
            sql::<Nullable<Instant>>("MIN(CASE WHEN jobs.state = 'running' THEN jobs.deadline_at END)"),
            // The kinds of `AnalysisKind::SHORT`.
            sql::<Nullable<Instant>>("MIN(CASE WHEN jobs.state <> 'running' AND NOT jobs.cancel_requested AND jobs.kind = 'rankCheck' THEN jobs.run_at END)"),
        ));
    let counted = cached(counts).get_result::<Counted>(db)?;
    let (waiting, first_expiry, next_run_at, running, first_loss, first_deadline, next_short) =
        counted;
    let moments = [first_expiry, first_loss, first_deadline];
    let row = QueueRow {
        account_id: account.0,
        waiting,
        running,
        next_run_at,
        attention_at: moments.into_iter().flatten().min(),
        virtual_time,
        next_short_run_at: next_short,
    };
    save(db, &row)?;
    Ok(row)
}

/// The transaction must have locked the row.
pub fn write(db: &mut Db, row: &QueueRow) -> QueryResult<()> {
    let target = account_queues::table.filter(account_queues::account_id.eq(row.account_id));
    execute_cached(db, update(target).set(row))
}

fn save(db: &mut Db, row: &QueueRow) -> QueryResult<()> {
    let upsert = insert_into(account_queues::table)
        .values(row)
        .on_conflict(account_queues::account_id)
        .do_update()
        .set(row);
    execute_cached(db, upsert)
}

pub fn with_due_jobs(
    db: &mut Db,
    takes: SlotKind,
    now: DateTime<Utc>,
    cap: u32,
    limit: u32,
) -> QueryResult<Vec<QueueRow>> {
    let query = account_queues::table
        .filter(has_jobs())
        .filter(account_queues::running.lt(i64::from(cap)))
        .order((account_queues::virtual_time, account_queues::account_id))
        .limit(limit.into())
        .select(QueueRow::as_select());
    match takes {
        SlotKind::AnyJob => cached(query.filter(account_queues::next_run_at.le(At(now)))).load(db),
        SlotKind::ShortJobs => {
            cached(query.filter(account_queues::next_short_run_at.le(At(now)))).load(db)
        }
    }
}

pub fn with_running_jobs(
    db: &mut Db,
    behind: Option<AccountId>,
    limit: u32,
) -> QueryResult<Vec<i64>> {
    account_queues::table
        .filter(has_jobs())
        .filter(account_queues::running.gt(0))
        .filter(account_queues::account_id.gt(behind.map_or(i64::MIN, |it| it.0)))
        .order(account_queues::account_id)
        .limit(limit.into())
        .select(account_queues::account_id)
        .load(db)
}

pub fn has_live_workers(db: &mut Db, since: DateTime<Utc>) -> QueryResult<bool> {
    let looked_after = account_queues::table
        .filter(account_queues::attention_at.gt(At(since)))
        .filter(account_queues::running.gt(0));
    select(exists(looked_after)).get_result(db)
}

pub fn needing_attention(db: &mut Db, now: DateTime<Utc>, limit: u32) -> QueryResult<Vec<i64>> {
    account_queues::table
        .filter(account_queues::attention_at.le(At(now)))
        .order((account_queues::attention_at, account_queues::account_id))
        .limit(limit.into())
        .select(account_queues::account_id)
        .load(db)
}

pub type Figures = (i64, i64, Option<At>, Option<At>, Option<f64>);

macro_rules! figured {
    () => {
        (
            sql::<BigInt>("COALESCE(CAST(SUM(waiting) AS BIGINT), 0)"),
            sql::<BigInt>("COALESCE(CAST(SUM(running) AS BIGINT), 0)"),
            min(account_queues::next_run_at),
            min(account_queues::attention_at),
            min(account_queues::virtual_time),
        )
    };
}

/// Jobs waiting and running, the next run, the next sweep, and the least virtual time; reads one row for each account
/// with jobs.
pub fn figures(db: &mut Db) -> QueryResult<Figures> {
    account_queues::table
        .filter(has_jobs())
        .select(figured!())
        .first(db)
}

/// [`figures`], and whether the account has a queue row.
pub fn figures_for(db: &mut Db, account: AccountId) -> QueryResult<(Figures, bool)> {
    let own = alias!(account_queues as own);
    let is_own = own.field(account_queues::account_id).eq(account.0);
    account_queues::table
        .filter(has_jobs())
        .select((
            figured!(),
            exists(
                own.filter(is_own)
                    .select(own.field(account_queues::account_id)),
            ),
        ))
        .first(db)
}

pub fn waiting(db: &mut Db, limit: u32) -> QueryResult<Vec<QueueRow>> {
    account_queues::table
        .filter(has_jobs())
        .filter(account_queues::waiting.gt(0))
        .order(account_queues::account_id)
        .limit(limit.into())
        .select(QueueRow::as_select())
        .load(db)
}

pub fn next_run_at(db: &mut Db) -> QueryResult<Option<At>> {
    account_queues::table
        .select(min(account_queues::next_run_at))
        .first(db)
}
