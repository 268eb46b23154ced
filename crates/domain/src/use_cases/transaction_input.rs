//! Input of a transaction. As a transaction may run more than once, it must not read clock or
//! randomness or make ids.

use super::Core;
use crate::audit::{AuditAction, AuditEvent, Author};
use crate::ids::{AccountId, AuditEventId, Ids, JobId};
use crate::ports::randomness::Randomness;
use crate::ports::storage::{AsStorageError, StorageError, Transaction};
use chrono::{DateTime, Utc};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Made for each attempt, so that a retry after an id collision uses another id.
pub(super) struct TransactionInput {
    /// Start of the attempt, before waiting for the write connection.
    pub now: DateTime<Utc>,
    pub ids: Ids,
    pub sends_mail: bool,
}

impl TransactionInput {
    /// An account's event, now; set `token` and `detail` separately.
    pub fn event(
        &mut self,
        account: AccountId,
        by: impl Into<Author>,
        action: AuditAction,
    ) -> AuditEvent {
        let id = AuditEventId::take(&mut self.ids);
        AuditEvent::new(id, account, self.now, by, action)
    }
}

impl Core {
    pub(super) fn transaction_input(&self) -> TransactionInput {
        TransactionInput {
            now: self.clock.now(),
            ids: self.mint.ids(),
            sends_mail: self.sends_mail(),
        }
    }

    /// A transaction with the current time.
    pub(super) async fn transaction_with_time<T, E, F, Fut>(&self, run: F) -> Result<T, E>
    where
        F: Fn(Box<dyn Transaction>, DateTime<Utc>) -> Fut + Send + Sync,
        Fut: Future<Output = Result<T, E>> + Send,
        T: Send,
        E: AsStorageError + From<StorageError> + Send,
    {
        self.storage
            .transaction_with(|| self.clock.now(), run)
            .await
    }

    /// A transaction with the current time and ids.
    pub(super) async fn transaction_with_ids<T, E, F, Fut>(&self, run: F) -> Result<T, E>
    where
        F: Fn(Box<dyn Transaction>, TransactionInput) -> Fut + Send + Sync,
        Fut: Future<Output = Result<T, E>> + Send,
        T: Send,
        E: AsStorageError + From<StorageError> + Send,
    {
        self.storage
            .transaction_with(|| self.transaction_input(), run)
            .await
    }
}

/// Spreads the delays of jobs that are retried together.
#[derive(Clone, Copy)]
pub(super) struct Jitter(u64);

impl Jitter {
    pub fn draw(randomness: &dyn Randomness) -> Self {
        let mut bytes = [0; 8];
        randomness.fill(&mut bytes);
        Self(u64::from_le_bytes(bytes))
    }

    /// In 0..1.
    pub fn of(self, job: JobId) -> f64 {
        let mut hasher = DefaultHasher::new();
        (self.0, job).hash(&mut hasher);
        let [.., one, two, three, four] = hasher.finish().to_le_bytes();
        f64::from(u32::from_le_bytes([one, two, three, four])) / (f64::from(u32::MAX) + 1.0)
    }
}
