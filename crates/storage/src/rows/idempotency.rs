use super::passed;
use crate::{instant::At, schema::idempotency_records};
use diesel::prelude::*;
use domain::{
    idempotency::{Fingerprint, IdempotencyRecord, StoredAnswer},
    ids::{AccountId, CallerId},
    ports::storage::StorageError,
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = idempotency_records, treat_none_as_default_value = false)]
pub struct RecordRow {
    pub account_id: i64,
    pub idempotency_key: String,
    pub fingerprint: Vec<u8>,
    pub token_id: i64,
    pub status: i32,
    pub location: Option<String>,
    pub body: String,
    pub first_used_at: At,
    pub etag: Option<String>,
}

impl From<&IdempotencyRecord> for RecordRow {
    fn from(record: &IdempotencyRecord) -> Self {
        Self {
            account_id: record.account.0,
            idempotency_key: record.key.clone(),
            fingerprint: record.fingerprint.0.to_vec(),
            token_id: record.caller.0,
            status: record.answer.status.into(),
            location: record.answer.location.clone(),
            body: record.answer.body.clone(),
            first_used_at: record.first_used_at.into(),
            etag: record.answer.etag.clone(),
        }
    }
}

impl TryFrom<RecordRow> for IdempotencyRecord {
    type Error = StorageError;

    fn try_from(row: RecordRow) -> Result<Self, StorageError> {
        Ok(Self {
            account: AccountId(row.account_id),
            key: row.idempotency_key,
            fingerprint: Fingerprint(passed(row.fingerprint.try_into(), "fingerprint")?),
            caller: CallerId(row.token_id),
            answer: StoredAnswer {
                status: passed(row.status.try_into(), "status")?,
                location: row.location,
                etag: row.etag,
                body: row.body,
            },
            first_used_at: row.first_used_at.into(),
        })
    }
}
