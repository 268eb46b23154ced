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
    /// Keeps a record, in the place of one of its key that was first used at `over` or before. `false`, and nothing is
    /// kept, when the key has a later one.
    async fn keep(
        &mut self,
        record: &IdempotencyRecord,
        over: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// Forgets the account's records that were first used before that time.
    async fn forget_before(
        &mut self,
        account: AccountId,
        time: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
