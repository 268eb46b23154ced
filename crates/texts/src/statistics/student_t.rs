//! Student's t distribution, for any number of degrees of freedom from 1 on.

use std::f64::consts::FRAC_PI_2;

/// P(t > statistic). Exact to five digits or more at any size: no small number is a difference of large ones.
pub fn upper_tail(statistic: f64, freedom: f64) -> f64 {
    let freedom = freedom.max(1.0);
    let angle = freedom.sqrt().atan2(statistic.abs());
    let tail = area(freedom, angle) / area(freedom, FRAC_PI_2) / 2.0;
    if statistic < 0.0 { 1.0 - tail } else { tail }
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

    /// scipy 1.17.1 `stats.t.sf(t, freedom)`; `tests/oracles/event_statistics.py` prints them.
    #[test]
    fn tails_are_those_of_scipy() {
        for (statistic, freedom, tail) in TAILS {
            let found = upper_tail(statistic, freedom);
            assert!(
                (found / tail - 1.0).abs() < 1e-5,
                "{statistic} {freedom}: {found}"
            );
        }
    }

    const TAILS: [(f64, f64, f64); 8] = [
        (0.0, 5.0, 0.5),
        (1.5, 5.0, 0.096_951_840_121_236_64),
        (-2.0, 3.5, 0.936_930_738_712_043_2),
        (6.0, 5.0, 0.000_923_069_144_797_007_2),
        (8.19, 5.0, 0.000_220_734_493_557_613_63),
        (30.0, 11.0, 3.333_465_610_682_525_3e-12),
        (12.5, 37.0, 3.766_567_326_015_940_5e-15),
        (2.0, 1.0, 0.147_583_617_650_433_26),
    ];

    proptest! {
        #[test]
        fn tails_fall_and_both_sum_to_one(
            statistic in -40.0_f64..40.0, more in 0.001_f64..10.0, freedom in 1.0_f64..60.0
        ) {
            let tail = upper_tail(statistic, freedom);
            prop_assert!((0.0..=1.0).contains(&tail));
            prop_assert!(upper_tail(statistic + more, freedom) <= tail);
            prop_assert!((tail + upper_tail(-statistic, freedom) - 1.0).abs() < 1e-9);
        }
    }
}
