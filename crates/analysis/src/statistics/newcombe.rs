//! The interval of a difference between two proportions: Newcombe's hybrid score interval.
//! (Newcombe 1998, "Interval estimation for the difference between independent proportions", method 10.)

use super::wilson::{Interval, wilson};

/// Where the difference of two true rates (first less second) lies with 95 % confidence; `None`
/// when one of them has no trials. It is significant when the interval leaves out 0.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn newcombe(first: (u64, u64), second: (u64, u64)) -> Option<Interval> {
    let (one, other) = (wilson(first.0, first.1)?, wilson(second.0, second.1)?);
    let rate = |(successes, trials): (u64, u64)| successes.min(trials) as f64 / trials as f64;
    let (p1, p2) = (rate(first), rate(second));
    let difference = p1 - p2;
    Some(Interval {
        low: (difference - (p1 - one.low).hypot(other.high - p2)).max(-1.0),
        high: (difference + (one.high - p1).hypot(p2 - other.low)).min(1.0),
    })
}

impl Interval {
    /// Whether the value lies outside.
    #[must_use]
    pub fn leaves_out(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `statsmodels` 0.15.0, `confint_proportions_2indep(method="newcomb", compare="diff")`;
    /// `tests/oracles/search_intelligence.py` compares some thousand more.
    #[test]
    fn the_published_example_is_significant() {
        let found = newcombe((30, 100), (18, 100)).unwrap();
        assert!((found.low - 0.001_334).abs() < 1e-6, "{found:?}");
        assert!((found.high - 0.234_698).abs() < 1e-6, "{found:?}");
        assert!(found.leaves_out(0.0));
        assert!(!newcombe((25, 100), (18, 100)).unwrap().leaves_out(0.0));
        assert_eq!(newcombe((1, 2), (0, 0)), None);
    }

    proptest! {
        #[test]
        fn the_difference_lies_inside_and_turns_its_sign_with_the_order(
            n1 in 1_u64..5000, n2 in 1_u64..5000, k1 in 0_u64..5000, k2 in 0_u64..5000
        ) {
            let (one, other) = ((k1.min(n1), n1), (k2.min(n2), n2));
            let there = newcombe(one, other).unwrap();
            let back = newcombe(other, one).unwrap();
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let difference = one.0 as f64 / n1 as f64 - other.0 as f64 / n2 as f64;
            prop_assert!(there.low <= difference + 1e-12 && difference <= there.high + 1e-12);
            prop_assert!((there.low + back.high).abs() < 1e-12);
            prop_assert!((there.high + back.low).abs() < 1e-12);
        }
    }
}
