//! How many retries all calls together may make: a bucket that every call fills a little.

use std::sync::{Mutex, PoisonError};

/// Keeps retries from multiplying the load on a supplier that is in trouble.
#[derive(Debug)]
pub(super) struct RetryBudget {
    tokens: Mutex<f64>,
    share: f64,
    reserve: f64,
}

impl RetryBudget {
    pub(super) fn new(share: f64, reserve: f64) -> Self {
        Self {
            tokens: Mutex::new(reserve),
            share,
            reserve,
        }
    }

    /// A call is made.
    pub(super) fn earn(&self) {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        *tokens = (*tokens + self.share).min(self.reserve);
    }

    /// Whether a retry may be made; it is then accounted for.
    pub(super) fn spend(&self) -> bool {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        // Ten tenths are one, also in binary.
        let enough = *tokens > 1.0 - 1e-9;
        if enough {
            *tokens -= 1.0;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_calls_earn_one_retry() {
        let budget = RetryBudget::new(0.1, 1.0);
        assert!(budget.spend());
        for _ in 0..9 {
            budget.earn();
        }
        assert!(!budget.spend());
        budget.earn();
        assert!(budget.spend() && !budget.spend());
    }
}
