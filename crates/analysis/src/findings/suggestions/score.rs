//! Priorities: reach, impact, confidence and effort (RICE, Intercom 2016), in clicks.

use crate::statistics::describe::median;

/// Lower bound of τ.
const MIN_SCALE: f64 = 1.0;

/// reach · impact · confidence ÷ effort; 0 for effort 0, which no rule has.
pub fn value(reach: f64, impact: f64, confidence: f64, effort: f64) -> f64 {
    if effort <= 0.0 {
        return 0.0;
    }
    (reach * impact * confidence / effort).max(0.0)
}

/// τ: the median value of the account's open suggestions, at least 1.
pub fn scale(values: &[f64]) -> f64 {
    median(values).map_or(MIN_SCALE, |it| it.max(MIN_SCALE))
}

/// 100·(1 − exp(−value/τ)): 0 to 100, 63 for the median.
pub fn priority(value: f64, scale: f64) -> f64 {
    -100.0 * (-value / scale.max(MIN_SCALE)).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_median_value_scores_63() {
        let tau = scale(&[4.0, 100.0, 10.0]);
        assert!((tau - 10.0).abs() < 1e-12);
        // 1 − 1/e.
        assert!((priority(10.0, tau) - 63.212_055_882_855_77).abs() < 1e-9);
        assert!((value(200.0, 2.0, 0.5, 5.0) - 40.0).abs() < 1e-12);
        assert!((scale(&[]) - 1.0).abs() < 1e-12 && (scale(&[0.2]) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn value_grows_with_all_parts_but_effort(
            reach in 0.0_f64..1e6, impact in 0.25_f64..3.0, confidence in 0.1_f64..1.0,
            effort in 0.5_f64..8.0, scale in 0.0_f64..1e4, more in 1.0_f64..10.0
        ) {
            let score = |reach, impact, confidence, effort| {
                priority(value(reach, impact, confidence, effort), scale)
            };
            let here = score(reach, impact, confidence, effort);
            prop_assert!((0.0..=100.0).contains(&here));
            prop_assert!(score(reach * more, impact, confidence, effort) >= here);
            prop_assert!(score(reach, impact * more, confidence, effort) >= here);
            prop_assert!(score(reach, impact, confidence * more, effort) >= here);
            prop_assert!(score(reach, impact, confidence, effort * more) <= here);
        }

        #[test]
        fn larger_values_score_strictly_higher(
            value in 0.0_f64..1e3, more in 0.1_f64..1e2, scale in 1.0_f64..1e3
        ) {
            // From 36 τ on, the score is exactly 100 in floating point.
            prop_assume!((value + more) / scale < 30.0);
            prop_assert!(priority(value + more, scale) > priority(value, scale));
        }
    }
}
