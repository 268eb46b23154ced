use super::storage::StorageError;
use crate::throttle::{Throttle, ThrottleKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Counts guesses. Belongs to no account: guesses are counted before it is known whether one exists.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ThrottleRepository: Send {
    /// Locks the counter until the transaction ends. A new key starts with no guesses at `now`.
    async fn lock(
        &mut self,
        key: ThrottleKey,
        now: DateTime<Utc>,
    ) -> Result<Throttle, StorageError>;
    async fn save(&mut self, key: ThrottleKey, throttle: Throttle) -> Result<(), StorageError>;
    async fn reset(&mut self, key: ThrottleKey) -> Result<(), StorageError>;
    /// Deletes up to `limit` keys with a last guess before that time.
    async fn purge_before(&mut self, time: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
