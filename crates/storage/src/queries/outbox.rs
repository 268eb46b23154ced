use super::Db;
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::outbox::{DeliveryRow, SuppressionRow};
use crate::rows::stored::{Stored, values_of};
use crate::schema::{account_deliveries, deliveries, suppressions};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, dsl::exists, insert_into, prelude::*, select, update};
use domain::email::EmailAddress;
use domain::ids::{AccountId, DeliveryId, UserId};
use domain::mail::{Delivery, Purpose, Suppression, SuppressionReason};
use domain::ports::outbox::{DeliveryFilter, OutboxRepository};
use domain::ports::storage::StorageError;

due_directory!(account_deliveries of deliveries);

/// Messages of the account that this version knows; a newer one may store others.
macro_rules! known_deliveries {
    ($account:expr) => {
        rows_of!(deliveries, $account).filter(deliveries::purpose.eq_any(Purpose::NAMES))
    };
}

#[async_trait]
impl OutboxRepository for Session {
    async fn add(&mut self, delivery: &Delivery) -> Result<(), StorageError> {
        let (account, row) = (delivery.account, DeliveryRow::from(delivery));
        self.change(account, move |db| {
            changed(db, account, |db| {
                insert_into(deliveries::table).values(&row).execute(db)
            })
        })
        .await
        .map(drop)
    }

    async fn find(
        &mut self,
        account: AccountId,
        delivery: DeliveryId,
    ) -> Result<Option<Delivery>, StorageError> {
        self.fetch_optional(account, Delivery::try_from, move |db| {
            known_deliveries!(account)
                .filter(deliveries::id.eq(delivery.0))
                .select(DeliveryRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &DeliveryFilter,
    ) -> Result<Vec<Delivery>, StorageError> {
        let filter = filter.clone();
        self.fetch_all(account, Delivery::try_from, move |db| {
            let mut query = known_deliveries!(account)
                .order((deliveries::created_at.desc(), deliveries::id.desc()))
                .limit(filter.limit.into())
                .select(DeliveryRow::as_select())
                .into_boxed();
            if !filter.with_personal {
                query = query.filter(deliveries::person_id.is_null());
            }
            if let Some((at, id)) = filter.behind {
                let earlier = deliveries::created_at.lt(At(at));
                let same = deliveries::created_at
                    .eq(At(at))
                    .and(deliveries::id.lt(id.0));
                query = query.filter(earlier.or(same));
            }
            query.load(db)
        })
        .await
    }

    async fn of_targets(
        &mut self,
        account: AccountId,
        targets: &[i64],
    ) -> Result<Vec<Delivery>, StorageError> {
        let targets = targets.to_vec();
        self.fetch_all(account, Delivery::try_from, move |db| {
            known_deliveries!(account)
                .filter(deliveries::link_target.eq_any(&targets))
                .order((deliveries::created_at, deliveries::id))
                .select(DeliveryRow::as_select())
                .load(db)
        })
        .await
    }

    async fn was_notified(
        &mut self,
        account: AccountId,
        person: UserId,
        purpose: Purpose,
        after: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        self.fetch(account, move |db| {
            let same = rows_of!(deliveries, account)
                .filter(deliveries::person_id.eq(person.0))
                .filter(deliveries::purpose.eq(purpose.name()))
                .filter(deliveries::created_at.gt(At(after)));
            select(exists(same.select(deliveries::id))).get_result(db)
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
    ) -> Result<Vec<Delivery>, StorageError> {
        self.fetch_all(account, Delivery::try_from, move |db| {
            known_deliveries!(account)
                .filter(deliveries::next_at.le(At(now)))
                .order((deliveries::next_at, deliveries::id))
                .limit(limit.into())
                .select(DeliveryRow::as_select())
                .load(db)
        })
        .await
    }

    async fn advance(&mut self, before: &Delivery, after: &Delivery) -> Result<bool, StorageError> {
        let account = before.account;
        let (expected, row) = (DeliveryRow::from(before), DeliveryRow::from(after));
        let moved = self.change(account, move |db| {
            let there = deliveries::table
                .filter(deliveries::account_id.eq(expected.account_id))
                .filter(deliveries::id.eq(expected.id))
                .filter(deliveries::state.eq(&expected.state))
                .filter(deliveries::attempt.eq(expected.attempt))
                .filter(
                    deliveries::handed_over_at
                        .is_null()
                        .eq(expected.handed_over_at.is_none()),
                );
            changed(db, account, |db| {
                update(there)
                    .set(values_of!(
                        row, deliveries: state, next_at, attempt, handed_over_at, ended_at, reply
                    ))
                    .execute(db)
            })
        });
        Ok(moved.await? == 1)
    }

    async fn handed_over_since(
        &mut self,
        account: AccountId,
        since: DateTime<Utc>,
        recipient: Option<EmailAddress>,
    ) -> Result<u64, StorageError> {
        let recipient = recipient.map(|it| it.to_string());
        let count: i64 = self
            .fetch(account, move |db| {
                let mut query = rows_of!(deliveries, account)
                    .filter(deliveries::handed_over_at.ge(At(since)))
                    .count()
                    .into_boxed();
                if let Some(recipient) = &recipient {
                    query = query.filter(deliveries::recipient.eq(recipient));
                }
                query.get_result(db)
            })
            .await?;
        u64::read(count, "number of deliveries")
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let purged = self.change(account, move |db| {
            let old = rows_of!(deliveries, account)
                .filter(deliveries::created_at.lt(At(before)))
                .filter(deliveries::next_at.is_null());
            delete(old).execute(db)
        });
        Ok(purged.await? as u64)
    }

    async fn suppressions(&mut self, account: AccountId) -> Result<Vec<Suppression>, StorageError> {
        self.fetch_all(account, Suppression::try_from, move |db| {
            rows_of!(suppressions, account)
                .order((suppressions::recipient, suppressions::reason))
                .select(SuppressionRow::as_select())
                .load(db)
        })
        .await
    }

    async fn suppressions_of(
        &mut self,
        account: AccountId,
        recipient: &EmailAddress,
    ) -> Result<Vec<SuppressionReason>, StorageError> {
        let recipient = recipient.to_string();
        let read = |it: String| SuppressionReason::read(it, "reason of a suppression");
        self.fetch_all(account, read, move |db| {
            rows_of!(suppressions, account)
                .filter(suppressions::recipient.eq(&recipient))
                .order(suppressions::reason)
                .select(suppressions::reason)
                .load(db)
        })
        .await
    }

    async fn suppress(&mut self, suppression: &Suppression) -> Result<(), StorageError> {
        let row = SuppressionRow::from(suppression);
        self.change(suppression.account, move |db| {
            insert_into(suppressions::table)
                .values(&row)
                .on_conflict_do_nothing()
                .execute(db)
        })
        .await
        .map(drop)
    }

    async fn lift(
        &mut self,
        account: AccountId,
        recipient: &EmailAddress,
        reason: SuppressionReason,
    ) -> Result<bool, StorageError> {
        let recipient = recipient.to_string();
        let lifted = self.change(account, move |db| {
            let these = suppressions::table
                .filter(suppressions::account_id.eq(account.0))
                .filter(suppressions::recipient.eq(&recipient))
                .filter(suppressions::reason.eq(reason.name()));
            delete(these).execute(db)
        });
        Ok(lifted.await? == 1)
    }
}
