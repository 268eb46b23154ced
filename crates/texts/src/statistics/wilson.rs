/// 97.5 % quantile of the normal distribution.
pub(super) const Z: f64 = 1.959_964;

/// A 95 % interval unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// 95 % interval; `None` without trials. Successes are capped at the trials.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn wilson(successes: u64, trials: u64) -> Option<Interval> {
    let n = trials as f64;
    (trials > 0).then(|| interval_of_rate(successes.min(trials) as f64 / n, n, Z))
}

/// `trials` may be fractional, for a mean of rates ([`super::panel_rate`]); `z` is the normal score.
pub(super) fn interval_of_rate(rate: f64, trials: f64, z: f64) -> Interval {
    let scale = 1.0 + z * z / trials;
    let centre = (rate + z * z / (2.0 * trials)) / scale;
    let half = z * (rate * (1.0 - rate) / trials + z * z / (4.0 * trials * trials)).sqrt() / scale;
    Interval {
        low: (centre - half).max(0.0),
        high: (centre + half).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `statsmodels.stats.proportion.proportion_confint(method="wilson")`, statsmodels 0.15.0;
    /// `tests/oracles/statistics_oracle.py` prints them.
    #[test]
    fn intervals_are_those_of_statsmodels() {
        let golden = [
            (0, 5, 0.0, 0.434_482),
            (3, 10, 0.107_791, 0.603_222),
            (0, 10, 0.0, 0.277_533),
            (10, 20, 0.299_298, 0.700_702),
            (50, 100, 0.403_832, 0.596_168),
            (7, 9, 0.452_589, 0.936_775),
        ];
        for (successes, trials, low, high) in golden {
            let interval = wilson(successes, trials).unwrap();
            assert!(
                (interval.low - low).abs() < 2e-6,
                "{successes}/{trials}: {interval:?}"
            );
            assert!(
                (interval.high - high).abs() < 2e-6,
                "{successes}/{trials}: {interval:?}"
            );
        }
    }

    #[test]
    fn no_trials_have_no_interval() {
        assert_eq!(wilson(0, 0), None);
    }

    proptest! {
        #[test]
        fn the_rate_lies_in_its_interval(trials in 1_u64..10_000, share in 0.0_f64..=1.0) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "small")]
            let successes = (trials as f64 * share) as u64;
            let interval = wilson(successes, trials).unwrap();
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let rate = successes as f64 / trials as f64;
            prop_assert!(0.0 <= interval.low && interval.low <= rate + 1e-12);
            prop_assert!(rate <= interval.high + 1e-12 && interval.high <= 1.0);
        }
    }
}
