//! What stands around every call to a supplier: time-out, retries within a budget, pacing, a bulkhead that yields when
//! asked to slow down, and a breaker. It guards single calls rather than whole searches: a search of ten result pages
//! that fails on the seventh must not buy the first six again.

mod breaker;
mod budget;
mod bulkhead;
mod guard;
mod jitter;
mod pacer;
mod refusals;
mod retry_after;
mod settings;

pub(crate) use guard::{FailedCall, Guard};
pub use refusals::{Asked, refusals};
pub use retry_after::retry_after;
pub use settings::{BreakerSettings, ResilienceSettings};

use domain::ports::search_results::ProviderError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallFailure {
    pub error: ProviderError,
    pub repeat: Repeat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It did not reach the supplier, or the supplier said that it did nothing.
    Safe,
    /// It was sent; nobody knows whether it was done and billed.
    Uncertain,
    /// It was done in vain and billed, in millionths of a US dollar.
    Billed(u64),
    /// The same call would fail the same way, and costs nothing.
    Pointless,
    /// It was not made: the breaker held it back.
    NotMade,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Billing {
    PerCall,
    Free,
}

impl CallFailure {
    pub(crate) fn malformed(what: &str) -> Self {
        let error = ProviderError::Malformed {
            what: what.to_owned(),
        };
        Self {
            error,
            repeat: Repeat::Uncertain,
        }
    }

    pub(crate) const fn pointless(error: ProviderError) -> Self {
        Self {
            error,
            repeat: Repeat::Pointless,
        }
    }
}
