//! Write-ahead ledger of calls that cost money.

use super::search_results::ProviderError;
use crate::money::MicroUsd;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidCall {
    /// Identifies supplier and request: equal requests have equal steps in every attempt of a job.
    pub step: String,
    /// Maximum cost.
    pub max_cost: MicroUsd,
}

/// A recorded call that may be made once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Number of the call within its attempt, from 1.
    pub number: i64,
    /// Maximum cost, counted as spent in advance.
    pub max_cost: MicroUsd,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaidCallStart {
    Proceed(LedgerEntry),
    /// An earlier attempt made the call.
    AlreadyAnswered(RecordedAnswer),
}

/// A supplier's answer to an earlier attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedAnswer {
    pub body: Vec<u8>,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaidCallOutcome {
    /// Requests sent: more than one if earlier ones were certainly not billed, 0 if the breaker was open.
    pub calls: u64,
    pub cost: MicroUsd,
    /// The supplier's answer without secrets, if it is valid.
    pub answer: Option<Vec<u8>>,
}

/// Ledger of paid calls. A call that was begun but not ended counts at its maximum cost, because
/// its outcome is unknown.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PaidCallLedger: Send + Sync {
    /// Records a call, unless its answer is stored, and outcomes that could not be saved earlier.
    /// On an error, the call must not be made.
    async fn begin(&self, call: &PaidCall) -> Result<PaidCallStart, ProviderError>;
    /// Records the outcome. If that fails, the call counts at its maximum cost until the next call begins.
    async fn end(&self, ticket: LedgerEntry, ended: PaidCallOutcome) -> Result<(), ProviderError>;
}

/// Refuses every paid call.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPaidCalls;

#[async_trait]
impl PaidCallLedger for NoPaidCalls {
    async fn begin(&self, _: &PaidCall) -> Result<PaidCallStart, ProviderError> {
        Err(ProviderError::JobBudgetReached)
    }

    async fn end(&self, _: LedgerEntry, _: PaidCallOutcome) -> Result<(), ProviderError> {
        Ok(())
    }
}
