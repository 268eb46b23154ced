//! Costs of suppliers. Each counter is a row that is changed in one statement.

use crate::executor::cached::{cached, execute_cached};
use crate::executor::session::{Session, TenantScope};
use crate::schema::{daily_spending, server_spending, spending};
use async_trait::async_trait;
use diesel::{
    insert_into, prelude::*, query_dsl::methods::FilterDsl as Conditional, upsert::excluded,
};
use domain::money::MicroUsd;
use domain::ports::spending::{Counter, Spending, SpendingRepository};
use domain::ports::storage::StorageError;

/// Calls the macro `$act` with the counter's table, and the columns of its key with their values.
macro_rules! by_table {
    ($counter:expr, $act:ident!($($with:expr),+)) => {
        match $counter {
            Counter::Month(account, month) => {
                $act!(spending(account_id = account.0, month = month), $($with),+)
            }
            Counter::Day(account, day) => {
                $act!(daily_spending(account_id = account.0, day = day), $($with),+)
            }
            Counter::ServerDay(day) => $act!(server_spending(day = day), $($with),+),
        }
    };
}

macro_rules! found {
    ($table:ident($($column:ident = $value:expr),+), $db:expr) => {{
        let row = $table::table;
        $(let row = QueryDsl::filter(row, $table::$column.eq($value));)+
        row.select(($table::reserved, $table::spent))
            .first($db)
            .optional()
    }};
}

macro_rules! reserved {
    ($table:ident($($column:ident = $value:expr),+), $db:expr, $amount:expr, $cap:expr) => {{
        let upsert = insert_into($table::table)
            .values((
                $($table::$column.eq($value),)+
                $table::reserved.eq($amount),
                $table::spent.eq(0),
            ))
            .on_conflict(($($table::$column,)+))
            .do_update()
            .set($table::reserved.eq($table::reserved + excluded($table::reserved)));
        let committed = $table::reserved + $table::spent;
        let upsert = Conditional::filter(upsert, committed.le($cap - $amount));
        Ok(cached(upsert).execute($db)? == 1)
    }};
}

macro_rules! settled {
    ($table:ident($($column:ident = $value:expr),+), $db:expr, $reserved:expr, $spent:expr) => {{
        let upsert = insert_into($table::table)
            .values((
                $($table::$column.eq($value),)+
                $table::reserved.eq(-$reserved.0),
                $table::spent.eq($spent.0),
            ))
            .on_conflict(($($table::$column,)+))
            .do_update()
            .set((
                $table::reserved.eq($table::reserved + excluded($table::reserved)),
                $table::spent.eq($table::spent + excluded($table::spent)),
            ));
        execute_cached($db, upsert)
    }};
}

impl From<Counter> for TenantScope {
    fn from(counter: Counter) -> Self {
        match counter {
            Counter::Month(account, _) | Counter::Day(account, _) => account.into(),
            Counter::ServerDay(_) => Self::System,
        }
    }
}

#[async_trait]
impl SpendingRepository for Session {
    async fn find(&mut self, counter: Counter) -> Result<Spending, StorageError> {
        let found: Option<(i64, i64)> = self
            .fetch(counter, move |db| by_table!(counter, found!(db)))
            .await?;
        let (reserved, spent) = found.unwrap_or_default();
        Ok(Spending {
            reserved: MicroUsd(reserved),
            spent: MicroUsd(spent),
        })
    }

    async fn reserve(
        &mut self,
        counter: Counter,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError> {
        let (amount, cap) = (amount.0, cap.map_or(i64::MAX, |it| it.0));
        self.change(counter, move |db| {
            // Zero is always granted, and the first amount has no row to compare with.
            if amount == 0 || amount > cap {
                return Ok(amount == 0);
            }
            by_table!(counter, reserved!(db, amount, cap))
        })
        .await
    }

    async fn settle(
        &mut self,
        counter: Counter,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError> {
        self.change(counter, move |db| {
            by_table!(counter, settled!(db, reserved, spent))
        })
        .await
    }
}
