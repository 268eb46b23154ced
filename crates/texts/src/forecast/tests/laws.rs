//! Properties of every series.

use super::{daily, history, noise};
use crate::forecast::{
    change_points::levels,
    combination::Combination,
    count,
    history::{Frequency, History, Observation, ObservedValue},
    methods::{Damped, Ses, Theta, ThetaKind, naive, random_walk_with_drift, seasonal_naive},
    project::{Method, Projection, project},
    season::SeasonKind,
    spread::{PastErrors, Spread},
    transform::Scale,
};
use proptest::{collection::vec, prelude::*};

fn scales() -> impl Strategy<Value = Scale> {
    prop_oneof![
        Just(Scale::Unbounded),
        (2_u32..120).prop_map(|depth| Scale::Position { depth }),
        (1_u32..200).prop_map(|trials| Scale::Share { trials }),
        (1_u32..200).prop_map(|trials| Scale::Index { trials }),
        Just(Scale::Count),
    ]
}

/// Any stored values.
fn seen() -> impl Strategy<Value = ObservedValue> {
    prop_oneof![
        8 => (0.0_f64..100.0).prop_map(ObservedValue::Value),
        4 => (1_u8..10).prop_map(|it| ObservedValue::Value(f64::from(it))),
        1 => Just(ObservedValue::Missing),
        1 => Just(ObservedValue::BelowDepth),
        1 => prop_oneof![
            Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), Just(1e300), Just(f64::MIN),
        ].prop_map(ObservedValue::Value),
    ]
}

fn observed(seen: &[ObservedValue]) -> Vec<Observation> {
    let days = daily(&vec![0.0; seen.len()]);
    let with = |(day, seen): (Observation, &ObservedValue)| Observation {
        value: *seen,
        ..day
    };
    days.into_iter().zip(seen).map(with).collect()
}

fn projected(observations: &[Observation], scale: Scale, horizon: usize) -> Option<Projection> {
    let history = History::of(observations, Frequency::Daily, scale)?;
    project(history, scale, horizon).ok()
}

/// Whole numbers, since their sums and differences are exact.
fn whole_numbers() -> impl Strategy<Value = Vec<f64>> {
    vec((-50_i32..50).prop_map(f64::from), 8..40)
}

/// Each method's next five values.
fn all_methods(series: &[f64]) -> Vec<Vec<f64>> {
    let theta = |kind| Theta::fit(series, kind).unwrap().forecast(5);
    vec![
        naive(series, 5).unwrap(),
        seasonal_naive(series, 7, 5).unwrap(),
        random_walk_with_drift(series, 5).unwrap(),
        vec![Ses::fit(series).unwrap().level; 5],
        theta(ThetaKind::Standard),
        theta(ThetaKind::Optimized),
        theta(ThetaKind::Dynamic),
        theta(ThetaKind::DynamicOptimized),
        Damped::fit(series, None).unwrap().forecast(5),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn intervals_are_nested_possible_and_numbers(
        seen in vec(seen(), 0..70), scale in scales(), horizon in 1_usize..40,
    ) {
        let Some(projection) = projected(&observed(&seen), scale, horizon) else { return Ok(()) };
        prop_assert!(projection.points.len() <= horizon);
        for point in &projection.points {
            let (low80, high80) = point.within80;
            let (low95, high95) = point.within95;
            let ordered = [low95, low80, point.median, high80, high95];
            prop_assert!(ordered.windows(2).all(|it| it[0] <= it[1]), "{point:?}");
            for value in ordered.into_iter().chain([point.mean]) {
                prop_assert!(value.is_finite(), "{point:?}");
                prop_assert!((scale.clamp(value) - value).abs() <= 1e-9 * value.abs(), "{point:?}");
            }
        }
        if let Some(scores) = projection.scores {
            prop_assert!((0.0..=1.0).contains(&scores.coverage80));
            prop_assert!(scores.coverage80 <= scores.coverage95 && scores.coverage95 <= 1.0);
            prop_assert!((0.0..=200.0).contains(&scores.smape) && scores.mae.is_finite());
        }
        let strength = projection.season.map_or(0.0, |(_, strength)| strength);
        prop_assert!((0.0..=1.0).contains(&strength));
    }

    #[test]
    fn probabilities_grow_and_agree_with_intervals(
        values in vec(1.0_f64..60.0, 20..60), thresholds in vec(1.0_f64..99.0, 2..8),
    ) {
        let scale = Scale::Position { depth: 100 };
        let projection = project(history(&values, scale), scale, 10).unwrap();
        let mut thresholds = thresholds;
        thresholds.sort_by(f64::total_cmp);
        let chances: Vec<f64> = thresholds.iter().map(|it| projection.cumulative_probability(*it)).collect();
        prop_assert!(chances.windows(2).all(|it| it[0] <= it[1] + 1e-12), "{chances:?}");
        prop_assert!(chances.iter().all(|it| (0.0..=1.0).contains(it)));
        let last = projection.points.last().unwrap();
        // Ends may lie farther out than their quantile (at least a step), never nearer; the first and last
        // position hold all probability beyond them.
        for ((low, high), tail) in [(last.within80, 0.1), (last.within95, 0.025)] {
            prop_assert!(low <= 1.0 || projection.cumulative_probability(low) <= tail + 1e-9);
            prop_assert!(high >= 100.0 || projection.cumulative_probability(high) >= 1.0 - tail - 1e-9);
        }
    }

    #[test]
    fn the_better_of_combination_and_naive_is_published(values in vec(1.0_f64..60.0, 20..60)) {
        let projection = project(history(&values, Scale::Count), Scale::Count, 7).unwrap();
        let scores = projection.scores.unwrap();
        let (mase, combination, naive) =
            (scores.mase.unwrap(), scores.combination_mase.unwrap(), scores.naive_mase.unwrap());
        prop_assert!((mase - combination.min(naive)).abs() < 1e-12);
        prop_assert_eq!(projection.method == Method::Naive, combination > naive);
    }

    #[test]
    fn intervals_never_narrow_with_the_horizon(
        errors in vec((0_usize..8, -5.0_f64..5.0), 0..200), deviations in vec(0.0_f64..3.0, 1..12),
    ) {
        let mut past = PastErrors::default();
        for (step, error) in errors {
            past.add(step, error);
        }
        let spreads = past.spreads(&deviations);
        prop_assert_eq!(spreads.len(), deviations.len());
        for pair in spreads.windows(2) {
            prop_assert!(pair[0].half80 <= pair[1].half80 && pair[0].half95 <= pair[1].half95);
        }
        prop_assert!(spreads.iter().all(|it| it.half80 <= it.half95));
    }

    #[test]
    fn scores_and_errors_are_each_others_inverse(
        half80 in 0.01_f64..5.0, more in 0.01_f64..5.0, score in -5.0_f64..5.0,
    ) {
        let spread = Spread { half80, half95: half80 + more };
        let normal = Spread::normal(1.0);
        let error = spread.error_at_score(score);
        prop_assert!((spread.probability_below(error) - normal.probability_below(score)).abs() < 1e-9);
    }

    #[test]
    fn methods_follow_a_shift_and_a_stretch(series in whole_numbers(), shift in -1000_i32..1000) {
        let (shift, stretch) = (f64::from(shift), 8.0);
        let moved: Vec<f64> = series.iter().map(|it| it * stretch + shift).collect();
        for (method, (plain, moved)) in all_methods(&series).iter().zip(all_methods(&moved)).enumerate() {
            for (plain, moved) in plain.iter().zip(moved) {
                let expected = plain * stretch + shift;
                prop_assert!((moved - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{method}: {moved} {expected}");
            }
        }
    }

    #[test]
    fn a_mirrored_series_has_a_mirrored_forecast(series in whole_numbers()) {
        let mirrored: Vec<f64> = series.iter().map(|it| -it).collect();
        for (plain, mirrored) in all_methods(&series).iter().zip(all_methods(&mirrored)) {
            for (plain, mirrored) in plain.iter().zip(mirrored) {
                prop_assert!((plain + mirrored).abs() < 1e-6 * (1.0 + plain.abs()));
            }
        }
    }

    #[test]
    fn the_combination_lies_between_its_methods(series in vec(-10.0_f64..10.0, 8..60)) {
        let combined = Combination::fit(&series, 1, SeasonKind::Additive, None).unwrap().forecast(5);
        let ses = Ses::fit(&series).unwrap().level;
        let theta = Theta::fit(&series, ThetaKind::Standard).unwrap().forecast(5);
        let damped = Damped::fit(&series, None).unwrap().forecast(5);
        for step in 0..5 {
            let mut three = [ses, theta[step], damped[step]];
            three.sort_by(f64::total_cmp);
            prop_assert!((combined[step] - three[1]).abs() < 1e-12);
        }
    }

    #[test]
    fn the_best_single_split_is_found(series in vec(-3.0_f64..3.0, 14..50), penalty in 0.0_f64..20.0) {
        let places = levels(&series, penalty);
        let found = cost(&series, &places) + penalty * count(places.len());
        prop_assert!(places.windows(2).all(|it| it[1] - it[0] >= 7));
        prop_assert!(found <= cost(&series, &[]) + 1e-9);
        for place in 7..=series.len() - 7 {
            prop_assert!(found <= cost(&series, &[place]) + penalty + 1e-9);
        }
    }

    #[test]
    fn order_and_missing_observations_change_nothing(
        seen in vec(seen(), 14..50), rotate in 0_usize..50,
    ) {
        let scale = Scale::Position { depth: 50 };
        let observations = observed(&seen);
        let mut turned: Vec<Observation> =
            observations.iter().copied().filter(|it| it.value != ObservedValue::Missing).collect();
        let middle = rotate % turned.len().max(1);
        turned.rotate_left(middle);
        prop_assert_eq!(projected(&observations, scale, 9), projected(&turned, scale, 9));
    }

    #[test]
    fn values_before_a_wide_gap_change_nothing(
        old in vec(1.0_f64..50.0, 1..30), new in vec(1.0_f64..50.0, 16..40),
    ) {
        let values: Vec<ObservedValue> = old.iter().map(|it| ObservedValue::Value(*it))
            .chain([ObservedValue::Missing; 3])
            .chain(new.iter().map(|it| ObservedValue::Value(*it)))
            .collect();
        let with = projected(&observed(&values), Scale::Count, 5).unwrap();
        let without = projected(&observed(&values[old.len() + 3..]), Scale::Count, 5).unwrap();
        prop_assert!(with.used.cut_at_gap && !without.used.cut_at_gap);
        let medians = |it: &Projection| it.points.iter().map(|it| it.median).collect::<Vec<_>>();
        prop_assert_eq!(medians(&with), medians(&without));
        prop_assert_eq!(with.scores, without.scores);
    }
}

/// Σ (y − mean)² of the segments between `places`.
fn cost(series: &[f64], places: &[usize]) -> f64 {
    let ends = places.iter().copied().chain([series.len()]);
    let mut from = 0;
    let mut sum = 0.0;
    for to in ends {
        let stretch = &series[from..to];
        let mean = stretch.iter().sum::<f64>() / count(stretch.len());
        sum += stretch.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
        from = to;
    }
    sum
}

/// Conformal coverage: of exchangeable errors, the share of the level lies inside.
#[test]
fn conformal_intervals_have_nominal_coverage() {
    let (mut inside80, mut inside95) = (0, 0);
    for seed in 1..=2_000 {
        let mut errors = noise(seed).map(|it| it.powi(3) - 0.3);
        let mut past = PastErrors::default();
        errors
            .by_ref()
            .take(25)
            .for_each(|error| past.add(0, error));
        let spread = past.spreads(&[0.0])[0];
        let next = errors.next().unwrap().abs();
        inside80 += u32::from(next <= spread.half80);
        inside95 += u32::from(next <= spread.half95);
    }
    // ⌈26·0.8⌉/26 = 0.808 and ⌈26·0.95⌉/26 = 0.962, ± four standard errors.
    assert!((1_544..=1_686).contains(&inside80), "{inside80}");
    assert!((1_889..=1_958).contains(&inside95), "{inside95}");
}
