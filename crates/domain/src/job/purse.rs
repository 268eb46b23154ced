//! What a job may still spend: held before each search, settled after it, never passed.

use crate::money::MicroUsd;
use std::sync::{Arc, Mutex, PoisonError};

/// The amount that was set aside for a job. Searches that run at the same time share it.
#[derive(Debug)]
pub struct Purse {
    cap: i64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    spent: i64,
    /// What searches under way may still cost.
    held: i64,
}

/// What a search under way may cost. Unless it is settled, all of it counts as spent: nobody knows
/// what became of a search that was given up.
#[derive(Debug)]
#[must_use]
pub struct Held {
    purse: Arc<Purse>,
    amount: i64,
    cost: i64,
}

impl Purse {
    /// So much may be spent in all, of which that much is spent already.
    #[must_use]
    pub fn new(cap: MicroUsd, spent: MicroUsd) -> Arc<Self> {
        let state = State {
            spent: spent.0.max(0),
            held: 0,
        };
        Arc::new(Self {
            cap: cap.0.max(0),
            state: Mutex::new(state),
        })
    }

    /// Holds what a search can cost at the most; `None` when so much is not left. What costs
    /// nothing always fits.
    pub fn hold(self: &Arc<Self>, most: MicroUsd) -> Option<Held> {
        let amount = most.0.max(0);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let committed = state.spent.saturating_add(state.held);
        if amount > 0 && amount > self.cap.saturating_sub(committed) {
            return None;
        }
        state.held = state.held.saturating_add(amount);
        Some(Held {
            purse: Arc::clone(self),
            amount,
            cost: amount,
        })
    }

    /// What was spent.
    #[must_use]
    pub fn spent(&self) -> MicroUsd {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        MicroUsd(state.spent)
    }
}

impl Held {
    /// The search is over and cost so much. A supplier that bills more than it may leaves less for
    /// the others.
    pub fn settle(mut self, cost: MicroUsd) {
        self.cost = cost.0.max(0);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self
            .purse
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        state.held -= self.amount;
        state.spent = state.spent.saturating_add(self.cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::{
        sync::atomic::{AtomicI64, Ordering},
        thread,
    };

    #[test]
    fn what_was_held_and_not_used_can_be_held_again() {
        let purse = Purse::new(MicroUsd(100), MicroUsd(30));
        let held = purse.hold(MicroUsd(70)).expect("it is left");
        assert!(purse.hold(MicroUsd(1)).is_none());
        assert!(purse.hold(MicroUsd(0)).is_some());
        held.settle(MicroUsd(10));
        assert_eq!(purse.spent(), MicroUsd(40));
        assert!(purse.hold(MicroUsd(61)).is_none());
        // Given up: nobody knows what it cost.
        drop(purse.hold(MicroUsd(60)));
        assert_eq!(purse.spent(), MicroUsd(100));
        assert!(purse.hold(MicroUsd(1)).is_none());
    }

    #[test]
    fn a_supplier_that_bills_more_than_it_may_leaves_less_for_the_rest() {
        let purse = Purse::new(MicroUsd(100), MicroUsd(0));
        purse
            .hold(MicroUsd(60))
            .expect("all is left")
            .settle(MicroUsd(150));
        assert_eq!(purse.spent(), MicroUsd(150));
        assert!(purse.hold(MicroUsd(1)).is_none());
    }

    proptest! {
        /// Searches that each cost at most what was held for them never pass the cap, not by one
        /// unit, whichever of them are given up in the middle (promise P20).
        #[test]
        fn sixty_four_at_once_never_pass_the_cap(
            cap in 0_i64..5_000,
            prices in prop::collection::vec((1_i64..400, 0_i64..400, any::<bool>()), 64),
        ) {
            let purse = Purse::new(MicroUsd(cap), MicroUsd(0));
            let billed = AtomicI64::new(0);
            thread::scope(|scope| {
                for (most, cost, is_given_up) in prices {
                    let (purse, billed) = (&purse, &billed);
                    scope.spawn(move || {
                        let Some(held) = purse.hold(MicroUsd(most)) else {
                            return;
                        };
                        let cost = cost.min(most);
                        let sum = billed.fetch_add(cost, Ordering::SeqCst) + cost;
                        assert!(sum <= cap, "{sum} of {cap}");
                        thread::yield_now();
                        if is_given_up {
                            drop(held);
                        } else {
                            held.settle(MicroUsd(cost));
                        }
                    });
                }
            });
            let billed = billed.into_inner();
            prop_assert!(billed <= purse.spent().0 && purse.spent().0 <= cap);
        }
    }
}
