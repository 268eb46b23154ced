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
    pub most: MicroUsd,
}

/// A recorded call that may be made once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// Number of the call within its attempt, from 1.
    pub number: i64,
    /// Maximum cost, counted as spent in advance.
    pub most: MicroUsd,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    Now(Ticket),
    /// An earlier attempt made the call.
    Before(Answered),
}

/// A supplier's answer to an earlier attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub body: Vec<u8>,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ended {
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
pub trait CallJournal: Send + Sync {
    /// Records a call, unless its answer is stored, and outcomes that could not be saved earlier.
    /// On an error, the call must not be made.
    async fn begin(&self, call: &PaidCall) -> Result<Begun, ProviderError>;
    /// Records the outcome. If that fails, the call counts at its maximum cost until the next call begins.
    async fn end(&self, ticket: Ticket, ended: Ended) -> Result<(), ProviderError>;
}

/// Refuses every paid call.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingToSpend;

#[async_trait]
impl CallJournal for NothingToSpend {
    async fn begin(&self, _: &PaidCall) -> Result<Begun, ProviderError> {
        Err(ProviderError::CapReached)
    }

    async fn end(&self, _: Ticket, _: Ended) -> Result<(), ProviderError> {
        Ok(())
    }
}
