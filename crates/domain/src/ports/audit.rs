use super::storage::StorageError;
use crate::audit::{AuditAction, AuditEvent};
use crate::ids::AccountId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AuditRepository: Send {
    /// Adds an event, in the transaction of what it tells about.
    async fn record(&mut self, event: &AuditEvent) -> Result<(), StorageError>;
    /// Adds events of one account, likewise.
    async fn record_all(&mut self, events: &[AuditEvent]) -> Result<(), StorageError>;
    /// The account's newest events of these kinds that are older than that moment, newest first.
    async fn newest_of(
        &mut self,
        account: AccountId,
        actions: &[AuditAction],
        before: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<AuditEvent>, StorageError>;
    /// The account's newest events, newest first.
    async fn newest(
        &mut self,
        account: AccountId,
        most: u32,
    ) -> Result<Vec<AuditEvent>, StorageError>;
    /// When the newest event behind the account's `kept` newest ones was; `None` when there are no more.
    async fn at_behind(
        &mut self,
        account: AccountId,
        kept: u32,
    ) -> Result<Option<DateTime<Utc>>, StorageError>;
    /// Removes up to `most` of the account's events from before that moment; says how many.
    async fn forget_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        most: u32,
    ) -> Result<u64, StorageError>;
}
