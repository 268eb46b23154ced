use super::call_journal::{Answered, Ended, Ticket};
use super::storage::StorageError;
use crate::ids::{AccountId, JobId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// The attempt of a job that makes a call, and which of its calls it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaidCallKey {
    pub account: AccountId,
    pub job: JobId,
    pub epoch: i64,
    pub ticket: Ticket,
}

/// Remembers calls that cost money, for some days. What they cost stands in their job as well, so
/// that nothing is lost when they are forgotten.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PaidCallRepository: Send {
    /// Writes down a call that is about to be made.
    async fn begin(
        &mut self,
        call: PaidCallKey,
        step: &str,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Writes down what became of it; whether that was not written down before.
    async fn end(
        &mut self,
        call: PaidCallKey,
        ended: &Ended,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// What the supplier answered to that step of the job, in whichever attempt.
    async fn answer(
        &mut self,
        account: AccountId,
        job: JobId,
        step: &str,
    ) -> Result<Option<Answered>, StorageError>;
    /// Forgets up to `limit` calls that were begun before that time; says how many.
    async fn forget(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
