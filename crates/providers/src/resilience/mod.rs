//! Resilience around every call to a supplier: timeout, retry budget, pacing, an adaptive bulkhead and a breaker. It
//! guards single calls, not whole searches: if page seven of ten fails, the first six must not be bought again.

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
pub use refusals::{CallTarget, refusals};
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
    /// It did not reach the supplier, or the supplier reported that it did nothing.
    Safe,
    /// It was sent; whether it was executed and billed is unknown.
    Uncertain,
    /// It failed and was billed, in millionths of a US dollar.
    Billed(u64),
    /// The same call would fail again, at no cost.
    Pointless,
    /// The breaker rejected it.
    NotMade,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Billing {
    PerCall,
    Free,
}

impl CallFailure {
    pub(crate) fn malformed(reason: &str) -> Self {
        let error = ProviderError::Malformed {
            problem: reason.to_owned(),
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
