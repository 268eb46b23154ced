//! The sign test (Arbuthnott 1710; Dixon and Mood 1946, <https://doi.org/10.1080/01621459.1946.10501898>).

/// Probability of at least so many successes in independent trials with even chances: one-sided. 1 without trials.
pub fn sign_test(successes: u32, trials: u32) -> f64 {
    // Binomial coefficients times 2^-trials, by recurrence.
    let mut term = 0.5_f64.powi(i32::try_from(trials).unwrap_or(i32::MAX));
    let mut tail = 0.0;
    for count in 0..=trials {
        if count >= successes {
            tail += term;
        }
        term *= f64::from(trials - count) / f64::from(count + 1);
    }
    tail.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// scipy 1.17.1 `stats.binomtest(k, n, alternative="greater").pvalue`; `tests/oracles/event_statistics.py`.
    #[test]
    fn probabilities_are_those_of_scipy() {
        for (successes, trials, p) in [
            (7, 8, 0.035_156_25),
            (8, 8, 0.003_906_25),
            (0, 8, 1.0),
            (5, 8, 0.363_281_25),
            (20, 28, 0.017_849_069_088_697_433),
        ] {
            let found = sign_test(successes, trials);
            assert!((found - p).abs() < 1e-12, "{successes}/{trials}: {found}");
        }
        assert!((sign_test(0, 0) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_two_sides_overlap_in_one_term(trials in 1_u32..60, part in 0.0_f64..=1.0) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let successes = (f64::from(trials) * part) as u32;
            let (at_least, more) = (sign_test(successes, trials), sign_test(successes + 1, trials));
            let fewer = sign_test(trials - successes, trials);
            prop_assert!(at_least >= more);
            prop_assert!((more + fewer - 1.0).abs() < 1e-9);
        }
    }
}
