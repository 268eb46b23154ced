use super::paid_call_ledger::{LedgerEntry, PaidCallOutcome, RecordedAnswer};
use super::storage::StorageError;
use crate::ids::{AccountId, JobId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A paid call in an attempt of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaidCallKey {
    pub account: AccountId,
    pub job: JobId,
    pub epoch: i64,
    pub entry: LedgerEntry,
}

/// Stores paid calls for some days. The job stores their cost too, so deleting them loses nothing.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PaidCallRepository: Send {
    /// Records a call before it is made.
    async fn begin(
        &mut self,
        call: PaidCallKey,
        step: &str,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Records the outcome; `false` if it was recorded before.
    async fn end(
        &mut self,
        call: PaidCallKey,
        ended: &PaidCallOutcome,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// The supplier's answer to that step in any attempt of the job.
    async fn answer(
        &mut self,
        account: AccountId,
        job: JobId,
        step: &str,
    ) -> Result<Option<RecordedAnswer>, StorageError>;
    /// Deletes up to `limit` calls begun before that time; returns how many.
    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
