//! Lighthouse's scores, printed by `statistics.js` of lighthouse 12.8.2;
//! `tests/oracles/lighthouse_scores.mjs` compares thousands more.

use crate::findings::vitals::lighthouse_score::{
    ControlPoints, MetricScores, metric_scores, performance_score,
};
use crate::observation::vitals::{FormFactor, LabMetrics};
use proptest::prelude::*;

const PHONE: FormFactor = FormFactor::Phone;
const DESKTOP: FormFactor = FormFactor::Desktop;

/// A curve, and values with their scores.
type Golden<'a> = (ControlPoints, &'a [(f64, f64)]);

fn assert_scores(curve: ControlPoints, golden: &[(f64, f64)]) {
    for &(value, score) in golden {
        let found = curve.score(value).unwrap();
        assert!((found - score).abs() < 5e-7, "{curve:?} {value}: {found}");
    }
}

#[test]
fn phone_scores_match_lighthouse() {
    let golden: [Golden<'_>; 6] = [
        (
            ControlPoints::fcp(PHONE),
            &[
                (900.0, 0.998_738),
                (1_800.0, 0.9),
                (2_400.0, 0.712_199),
                (3_000.0, 0.5),
                (4_500.0, 0.154_523),
                (9_000.0, 0.002_924),
            ],
        ),
        (
            ControlPoints::lcp(PHONE),
            &[
                (1_250.0, 0.999_242),
                (2_500.0, 0.9),
                (3_250.0, 0.714_360),
                (4_000.0, 0.5),
                (6_000.0, 0.134_455),
                (12_000.0, 0.001_370),
            ],
        ),
        (
            ControlPoints::tbt(PHONE),
            &[
                (100.0, 0.981_697),
                (200.0, 0.9),
                (400.0, 0.681_887),
                (600.0, 0.5),
                (900.0, 0.318_113),
                (1_800.0, 0.1),
            ],
        ),
        (
            ControlPoints::cls(),
            &[
                (0.05, 0.987_808),
                (0.1, 0.9),
                (0.15, 0.762_527),
                (0.25, 0.5),
                (0.4, 0.255_474),
                (0.8, 0.051_888),
            ],
        ),
        (
            ControlPoints::si(PHONE),
            &[
                (1_693.5, 0.998_321),
                (3_387.0, 0.9),
                (4_593.5, 0.710_766),
                (5_800.0, 0.5),
                (8_700.0, 0.167_022),
                (17_400.0, 0.004_430),
            ],
        ),
        (
            ControlPoints::inp(),
            &[
                (100.0, 0.987_808),
                (200.0, 0.9),
                (350.0, 0.691_060),
                (500.0, 0.5),
                (750.0, 0.285_325),
                (1_500.0, 0.062_202),
            ],
        ),
    ];
    for (curve, values) in golden {
        assert_scores(curve, values);
    }
}

#[test]
fn desktop_scores_match_lighthouse() {
    let golden: [Golden<'_>; 4] = [
        (
            ControlPoints::fcp(DESKTOP),
            &[
                (467.0, 0.998_315),
                (1_267.0, 0.710_747),
                (2_400.0, 0.167_188),
            ],
        ),
        (
            ControlPoints::lcp(DESKTOP),
            &[
                (600.0, 0.994_813),
                (1_800.0, 0.702_600),
                (3_600.0, 0.226_730),
            ],
        ),
        (
            ControlPoints::tbt(DESKTOP),
            &[(75.0, 0.990_096), (250.0, 0.694_596), (525.0, 0.269_848)],
        ),
        (
            ControlPoints::si(DESKTOP),
            &[
                (655.5, 0.997_894),
                (1_805.5, 0.709_488),
                (3_450.0, 0.177_638),
            ],
        ),
    ];
    for (curve, values) in golden {
        assert_scores(curve, values);
    }
}

fn example() -> LabMetrics {
    LabMetrics {
        fcp: Some(2_200.0),
        si: Some(4_300.0),
        lcp: Some(3_100.0),
        tbt: Some(350.0),
        cls: Some(0.05),
        ..LabMetrics::default()
    }
}

#[test]
fn scores_are_rounded_before_and_after_they_are_weighted() {
    let scores = metric_scores(&example(), PHONE);
    let expected = MetricScores {
        fcp: Some(0.78),
        si: Some(0.76),
        lcp: Some(0.76),
        tbt: Some(0.74),
        cls: Some(0.99),
    };
    assert_eq!(scores, expected);
    assert_eq!(performance_score(&scores), Some(0.81));
}

#[test]
fn a_missing_metric_score_leaves_no_total() {
    let mut metrics = example();
    metrics.si = None;
    let scores = metric_scores(&metrics, PHONE);
    assert_eq!((scores.si, performance_score(&scores)), (None, None));
    metrics.si = Some(f64::NAN);
    assert_eq!(performance_score(&metric_scores(&metrics, PHONE)), None);
}

#[test]
fn zero_values_score_1() {
    let instant = LabMetrics {
        tbt: Some(0.0),
        cls: Some(0.0),
        ..example()
    };
    let scores = metric_scores(&instant, PHONE);
    assert_eq!((scores.tbt, scores.cls), (Some(1.0), Some(1.0)));
}

proptest! {
    #[test]
    fn slower_is_never_better(one in 0.0_f64..30_000.0, other in 0.0_f64..30_000.0) {
        let curve = ControlPoints::lcp(PHONE);
        let (fast, slow) = (one.min(other), one.max(other));
        prop_assert!(curve.score(fast) >= curve.score(slow));
    }

    #[test]
    fn a_score_is_in_the_band_of_its_value(value in -10.0_f64..1e9) {
        let curve = ControlPoints::fcp(DESKTOP);
        let score = curve.score(value).unwrap();
        let band = if value <= curve.p10 { 0.9..=1.0 } else if value <= curve.median { 0.5..=0.9_f64.next_down() } else { 0.0..=0.5_f64.next_down() };
        prop_assert!(band.contains(&score), "{value} {score}");
    }
}
