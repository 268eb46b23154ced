use super::storage::StorageError;
use crate::audit::{AuditEvent, AuditFilter};
use crate::ids::AccountId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AuditRepository: Send {
    /// Adds an event, in the transaction of the change it records.
    async fn record(&mut self, event: &AuditEvent) -> Result<(), StorageError>;
    /// Adds events of one account, in the transaction of the change.
    async fn record_all(&mut self, events: &[AuditEvent]) -> Result<(), StorageError>;
    /// Events of the account, newest first.
    async fn list(
        &mut self,
        account: AccountId,
        filter: &AuditFilter,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError>;
    /// Time of the newest event beyond the account's `kept` newest; `None` if there is none.
    async fn cutoff_for_newest(
        &mut self,
        account: AccountId,
        kept: u32,
    ) -> Result<Option<DateTime<Utc>>, StorageError>;
    /// Deletes up to `limit` of the account's events before the given time; returns how many.
    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
