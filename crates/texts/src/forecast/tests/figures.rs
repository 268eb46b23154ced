//! Comparison with reference implementations.

use super::{AIR_PASSENGERS, AIR_PASSENGERS_1960, close};
use crate::forecast::accuracy::{mean_absolute_error, scaled_interval_score, seasonal_step, smape};
use crate::forecast::change_points::levels;
use crate::forecast::methods::{
    Damped, Ses, Theta, ThetaKind, naive, naive_deviations, random_walk_with_drift, seasonal_naive,
};
use crate::forecast::season::{Season, SeasonKind, is_seasonal};
use crate::forecast::spread::{PastErrors, Spread};

/// Twelve months by a Theta model, seasonally adjusted.
fn theta(kind: ThetaKind) -> Vec<f64> {
    let season = Season::find(&AIR_PASSENGERS, 12, SeasonKind::Multiplicative).unwrap();
    let plain = season.adjust(&AIR_PASSENGERS);
    let mut points = Theta::fit(&plain, kind).unwrap().forecast(12);
    season.restore(&mut points, AIR_PASSENGERS.len());
    points
}

/// sMAPE and MASE (m = 12) of twelve months.
fn accuracy(points: &[f64]) -> (f64, f64) {
    let pairs: Vec<_> = AIR_PASSENGERS_1960
        .into_iter()
        .zip(points.iter().copied())
        .collect();
    let step = seasonal_step(&AIR_PASSENGERS, 12).unwrap();
    (
        smape(&pairs).unwrap(),
        mean_absolute_error(&pairs).unwrap() / step,
    )
}

/// Compares four points, sMAPE and MASE with `statsforecast` 2.1.1. `share` is the relative tolerance
/// of a point.
fn assert_golden(name: &str, points: &[f64], golden: [f64; 4], errors: (f64, f64), share: f64) {
    for (found, golden) in points.iter().zip(golden) {
        assert!(
            close(*found, golden, golden * share + 1e-6),
            "{name}: {found} {golden}"
        );
    }
    let (smape, mase) = accuracy(points);
    // Optimized methods may differ by 0.2 points.
    let tolerance = if share > 0.0 { 0.2 } else { 5.1e-4 };
    assert!(close(smape, errors.0, tolerance), "{name}: sMAPE {smape}");
    assert!(close(mase, errors.1, tolerance), "{name}: MASE {mase}");
}

#[test]
fn closed_form_methods_match_statsforecast() {
    let points = naive(&AIR_PASSENGERS, 12).unwrap();
    assert_golden("naive", &points, [405.0; 4], (16.121, 2.496), 0.0);
    let points = seasonal_naive(&AIR_PASSENGERS, 12, 12).unwrap();
    assert_golden(
        "seasonal naive",
        &points,
        [360.0, 342.0, 406.0, 396.0],
        (10.572, 1.571),
        0.0,
    );
    let points = random_walk_with_drift(&AIR_PASSENGERS, 12).unwrap();
    let golden = [
        407.236_641_221_374_04,
        409.473_282_442_748_1,
        411.709_923_664_122_13,
        413.946_564_885_496_2,
    ];
    assert_golden("drift", &points, golden, (13.814, 2.178), 0.0);
}

#[test]
fn optimized_methods_match_statsforecast() {
    let share = 1e-4;
    let ses = Ses::fit(&AIR_PASSENGERS).unwrap();
    let flat = [404.574_556_958_807_9; 4];
    assert_golden("ses", &[ses.level; 12], flat, (16.190, 2.505), share);
    let standard = [411.370, 402.275, 462.883, 444.675];
    let points = theta(ThetaKind::Standard);
    assert_golden("theta", &points, standard, (5.409, 0.864), share);
    let damped = [405.282, 405.568, 405.848, 406.123];
    let points = Damped::fit(&AIR_PASSENGERS, None).unwrap().forecast(12);
    assert_golden("damped", &points, damped, (15.836, 2.457), share);
}

/// Our search finds a lower sum of squared errors than that of `statsforecast`, so results differ slightly.
#[test]
fn theta_variants_match_statsforecast() {
    let golden = [
        (
            ThetaKind::Optimized,
            [412.712, 404.640, 466.811, 449.600],
            (3.931, 0.636),
        ),
        (
            ThetaKind::Dynamic,
            [411.366_521, 402.274_514, 462.889_584, 444.690_616],
            (5.408, 0.863),
        ),
        (
            ThetaKind::DynamicOptimized,
            [412.698, 404.639, 466.829, 449.643],
            (3.912, 0.633),
        ),
    ];
    for (kind, points, errors) in golden {
        assert_golden(&format!("{kind:?}"), &theta(kind), points, errors, 1e-3);
    }
}

/// The sums of squared errors of `statsmodels` 0.15 and `statsforecast` 2.1.1 are 128,310.673 and
/// 128,212.582.
#[test]
fn the_damped_trend_fits_as_well_as_references() {
    let damped = Damped::fit(&AIR_PASSENGERS, None).unwrap();
    assert!(damped.squared_errors < 128_212.582, "{damped:?}");
    assert!(close(damped.alpha, 0.9999, 1e-4) && close(damped.phi, 0.98, 1e-3));
}

/// 95 % intervals of the naive method: 343.59–466.41 and 318.15–491.85.
#[test]
fn naive_intervals_are_those_of_statsforecast() {
    let deviations = naive_deviations(&AIR_PASSENGERS, 2).unwrap();
    for (deviation, (low, high)) in deviations.iter().zip([(343.59, 466.41), (318.15, 491.85)]) {
        let half = Spread::normal(*deviation).half95;
        assert!(
            close(405.0 - half, low, 0.01) && close(405.0 + half, high, 0.01),
            "{half}"
        );
    }
}

/// `statsmodels.tsa.seasonal.seasonal_decompose`, statsmodels 0.15.0.
#[test]
fn seasons_are_those_of_statsmodels() {
    let additive = [
        -23.306_944,
        -32.786_111,
        2.138_889,
        -8.023_611,
        -4.898_611,
        32.930_556,
        58.468_056,
        56.701_389,
        15.626_389,
        -19.327_778,
        -50.586_111,
        -26.936_111,
    ];
    let season = Season::decompose(&AIR_PASSENGERS, 12, SeasonKind::Additive).unwrap();
    let plain = season.adjust(&AIR_PASSENGERS);
    for (place, golden) in additive.iter().enumerate() {
        assert!(close(AIR_PASSENGERS[place] - plain[place], *golden, 1e-6));
    }
    assert!(close(season.strength, 0.788_192_293_193_728_4, 1e-12));
    let season = Season::decompose(&AIR_PASSENGERS, 12, SeasonKind::Multiplicative).unwrap();
    assert!(close(
        AIR_PASSENGERS[0] / season.adjust(&AIR_PASSENGERS)[0],
        0.910_004,
        1e-6
    ));
    assert!(close(season.strength, 0.937_515_082_880_630_8, 1e-12));
    let season = Season::decompose(&AIR_PASSENGERS[..40], 7, SeasonKind::Additive).unwrap();
    assert!(close(season.strength, 0.054_544_743_256_127_015, 1e-12));
    assert!(close(
        AIR_PASSENGERS[1] - season.adjust(&AIR_PASSENGERS)[1],
        -5.593_878,
        1e-6
    ));
}

/// `statsmodels.tsa.stattools.acf`: the statistic is 2.389998, above 1.645. So it is for a straight line at
/// lag 12; for an alternating series at an odd lag it is negative, which counts, too.
#[test]
fn the_test_for_a_season_is_that_of_the_m4_benchmark() {
    assert!(is_seasonal(&AIR_PASSENGERS, 12));
    assert!(
        !is_seasonal(&AIR_PASSENGERS[..23], 12),
        "two periods are needed"
    );
    assert!(
        !is_seasonal(&AIR_PASSENGERS, 3),
        "short periods are not tested"
    );
    let independent: Vec<f64> = super::noise(4).take(120).collect();
    assert!(!is_seasonal(&independent, 7));
}

/// `ruptures` 1.1: `Pelt(model="l2", min_size=7, jump=1).fit(y).predict(pen)`.
#[test]
fn levels_are_those_of_ruptures() {
    let series: Vec<f64> = (0..70_u32)
        .map(|i| {
            let noise = f64::from((i * 7919 + 13) % 101) / 101.0;
            noise
                + match i {
                    ..20 => 0.0,
                    20..45 => 1.5,
                    _ => -0.3,
                }
        })
        .collect();
    for penalty in [0.5, 1.0, 3.0, 8.0] {
        assert_eq!(levels(&series, penalty), [20, 45], "{penalty}");
    }
}

/// `SciPy` 1.17, `scipy.stats.norm.cdf`.
#[test]
fn chances_are_those_of_the_normal_distribution() {
    let spread = Spread::normal(1.0);
    let golden = [
        (-8.0, 6.220_960_574_271_74e-16),
        (-3.0, 0.001_349_898_031_630_093_3),
        (-1.281_551_565_544_600_4, 0.100_000_000_000_000_09),
        (-0.5, 0.308_537_538_725_986_9),
        (0.0, 0.5),
        (0.3, 0.617_911_422_188_952_6),
        (1.0, 0.841_344_746_068_542_9),
        (1.959_963_984_540_054, 0.975),
        (2.5, 0.993_790_334_674_223_8),
        (6.5, 0.999_999_999_959_84),
        (7.5, 0.999_999_999_999_968_1),
    ];
    for (score, golden) in golden {
        let found = spread.probability_below(score);
        assert!(close(found, golden, 1e-14), "{score}: {found} {golden}");
    }
}

/// ⌈21·0.8⌉ = 17 and ⌈21·0.95⌉ = 20 of twenty errors; ⌈40·0.8⌉ = 32 and ⌈40·0.95⌉ = 38 of 39.
#[test]
fn conformal_intervals_end_at_the_errors_of_their_rank() {
    for (errors, golden) in [(20_u32, (17.0, 20.0)), (39, (32.0, 38.0))] {
        let mut past = PastErrors::default();
        for error in 1..=errors {
            let side = if error % 2 == 0 { 1.0 } else { -1.0 };
            past.add(0, side * f64::from(error));
        }
        let [spread] = past.spreads(&[1.0])[..] else {
            panic!("one step")
        };
        assert!(close(spread.half80, golden.0, 0.0) && close(spread.half95, golden.1, 0.0));
    }
    let mut few = PastErrors::default();
    (0..19).for_each(|error| few.add(0, f64::from(error)));
    assert_eq!(few.spreads(&[1.0]), [Spread::normal(1.0)]);
    assert_eq!(few.conformal_steps(), 0);
}

/// By hand: widths 2 and 4, one value 1 below its interval, with a penalty of 2/(1 − 0.95) = 40 a unit.
#[test]
fn interval_score_adds_width_and_misses() {
    let intervals = [(5.0, 4.0, 6.0), (1.0, 2.0, 6.0)];
    let score = scaled_interval_score(&intervals, 0.95, 2.0).unwrap();
    assert!(close(score, (2.0 + 4.0 + 40.0) / 2.0 / 2.0, 1e-12));
    assert_eq!(scaled_interval_score(&[], 0.95, 2.0), None);
}

#[test]
fn errors_without_pairs_are_unknown() {
    assert_eq!((smape(&[]), mean_absolute_error(&[])), (None, None));
    assert_eq!(smape(&[(0.0, 0.0)]), Some(0.0));
    assert_eq!(seasonal_step(&[3.0, 3.0, 3.0], 1), None);
    assert_eq!(seasonal_step(&[3.0], 7), None);
}
