//! Calls that cost money are written down before they are made.

use super::search_results::ProviderError;
use crate::money::MicroUsd;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidCall {
    /// What it asks whom: equal for calls that would bring the same, in every attempt of a job.
    pub step: String,
    /// What it can cost at the most.
    pub most: MicroUsd,
}

/// A call that was written down and may be made, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// Which one it is in its attempt, from 1.
    pub number: i64,
    /// What was counted as spent for it.
    pub most: MicroUsd,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    Now(Ticket),
    /// An earlier attempt made it.
    Before(Answered),
}

/// What a supplier answered to an earlier attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub body: Vec<u8>,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ended {
    /// How often it was made: more than once where it was certain that nothing was billed, and
    /// never when the supplier was held back.
    pub calls: u64,
    pub cost: MicroUsd,
    /// The supplier's answer without secrets, where it was one.
    pub answer: Option<Vec<u8>>,
}

/// Remembers calls that cost money, from before they are made. What was begun and not ended counts
/// as spent at its most: nobody knows what became of it.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait CallJournal: Send + Sync {
    /// Writes a call down, unless it was answered before, and what became of earlier ones where that
    /// could not be written down yet. An error means: it must not be made.
    async fn begin(&self, call: &PaidCall) -> Result<Begun, ProviderError>;
    /// Writes down what became of it. When that fails, it goes on counting at its most until the next
    /// call begins.
    async fn end(&self, ticket: Ticket, ended: Ended) -> Result<(), ProviderError>;
}

/// For whoever has nothing to spend: no call that costs money is made.
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
