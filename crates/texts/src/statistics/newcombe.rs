//! Newcombe's hybrid score interval of a difference of proportions ("Interval estimation for the difference between
//! independent proportions", 1998, method 10).

use super::normal::two_sided_p;
use super::wilson;
use super::wilson::{Interval, Z};

/// 95 % interval of first less second; `None` without trials. Significant if it excludes 0.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn newcombe(first: (u64, u64), second: (u64, u64)) -> Option<Interval> {
    let rate = |(successes, trials): (u64, u64)| {
        let n = trials as f64;
        (trials > 0).then(|| (successes.min(trials) as f64 / n, n))
    };
    Some(interval_of_rates(rate(first)?, rate(second)?, Z))
}

/// (Rate, trials) of both; `z` is the normal score.
pub(super) fn interval_of_rates(first: (f64, f64), second: (f64, f64), z: f64) -> Interval {
    let ((p1, n1), (p2, n2)) = (first, second);
    let (one, other) = (
        wilson::interval_of_rate(p1, n1, z),
        wilson::interval_of_rate(p2, n2, z),
    );
    let difference = p1 - p2;
    Interval {
        low: (difference - (p1 - one.low).hypot(other.high - p2)).max(-1.0),
        high: (difference + (one.high - p1).hypot(p2 - other.low)).min(1.0),
    }
}

/// The significance level at which the interval touches 0; below 0.05 if and only if [`newcombe`] excludes 0.
pub(super) fn p_value(first: (f64, f64), second: (f64, f64)) -> f64 {
    let (above, below) = if first.0 >= second.0 {
        (first, second)
    } else {
        (second, first)
    };
    if above.0 <= below.0 {
        return 1.0;
    }
    // The interval grows with z, so bisection finds where it reaches 0.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if interval_of_rates(above, below, middle).low > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    two_sided_p(low)
}

impl Interval {
    pub fn excludes(&self, value: f64) -> bool {
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
        assert!(found.excludes(0.0));
        assert!(!newcombe((25, 100), (18, 100)).unwrap().excludes(0.0));
        assert_eq!(newcombe((1, 2), (0, 0)), None);
    }

    #[test]
    fn the_p_value_ranges_from_0_to_1() {
        assert!((p_value((0.4, 10.0), (0.4, 90.0)) - 1.0).abs() < 1e-12);
        assert!(p_value((1.0, 1e6), (0.0, 1e6)) < 1e-12);
    }

    proptest! {
        #[test]
        fn p_below_5_percent_iff_the_interval_excludes_0(
            n1 in 1_u32..300, n2 in 1_u32..300, k1 in 0_u32..300, k2 in 0_u32..300
        ) {
            let rate = |k: u32, n: u32| (f64::from(k.min(n)) / f64::from(n), f64::from(n));
            let (one, other) = (rate(k1, n1), rate(k2, n2));
            let p = p_value(one, other);
            prop_assert!((0.0..=1.0).contains(&p));
            prop_assert!((p - p_value(other, one)).abs() < 1e-12);
            let outside = interval_of_rates(one, other, Z).excludes(0.0);
            prop_assert!(outside == (p < 0.05) || (p - 0.05).abs() < 1e-6, "{p}");
        }

        #[test]
        fn the_interval_holds_the_difference_and_is_antisymmetric(
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
