use super::storage::StorageError;
use crate::throttle::{Throttle, ThrottleKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Remembers how often was guessed. It belongs to no account: guesses are counted before anybody
/// knows whether there is one.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ThrottleRepository: Send {
    /// Locked until the transaction ends. A new key begins with no guesses at `now`.
    async fn lock(
        &mut self,
        key: ThrottleKey,
        now: DateTime<Utc>,
    ) -> Result<Throttle, StorageError>;
    async fn save(&mut self, key: ThrottleKey, throttle: Throttle) -> Result<(), StorageError>;
    async fn forget(&mut self, key: ThrottleKey) -> Result<(), StorageError>;
    /// Forgets up to `most` keys whose last guess was made before that moment.
    async fn forget_before(&mut self, time: DateTime<Utc>, most: u32) -> Result<u64, StorageError>;
}
