use super::storage::StorageError;
use crate::email::EmailAddress;
use crate::ids::{AccountId, DeliveryId, UserId};
use crate::mail::{Delivery, Purpose, Suppression, SuppressionReason};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Conditions on deliveries, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryFilter {
    /// Only what follows this delivery in a list.
    pub behind: Option<(DateTime<Utc>, DeliveryId)>,
    /// Whether messages about a person's login are listed too.
    pub with_personal: bool,
    pub limit: u32,
}

/// Stores mail until it is sent, and the addresses that nothing is sent to.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait OutboxRepository: Send {
    async fn add(&mut self, delivery: &Delivery) -> Result<(), StorageError>;
    async fn find(
        &mut self,
        account: AccountId,
        delivery: DeliveryId,
    ) -> Result<Option<Delivery>, StorageError>;
    async fn list(
        &mut self,
        account: AccountId,
        filter: &DeliveryFilter,
    ) -> Result<Vec<Delivery>, StorageError>;
    /// The deliveries for these targets of links, oldest first.
    async fn of_targets(
        &mut self,
        account: AccountId,
        targets: &[i64],
    ) -> Result<Vec<Delivery>, StorageError>;
    /// Whether a message about the person's login was queued for this purpose after that moment.
    async fn was_notified(
        &mut self,
        account: AccountId,
        person: UserId,
        purpose: Purpose,
        after: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// Accounts with due deliveries, longest waiting first.
    async fn accounts_due(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// The account's due deliveries, longest waiting first.
    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StorageError>;
    /// Replaces `before` with `after`; `false` if state, attempt or hand-over changed meanwhile.
    async fn advance(&mut self, before: &Delivery, after: &Delivery) -> Result<bool, StorageError>;
    /// Messages handed over since then, to that recipient or to all.
    async fn handed_over_since(
        &mut self,
        account: AccountId,
        since: DateTime<Utc>,
        recipient: Option<EmailAddress>,
    ) -> Result<u64, StorageError>;
    /// Deletes ended deliveries that were created before.
    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
    ) -> Result<u64, StorageError>;

    /// In order of recipients.
    async fn suppressions(&mut self, account: AccountId) -> Result<Vec<Suppression>, StorageError>;
    async fn suppressions_of(
        &mut self,
        account: AccountId,
        recipient: &EmailAddress,
    ) -> Result<Vec<SuppressionReason>, StorageError>;
    /// Keeps an earlier one for the same reason.
    async fn suppress(&mut self, suppression: &Suppression) -> Result<(), StorageError>;
    /// Returns whether there was one.
    async fn lift(
        &mut self,
        account: AccountId,
        recipient: &EmailAddress,
        reason: SuppressionReason,
    ) -> Result<bool, StorageError>;
}
