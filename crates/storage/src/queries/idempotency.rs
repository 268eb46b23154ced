use crate::executor::cached::cached;
use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::idempotency::RecordRow;
use crate::schema::idempotency_records;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, query_dsl::methods};
use domain::idempotency::IdempotencyRecord;
use domain::ids::AccountId;
use domain::ports::idempotency::IdempotencyRepository;
use domain::ports::storage::StorageError;

#[async_trait]
impl IdempotencyRepository for Session {
    async fn find(
        &mut self,
        account: AccountId,
        key: &str,
    ) -> Result<Option<IdempotencyRecord>, StorageError> {
        let key = key.to_owned();
        self.fetch_optional(account, IdempotencyRecord::try_from, move |db| {
            rows_of!(idempotency_records, account)
                .filter(idempotency_records::idempotency_key.eq(&key))
                .select(RecordRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn store(
        &mut self,
        record: &IdempotencyRecord,
        over: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let row = RecordRow::from(record);
        self.change(record.account, move |db| {
            let upsert = insert_into(idempotency_records::table)
                .values(&row)
                .on_conflict((
                    idempotency_records::account_id,
                    idempotency_records::idempotency_key,
                ))
                .do_update()
                .set(&row);
            let upsert =
                methods::FilterDsl::filter(upsert, idempotency_records::first_used_at.le(At(over)));
            Ok(cached(upsert).execute(db)? == 1)
        })
        .await
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        time: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let forgotten = self.change(account, move |db| {
            let old = rows_of!(idempotency_records, account)
                .filter(idempotency_records::first_used_at.lt(At(time)));
            cached(delete(old)).execute(db)
        });
        Ok(forgotten.await? as u64)
    }
}
