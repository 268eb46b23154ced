//! Budget of a job: each call is charged at its maximum cost before it is made and corrected afterwards.
//!
//! The job's row stores the budget, so that it does not grow back when a worker dies: calls begun
//! but not ended stay charged.

use super::JobCost;
use crate::money::MicroUsd;

impl JobCost {
    /// Charges a call at its maximum cost; `None` if the budget is too small. Free calls always fit.
    #[must_use]
    pub fn with_call_begun(self, max_cost: MicroUsd) -> Option<Self> {
        let max_cost = max_cost.0.max(0);
        if max_cost > 0 && max_cost > self.reserved.0.saturating_sub(self.spent.0) {
            return None;
        }
        Some(Self {
            spent: MicroUsd(self.spent.0.saturating_add(max_cost)),
            calls: self.calls.saturating_add(1),
            ..self
        })
    }

    /// Corrects cost and calls to the actual ones. A cost above `max_cost` reduces the rest of the budget.
    #[must_use]
    pub fn with_call_ended(self, max_cost: MicroUsd, cost: MicroUsd, calls: u64) -> Self {
        let change = cost.0.max(0).saturating_sub(max_cost.0.max(0));
        Self {
            spent: MicroUsd(self.spent.0.saturating_add(change)),
            calls: self.calls.saturating_sub(1).saturating_add(calls),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn job_cost(reserved: i64, spent: i64) -> JobCost {
        JobCost {
            reserved: MicroUsd(reserved),
            spent: MicroUsd(spent),
            calls: 0,
        }
    }

    #[test]
    fn a_reserved_cost_that_was_not_billed_is_free_again() {
        let (seventy, sixty) = (MicroUsd(70), MicroUsd(60));
        let begun = job_cost(100, 30)
            .with_call_begun(seventy)
            .expect("it is left");
        assert_eq!(begun.with_call_begun(MicroUsd(1)), None);
        let free = begun
            .with_call_begun(MicroUsd(0))
            .expect("it costs nothing");
        assert_eq!((free.spent, free.calls), (begun.spent, 2));
        let ended = begun.with_call_ended(seventy, MicroUsd(10), 1);
        assert_eq!((ended.spent, ended.calls), (MicroUsd(40), 1));
        assert_eq!(ended.with_call_begun(MicroUsd(61)), None);
        // A call that was never ended stays charged.
        let lost = ended.with_call_begun(sixty).expect("it is left");
        assert_eq!(
            (lost.spent, lost.with_call_begun(MicroUsd(1))),
            (MicroUsd(100), None)
        );
    }

    #[test]
    fn an_overcharged_call_reduces_what_is_left() {
        let begun = job_cost(100, 0)
            .with_call_begun(MicroUsd(60))
            .expect("all is left");
        let ended = begun.with_call_ended(MicroUsd(60), MicroUsd(150), 1);
        assert_eq!(ended.spent, MicroUsd(150));
        assert_eq!(ended.with_call_begun(MicroUsd(1)), None);
    }

    proptest! {
        /// If each call costs at most its maximum, the cap is never exceeded, in whatever order
        /// calls begin, end and are lost (promise P20).
        #[test]
        fn calls_never_spend_more_than_the_cap(
            cap in 0_i64..5_000,
            calls in prop::collection::vec((1_i64..400, 0_i64..400, 0_u8..3), 64),
        ) {
            let (mut cost, mut billed) = (job_cost(cap, 0), 0);
            let mut under_way: Vec<(MicroUsd, MicroUsd)> = Vec::new();
            for (max_cost, price, fate) in calls {
                let (max_cost, price) = (MicroUsd(max_cost), MicroUsd(price.min(max_cost)));
                if let Some(begun) = cost.with_call_begun(max_cost) {
                    cost = begun;
                    billed += price.0;
                    under_way.push((max_cost, price));
                }
                match fate {
                    0 => if let Some((max_cost, price)) = under_way.pop() {
                        cost = cost.with_call_ended(max_cost, price, 1);
                    },
                    1 => under_way.clear(),
                    _ => {}
                }
                prop_assert!(billed <= cost.spent.0 && cost.spent.0 <= cap, "{billed} {cost:?}");
            }
        }
    }
}
