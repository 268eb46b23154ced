use super::storage::StorageError;
use crate::event::{EventFilter, LoggedEvent, NewEvent};
use crate::ids::AccountId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores what happened in accounts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait EventRepository: Send {
    /// Adds events in their order, in the transaction of their cause; omits those with a deduplication key that exists.
    /// Until the transaction ends, others that add events of the account wait: sequence numbers become visible in
    /// their order, so that a reader who continues after the last one misses none.
    async fn append(&mut self, account: AccountId, events: &[NewEvent])
    -> Result<(), StorageError>;
    async fn list(
        &mut self,
        account: AccountId,
        filter: &EventFilter,
        limit: u32,
    ) -> Result<Vec<LoggedEvent>, StorageError>;
    /// Deletes up to `limit` of the account's events before the given time; returns how many.
    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
