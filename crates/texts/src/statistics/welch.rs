//! Welch's t interval of a difference of means (Welch 1947; degrees of freedom by Satterthwaite 1946).

use super::describe::{mean, sample_standard_deviation};
use super::wilson::Interval;
use std::f64::consts::FRAC_PI_2;

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

/// The 97.5 % quantile of Student's t. With t = √ν·cot φ its density is that of sin^(ν−1) φ; of the area from 0 to π/2
/// (one side) it cuts off 5 %.
pub(super) fn t_score(freedom: f64) -> f64 {
    let freedom = freedom.max(1.0);
    let whole = area(freedom, FRAC_PI_2);
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if area(freedom, middle) < 0.05 * whole {
            low = middle;
        } else {
            high = middle;
        }
    }
    freedom.sqrt() / high.tan()
}

/// ∫ sin^(ν−1) φ dφ from 0 to an angle by Simpson's rule, with φ = s³ so that the integrand is smooth at 0
/// for fractional ν.
fn area(freedom: f64, angle: f64) -> f64 {
    const STEPS: u32 = 1_000;
    let step = angle.cbrt() / f64::from(STEPS);
    let at = |index: u32| {
        let s = f64::from(index) * step;
        s.powi(3).sin().max(0.0).powf(freedom - 1.0) * 3.0 * s * s
    };
    let inner: f64 = (1..STEPS)
        .map(|index| if index % 2 == 1 { 4.0 } else { 2.0 } * at(index))
        .sum();
    (at(0) + inner + at(STEPS)) * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// scipy 1.17.1 `stats.t.ppf(0.975, freedom)`.
    #[test]
    fn points_of_students_t_are_those_of_scipy() {
        for (freedom, score) in [
            (1.0, 12.706_204_736_174_698),
            (1.3, 7.500_529_325_562),
            (2.0, 4.302_652_729_749_464),
            (3.0, 3.182_446_305_284_263),
            (5.5, 2.501_858_617_589_239),
            (30.0, 2.042_272_456_301_237),
        ] {
            let found = t_score(freedom);
            assert!((found / score - 1.0).abs() < 1e-7, "{freedom}: {found}");
        }
    }

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
