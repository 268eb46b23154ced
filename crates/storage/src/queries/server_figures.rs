//! Figures over all accounts, for operators: each reads a small index, or one row for each account.

use super::jobs::is_running;
use crate::executor::session::{Session, TenantScope};
use crate::instant::{At, Instant};
use crate::rows::jobs::last_code;
use crate::rows::stored::Stored;
use crate::schema::{account_queues, accounts, daily_spending, deliveries, jobs, spending};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable};
use domain::account::AccountStatus;
use domain::mail::DeliveryState;
use domain::ports::server_figures::{
    LimitFigures, MailFigures, QueueLimitFigures, ServerFigureRepository, WorkerFigures,
};
use domain::ports::spending::month_of;
use domain::ports::storage::StorageError;

/// The code of a job that failed without an error.
const NO_CODE: &str = "unknown";

/// Verbatim as in the partial index.
fn is_lost_job() -> SqlLiteral<Bool> {
    sql("jobs.state IN ('failed', 'expired')")
}

/// Verbatim as in the partial index.
fn is_lost_delivery() -> SqlLiteral<Bool> {
    sql("deliveries.state IN ('failed', 'unknown', 'expired')")
}

#[async_trait]
impl ServerFigureRepository for Session {
    async fn workers(&mut self, limit: u32) -> Result<Vec<WorkerFigures>, StorageError> {
        let read = |(name, jobs, until): (Option<String>, i64, Option<At>)| {
            let (name, until) = name.zip(until).ok_or(StorageError::Corrupt {
                subject: "lease of a running job",
            })?;
            Ok(WorkerFigures {
                name,
                jobs: counted(jobs)?,
                lease_until: until.into(),
            })
        };
        self.fetch_all(TenantScope::System, read, move |db| {
            jobs::table
                .filter(is_running())
                .filter(jobs::lease_owner.is_not_null())
                .filter(jobs::lease_until.is_not_null())
                .group_by(jobs::lease_owner)
                .order(jobs::lease_owner)
                .limit(limit.into())
                .select((
                    jobs::lease_owner,
                    sql::<BigInt>("COUNT(*)"),
                    sql::<Nullable<Instant>>("MAX(jobs.lease_until)"),
                ))
                .load(db)
        })
        .await
    }

    async fn failures_since(
        &mut self,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<String>, StorageError> {
        let read = |errors: String| {
            let code = last_code(&errors)?;
            Ok(code.unwrap_or_else(|| NO_CODE.to_owned()))
        };
        self.fetch_all(TenantScope::System, read, move |db| {
            jobs::table
                .filter(is_lost_job())
                .filter(jobs::finished_at.ge(At(since)))
                .order(jobs::finished_at.desc())
                .limit(limit.into())
                .select(jobs::errors)
                .load(db)
        })
        .await
    }

    async fn mail_since(&mut self, since: DateTime<Utc>) -> Result<MailFigures, StorageError> {
        let queued: i64 = self
            .fetch(TenantScope::System, |db| {
                deliveries::table
                    .filter(deliveries::next_at.is_not_null())
                    .count()
                    .get_result(db)
            })
            .await?;
        let lost: Vec<(String, i64)> = self
            .fetch(TenantScope::System, move |db| {
                deliveries::table
                    .filter(is_lost_delivery())
                    .filter(deliveries::ended_at.ge(At(since)))
                    .group_by(deliveries::state)
                    .select((deliveries::state, sql::<BigInt>("COUNT(*)")))
                    .load(db)
            })
            .await?;
        let of = |state: DeliveryState| {
            let found = lost.iter().find(|it| it.0 == state.name());
            counted(found.map_or(0, |it| it.1))
        };
        Ok(MailFigures {
            queued: counted(queued)?,
            failed: of(DeliveryState::Failed)?,
            unknown: of(DeliveryState::Unknown)?,
            expired: of(DeliveryState::Expired)?,
        })
    }

    async fn limits_reached(&mut self, today: NaiveDate) -> Result<LimitFigures, StorageError> {
        let active = AccountStatus::Active.name();
        let found: (i64, i64, i64, i64, i64) = self
            .fetch(TenantScope::System, move |db| {
                let of_month = spending::account_id
                    .eq(accounts::account_id)
                    .and(spending::month.eq(month_of(today)));
                let of_day = daily_spending::account_id
                    .eq(accounts::account_id)
                    .and(daily_spending::day.eq(today));
                accounts::table
                    .left_join(spending::table.on(of_month))
                    .left_join(daily_spending::table.on(of_day))
                    .filter(accounts::status.eq(active))
                    .select((
                        sql::<BigInt>("COUNT(CASE WHEN accounts.projects_used >= accounts.projects_limit THEN 1 END)"),
                        sql::<BigInt>("COUNT(CASE WHEN accounts.keywords_used >= accounts.keywords_limit THEN 1 END)"),
                        sql::<BigInt>("COUNT(CASE WHEN accounts.ai_tracked_used >= accounts.ai_tracked_limit THEN 1 END)"),
                        sql::<BigInt>("COUNT(CASE WHEN COALESCE(spending.spent + spending.reserved, 0) >= accounts.monthly_budget THEN 1 END)"),
                        sql::<BigInt>("COUNT(CASE WHEN COALESCE(daily_spending.spent + daily_spending.reserved, 0) >= accounts.daily_budget THEN 1 END)"),
                    ))
                    .first(db)
            })
            .await?;
        let (projects, keywords, ai_tracked, monthly_budget, daily_budget) = found;
        Ok(LimitFigures {
            projects: counted(projects)?,
            keywords: counted(keywords)?,
            ai_tracked: counted(ai_tracked)?,
            monthly_budget: counted(monthly_budget)?,
            daily_budget: counted(daily_budget)?,
        })
    }

    async fn queue_limits_reached(
        &mut self,
        running: u32,
        unfinished: u32,
    ) -> Result<QueueLimitFigures, StorageError> {
        let (most_running, most_unfinished) = (i64::from(running), i64::from(unfinished));
        let (running, unfinished): (i64, i64) = self
            .fetch(TenantScope::System, move |db| {
                let is_at_limit = sql::<BigInt>(
                    "COUNT(CASE WHEN account_queues.waiting > 0 AND account_queues.running >= ",
                )
                .bind::<BigInt, _>(most_running)
                .sql(" THEN 1 END)");
                let is_full = sql::<BigInt>(
                    "COUNT(CASE WHEN account_queues.waiting + account_queues.running >= ",
                )
                .bind::<BigInt, _>(most_unfinished)
                .sql(" THEN 1 END)");
                account_queues::table
                    .filter(account_queues::attention_at.is_not_null())
                    .select((is_at_limit, is_full))
                    .first(db)
            })
            .await?;
        Ok(QueueLimitFigures {
            running: counted(running)?,
            unfinished: counted(unfinished)?,
        })
    }
}

fn counted(count: i64) -> Result<u64, StorageError> {
    u64::read(count, "count of a figure")
}
