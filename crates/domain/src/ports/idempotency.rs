use super::storage::StorageError;
use crate::{idempotency::IdempotencyRecord, ids::AccountId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait IdempotencyRepository: Send {
    async fn find(
        &mut self,
        account: AccountId,
        key: &str,
    ) -> Result<Option<IdempotencyRecord>, StorageError>;
    /// Stores a record, replacing one of its key first used at `over` or before. `false` if the key
    /// has a later one, which stays.
    async fn store(
        &mut self,
        record: &IdempotencyRecord,
        over: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// Deletes the account's records first used before that time.
    async fn purge_before(
        &mut self,
        account: AccountId,
        time: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
