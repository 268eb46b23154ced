//! What suppliers cost.

use super::Db;
use crate::{schema::spending, session::Session};
use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::{insert_into, prelude::*, upsert::excluded};
use domain::{
    ids::AccountId,
    money::MicroUsd,
    ports::{
        spending::{Spending, SpendingRepository},
        storage::StorageError,
    },
};

#[async_trait]
impl SpendingRepository for Session<Db> {
    async fn find(
        &mut self,
        account: AccountId,
        month: NaiveDate,
    ) -> Result<Spending, StorageError> {
        let found: Option<(i64, i64)> = self
            .ask(account, move |db| {
                spending::table
                    .filter(spending::account_id.eq(account.0))
                    .filter(spending::month.eq(month))
                    .select((spending::reserved, spending::spent))
                    .first(db)
                    .optional()
            })
            .await?;
        let (reserved, spent) = found.unwrap_or_default();
        Ok(Spending {
            reserved: MicroUsd(reserved),
            spent: MicroUsd(spent),
        })
    }

    async fn reserve(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError> {
        let cap = cap.map_or(i64::MAX, |it| it.0);
        self.change(account, move |db| {
            // Nothing costs nothing, and the first amount of a month meets no row to compare with.
            if amount.0 == 0 || amount.0 > cap {
                return Ok(amount.0 == 0);
            }
            let upsert = insert_into(spending::table)
                .values((
                    spending::account_id.eq(account.0),
                    spending::month.eq(month),
                    spending::reserved.eq(amount.0),
                    spending::spent.eq(0),
                ))
                .on_conflict((spending::account_id, spending::month))
                .do_update()
                .set(spending::reserved.eq(spending::reserved + excluded(spending::reserved)));
            let room = spending::reserved + spending::spent;
            let reserved =
                diesel::query_dsl::methods::FilterDsl::filter(upsert, room.le(cap - amount.0))
                    .execute(db)?;
            Ok(reserved == 1)
        })
        .await
    }

    async fn settle(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError> {
        self.change(account, move |db| {
            insert_into(spending::table)
                .values((
                    spending::account_id.eq(account.0),
                    spending::month.eq(month),
                    spending::reserved.eq(-reserved.0),
                    spending::spent.eq(spent.0),
                ))
                .on_conflict((spending::account_id, spending::month))
                .do_update()
                .set((
                    spending::reserved.eq(spending::reserved + excluded(spending::reserved)),
                    spending::spent.eq(spending::spent + excluded(spending::spent)),
                ))
                .execute(db)
                .map(drop)
        })
        .await
    }
}
