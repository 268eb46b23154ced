use super::stored::row;
use crate::schema::idempotency_records;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::idempotency::{Fingerprint, IdempotencyRecord, StoredResponse};
use domain::ids::{AccountId, CallerId};

row! {
    struct RecordRow(idempotency_records, key (account_id, idempotency_key)) {
        account_id: AccountId,
        idempotency_key: String,
        fingerprint: [u8; 32],
        token_id: CallerId,
        status: u16,
        location: Option<String>,
        body: String,
        first_used_at: DateTime<Utc>,
        etag: Option<String>,
    }
    IdempotencyRecord {
        account: account_id,
        key: idempotency_key,
        fingerprint: Fingerprint(fingerprint),
        caller: token_id,
        response: StoredResponse { status, location, etag, body },
        first_used_at,
    }
}
