//! What suppliers cost. Each counter is a row that is changed in one statement.

use crate::{
    schema::{daily_spending, server_spending, spending},
    session::{Session, Whose},
    steady::{say, steady},
};
use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::{
    insert_into, prelude::*, query_dsl::methods::FilterDsl as Conditional, upsert::excluded,
};
use domain::{
    ids::AccountId,
    money::MicroUsd,
    ports::{
        spending::{Spending, SpendingRepository},
        storage::StorageError,
    },
};

/// Reads a counter: its table, and the columns of its key with their values.
macro_rules! found {
    ($session:expr, $whose:expr, $counter:ident, $($column:ident = $value:expr),+) => {{
        let found: Option<(i64, i64)> = $session
            .ask($whose, move |db| {
                let row = $counter::table;
                $(let row = QueryDsl::filter(row, $counter::$column.eq($value));)+
                row.select(($counter::reserved, $counter::spent))
                    .first(db)
                    .optional()
            })
            .await?;
        let (reserved, spent) = found.unwrap_or_default();
        Ok(Spending {
            reserved: MicroUsd(reserved),
            spent: MicroUsd(spent),
        })
    }};
}

/// Sets an amount aside, unless that would pass the cap.
macro_rules! reserved {
    ($session:expr, $whose:expr, $amount:expr, $cap:expr, $counter:ident, $($column:ident = $value:expr),+) => {{
        let (amount, cap) = ($amount.0, $cap.map_or(i64::MAX, |it| it.0));
        $session
            .change($whose, move |db| {
                // Nothing costs nothing, and the first amount meets no row to compare with.
                if amount == 0 || amount > cap {
                    return Ok(amount == 0);
                }
                let upsert = insert_into($counter::table)
                    .values((
                        $($counter::$column.eq($value),)+
                        $counter::reserved.eq(amount),
                        $counter::spent.eq(0),
                    ))
                    .on_conflict(($($counter::$column,)+))
                    .do_update()
                    .set($counter::reserved.eq($counter::reserved + excluded($counter::reserved)));
                let committed = $counter::reserved + $counter::spent;
                let upsert = Conditional::filter(upsert, committed.le(cap - amount));
                Ok(steady(upsert).execute(db)? == 1)
            })
            .await
    }};
}

/// Turns a reservation into what was really spent.
macro_rules! settled {
    ($session:expr, $whose:expr, $reserved:expr, $spent:expr, $counter:ident, $($column:ident = $value:expr),+) => {
        $session
            .change($whose, move |db| {
                let upsert = insert_into($counter::table)
                    .values((
                        $($counter::$column.eq($value),)+
                        $counter::reserved.eq(-$reserved.0),
                        $counter::spent.eq($spent.0),
                    ))
                    .on_conflict(($($counter::$column,)+))
                    .do_update()
                    .set((
                        $counter::reserved.eq($counter::reserved + excluded($counter::reserved)),
                        $counter::spent.eq($counter::spent + excluded($counter::spent)),
                    ));
                say(db, upsert)
            })
            .await
    };
}

#[async_trait]
impl SpendingRepository for Session {
    async fn find(
        &mut self,
        account: AccountId,
        month: NaiveDate,
    ) -> Result<Spending, StorageError> {
        found!(
            self,
            account,
            spending,
            account_id = account.0,
            month = month
        )
    }

    async fn reserve(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError> {
        reserved!(
            self,
            account,
            amount,
            cap,
            spending,
            account_id = account.0,
            month = month
        )
    }

    async fn settle(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError> {
        settled!(
            self,
            account,
            reserved,
            spent,
            spending,
            account_id = account.0,
            month = month
        )
    }

    async fn find_day(
        &mut self,
        account: AccountId,
        day: NaiveDate,
    ) -> Result<Spending, StorageError> {
        found!(
            self,
            account,
            daily_spending,
            account_id = account.0,
            day = day
        )
    }

    async fn reserve_day(
        &mut self,
        account: AccountId,
        day: NaiveDate,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError> {
        reserved!(
            self,
            account,
            amount,
            cap,
            daily_spending,
            account_id = account.0,
            day = day
        )
    }

    async fn settle_day(
        &mut self,
        account: AccountId,
        day: NaiveDate,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError> {
        settled!(
            self,
            account,
            reserved,
            spent,
            daily_spending,
            account_id = account.0,
            day = day
        )
    }

    async fn find_in_all(&mut self, day: NaiveDate) -> Result<Spending, StorageError> {
        found!(self, Whose::Everyone, server_spending, day = day)
    }

    async fn reserve_in_all(
        &mut self,
        day: NaiveDate,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError> {
        reserved!(
            self,
            Whose::Everyone,
            amount,
            cap,
            server_spending,
            day = day
        )
    }

    async fn settle_in_all(
        &mut self,
        day: NaiveDate,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError> {
        settled!(
            self,
            Whose::Everyone,
            reserved,
            spent,
            server_spending,
            day = day
        )
    }
}
