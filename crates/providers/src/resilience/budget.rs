//! Retry budget: a token bucket that successes refill.
//!
//! It starts full, and the first successes repay that. So retries are at most a tenth of the calls, or the bucket's
//! size while there were few. Failures refill nothing, so a failing supplier gets no extra load.

use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub(super) struct RetryBudget {
    state: Mutex<State>,
    share: f64,
    reserve: f64,
}

#[derive(Debug)]
struct State {
    tokens: f64,
    /// Part of the initial tokens that successes have not repaid yet.
    owed: f64,
}

impl RetryBudget {
    pub(super) fn new(share: f64, reserve: f64) -> Self {
        let state = State {
            tokens: reserve,
            owed: reserve,
        };
        Self {
            state: Mutex::new(state),
            share,
            reserve,
        }
    }

    pub(super) fn earn(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.owed > 1e-9 {
            state.owed -= self.share;
        } else {
            state.tokens = (state.tokens + self.share).min(self.reserve);
        }
    }

    pub(super) fn spend(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Tolerates rounding: ten tenths count as one.
        let enough = state.tokens > 1.0 - 1e-9;
        if enough {
            state.tokens -= 1.0;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn succeed(budget: &RetryBudget, times: u32) {
        (0..times).for_each(|_| budget.earn());
    }

    #[test]
    fn ten_successes_earn_a_retry_after_repaying_the_reserve() {
        let budget = RetryBudget::new(0.1, 1.0);
        assert!(budget.spend());
        succeed(&budget, 19);
        assert!(!budget.spend());
        succeed(&budget, 1);
        assert!(budget.spend() && !budget.spend());
    }

    #[test]
    fn retries_never_exceed_a_tenth_or_the_reserve() {
        for failing in 1..=10_u32 {
            let budget = RetryBudget::new(0.1, 10.0);
            let mut retries = 0_u32;
            for call in 1..=1_000_u32 {
                let fails = call % 10 < failing;
                retries += u32::from(fails && budget.spend());
                if !fails {
                    budget.earn();
                }
                assert!(retries <= (call / 10).max(10), "{failing} {call} {retries}");
            }
        }
    }
}
