//! Finds out whether a request was executed before under its idempotency key.

use crate::{
    idempotency::{OnceOnly, Repeat, StoredAnswer},
    ids::AccountId,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
};
use chrono::{DateTime, Utc};
use std::sync::Arc;

pub struct LookUpRepeat {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet: execute.
    Nothing,
    /// This request: answer as then.
    Answered(StoredAnswer),
    Reused {
        first_used_at: DateTime<Utc>,
    },
}

impl LookUpRepeat {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    pub async fn run(&self, account: AccountId, request: &OnceOnly) -> Result<Found, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(record) = read.idempotency().find(account, &request.key).await? else {
            return Ok(Found::Nothing);
        };
        Ok(match record.judge(request.fingerprint, self.clock.now()) {
            Repeat::Expired => Found::Nothing,
            Repeat::Replay => Found::Answered(record.answer),
            Repeat::Reused => Found::Reused {
                first_used_at: record.first_used_at,
            },
        })
    }
}
