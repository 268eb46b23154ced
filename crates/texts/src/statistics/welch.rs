//! Welch's t interval of a difference of means (Welch 1947; degrees of freedom by Satterthwaite 1946).

use super::describe::{mean, sample_standard_deviation};
use super::student_t::t_score;
use super::wilson::Interval;

/// 95 % interval of first less second; `None` below two values each. Values must be independent: weeks, not days.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub fn difference_of_means(first: &[f64], second: &[f64]) -> Option<Interval> {
    let (one, other) = (mean(first)?, mean(second)?);
    let part = |values: &[f64]| {
        let n = values.len() as f64;
        Some((sample_standard_deviation(values)?.powi(2) / n, n - 1.0))
    };
    let ((v1, d1), (v2, d2)) = (part(first)?, part(second)?);
    let difference = one - other;
    let variance = v1 + v2;
    // Both sides are constant: the interval has width 0.
    if variance <= 0.0 {
        return Some(Interval {
            low: difference,
            high: difference,
        });
    }
    let freedom = variance * variance / (v1 * v1 / d1 + v2 * v2 / d2);
    let half = t_score(freedom) * variance.sqrt();
    Some(Interval {
        low: difference - half,
        high: difference + half,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// scipy 1.17.1 `stats.ttest_ind(a, b, equal_var=False).confidence_interval()`.
    #[test]
    fn the_interval_is_that_of_scipy() {
        let before = [8.0, 9.5, 8.5, 9.0];
        let after = [5.0, 4.0, 4.5, 3.0, 4.0];
        let found = difference_of_means(&before, &after).unwrap();
        assert!((found.low - GOLDEN.0).abs() < 1e-6, "{found:?}");
        assert!((found.high - GOLDEN.1).abs() < 1e-6, "{found:?}");
        assert_eq!(difference_of_means(&[1.0], &after), None);
    }

    const GOLDEN: (f64, f64) = (3.552_661_221_119_006, 5.747_338_778_880_994);

    proptest! {
        #[test]
        fn the_interval_is_centered_and_shifts_with_its_values(
            one in proptest::collection::vec(-50.0_f64..50.0, 2..12),
            other in proptest::collection::vec(-50.0_f64..50.0, 2..12), shift in -10.0_f64..10.0
        ) {
            let found = difference_of_means(&one, &other).unwrap();
            let difference = mean(&one).unwrap() - mean(&other).unwrap();
            prop_assert!((f64::midpoint(found.low, found.high) - difference).abs() < 1e-6);
            let moved: Vec<f64> = one.iter().map(|it| it + shift).collect();
            let again = difference_of_means(&moved, &other).unwrap();
            prop_assert!((again.low - found.low - shift).abs() < 1e-6 * (1.0 + found.low.abs()));
        }
    }
}
