//! Bounds, gaps and refusals of forecasts.

use super::{close, daily, day, history, noise};
use crate::forecast::change_points::change_points;
use crate::forecast::history::{Frequency, History, Observation, ObservedValue};
use crate::forecast::project::{Method, Refusal, project};
use crate::forecast::transform::Scale;

const RANKS: Scale = Scale::Position { depth: 100 };

fn wandering(seed: u64, length: usize) -> Vec<f64> {
    let mut level = 20.0;
    noise(seed)
        .take(length)
        .map(|step| {
            level += 3.0 * (step - 0.5);
            f64::round(level).clamp(1.0, 100.0)
        })
        .collect()
}

#[test]
fn a_constant_series_stays_within_one_position() {
    let projection = project(history(&[7.0; 30], RANKS), RANKS, 10).unwrap();
    assert_eq!(projection.method, Method::Constant);
    for point in &projection.points {
        assert!(close(point.median, 7.0, 1e-9) && close(point.mean, 7.0, 1e-9));
        for (low, high) in [point.within80, point.within95] {
            assert!(close(low, 6.0, 1e-9) && close(high, 8.0, 1e-9));
        }
    }
    // Jeffreys' prior: half a day in 31.
    assert!(close(
        projection.cumulative_probability(7.5),
        30.5 / 31.0,
        1e-12
    ));
    assert!(close(
        projection.cumulative_probability(3.5),
        0.5 / 31.0,
        1e-12
    ));
    assert_eq!(projection.points[0].date, day(30));
}

#[test]
fn intervals_end_at_position_one() {
    let projection = project(history(&[1.0; 14], RANKS), RANKS, 7).unwrap();
    let (low, high) = projection.points[6].within95;
    assert!(close(low, 1.0, 1e-9) && close(high, 2.0, 1e-9));
}

#[test]
fn thirteen_days_are_too_few_and_fourteen_enough() {
    let values = wandering(1, 14);
    assert_eq!(
        project(history(&values[1..], RANKS), RANKS, 5),
        Err(Refusal::TooShort {
            measured: 13,
            needed: 14
        })
    );
    let projection = project(history(&values, RANKS), RANKS, 50).unwrap();
    assert_eq!(projection.points.len(), 7, "half of the history");
    assert_eq!(projection.conformal_steps, 0);
    assert_eq!(projection.scores.unwrap().origins, 6);
}

#[test]
fn eight_weeks_are_enough_and_days_round_to_weeks() {
    let weeks = |count: u64| -> Vec<Observation> {
        (0..count)
            .map(|week| Observation {
                date: day(7 * week + if week + 1 == count { 0 } else { week % 3 }),
                value: ObservedValue::Value(if week % 2 == 0 { 10.0 } else { 12.0 }),
            })
            .collect()
    };
    let laid = |count| {
        let observations = weeks(count);
        assert_eq!(Frequency::of(&observations), Some(Frequency::Weekly));
        History::of(&observations, Frequency::Weekly, RANKS).unwrap()
    };
    assert_eq!(
        project(laid(7), RANKS, 5),
        Err(Refusal::TooShort {
            measured: 7,
            needed: 8
        })
    );
    let history = laid(8);
    assert_eq!((history.measured(), history.points.len()), (8, 8));
    let projection = project(history, RANKS, 5).unwrap();
    assert_eq!(projection.points.len(), 4);
    assert_eq!(projection.points[0].date, day(56));
    assert_eq!(projection.scores, None, "there is nothing to look back on");
}

#[test]
fn forecasts_reach_ninety_days_and_no_farther() {
    let projection = project(history(&wandering(2, 400), RANKS), RANKS, 365).unwrap();
    assert_eq!(projection.points.len(), 90);
}

#[test]
fn gaps_of_two_are_filled_and_wider_ones_cut() {
    let mut observations = daily(&wandering(3, 60));
    observations.retain(|it| ![day(10), day(11), day(40)].contains(&it.date));
    let whole = History::of(&observations, Frequency::Daily, RANKS).unwrap();
    assert_eq!(
        (whole.points.len(), whole.measured(), whole.cut_at_gap),
        (60, 57, false)
    );
    let (before, after) = (whole.points[9].z, whole.points[12].z);
    assert!(close(
        whole.points[10].z,
        before + (after - before) / 3.0,
        1e-12
    ));
    assert!(!whole.points[10].measured && whole.points[12].measured);

    observations.retain(|it| it.date != day(12));
    let cut = History::of(&observations, Frequency::Daily, RANKS).unwrap();
    assert_eq!((cut.points.len(), cut.cut_at_gap), (47, true));
    assert_eq!(cut.date(0), day(13));
}

#[test]
fn of_several_measurements_on_a_day_the_last_counts() {
    let mut observations = daily(&[5.0; 20]);
    let again = |value| Observation {
        date: day(7),
        value: ObservedValue::Value(value),
    };
    observations.extend([again(9.0), again(6.0)]);
    let history = History::of(&observations, Frequency::Daily, RANKS).unwrap();
    assert!(close(RANKS.back(history.points[7].z), 6.0, 1e-9));
}

#[test]
fn rarely_measured_series_have_no_frequency() {
    let every = |days: u64| -> Vec<Observation> {
        (0..20)
            .map(|number| Observation {
                date: day(days * number),
                value: ObservedValue::Value(3.0),
            })
            .collect()
    };
    assert_eq!(Frequency::of(&every(3)), Some(Frequency::Daily));
    assert_eq!(Frequency::of(&every(8)), Some(Frequency::Weekly));
    assert_eq!(Frequency::of(&every(11)), None);
    assert_eq!(Frequency::of(&[]), None);
    assert_eq!(History::of(&[], Frequency::Daily, RANKS), None);
}

#[test]
fn unranked_days_count_as_depth_up_to_thirty_percent() {
    let with = |unranked: usize| {
        let mut observations = daily(&wandering(4, 40));
        for place in 0..unranked {
            observations[3 * place].value = ObservedValue::BelowDepth;
        }
        project(
            History::of(&observations, Frequency::Daily, RANKS).unwrap(),
            RANKS,
            5,
        )
    };
    assert!(with(12).is_ok());
    let Err(Refusal::BelowDepth {
        measured: 40,
        ranked,
    }) = with(13)
    else {
        panic!("more than three of ten")
    };
    // `SimpleExponentialSmoothingOptimized` of days ranked (1) and not (0), statsforecast 2.1.1.
    assert!(close(ranked, 0.760_477_81, 1e-6), "{ranked}");
}

#[test]
fn a_never_ranked_site_has_a_positive_probability() {
    let mut observations = daily(&[50.0; 20]);
    for observation in &mut observations {
        observation.value = ObservedValue::BelowDepth;
    }
    let history = History::of(&observations, Frequency::Daily, RANKS).unwrap();
    let refusal = project(history, RANKS, 5).unwrap_err();
    assert_eq!(
        refusal,
        Refusal::BelowDepth {
            measured: 20,
            ranked: 0.5 / 21.0
        }
    );
}

#[test]
fn a_level_shift_is_dated_and_cuts_the_history() {
    let values: Vec<f64> = noise(5)
        .take(80)
        .enumerate()
        .map(|(place, noise)| (if place < 50 { 30.0 } else { 9.0 }) + (4.0 * noise).round())
        .collect();
    let projection = project(history(&values, RANKS), RANKS, 10).unwrap();
    assert_eq!(projection.changes, [day(50)]);
    assert_eq!(projection.used.points.len(), 30);
    assert!(
        projection
            .points
            .iter()
            .all(|it| (8.0..14.0).contains(&it.median))
    );
}

#[test]
fn a_recent_level_shift_keeps_the_whole_history() {
    let values: Vec<f64> = noise(6)
        .take(80)
        .enumerate()
        .map(|(place, noise)| (if place < 70 { 30.0 } else { 9.0 }) + (4.0 * noise).round())
        .collect();
    let projection = project(history(&values, RANKS), RANKS, 10).unwrap();
    assert_eq!(projection.changes, [day(70)]);
    assert_eq!(projection.used.points.len(), 80);
}

#[test]
fn noise_spikes_and_seasons_are_no_level_shifts() {
    for seed in 10..60 {
        let wandering = wandering(seed, 120);
        assert!(change_points(&wandering).len() <= 1, "{seed}");
    }
    let total: usize = (10..60)
        .map(|seed| change_points(&wandering(seed, 120)).len())
        .sum();
    assert!(total <= 5, "{total} false jumps in fifty wandering series");
    let mut spike: Vec<f64> = noise(7).take(60).collect();
    spike[30] += 20.0;
    assert!(change_points(&spike).is_empty());
    assert!(change_points(&[4.0; 60]).is_empty());
    assert!(change_points(&[1.0, 9.0]).is_empty());
}

#[test]
fn a_weekly_season_is_continued() {
    let week = [100.0, 120.0, 125.0, 118.0, 110.0, 60.0, 50.0];
    let values: Vec<f64> = noise(8)
        .take(84)
        .enumerate()
        .map(|(place, noise)| (week[place % 7] * (0.97 + 0.06 * noise)).round())
        .collect();
    let projection = project(history(&values, Scale::Count), Scale::Count, 14).unwrap();
    let (period, strength) = projection.season.unwrap();
    assert!(period == 7 && strength > 0.95, "{strength}");
    assert_eq!(projection.method, Method::Combination);
    for (place, point) in projection.points.iter().enumerate() {
        assert!(
            close(point.median, week[place % 7], 0.05 * week[place % 7]),
            "{point:?}"
        );
    }
    let scores = projection.scores.unwrap();
    assert!(scores.ratio_to_naive.unwrap() < 0.3 && scores.seasonal_naive_mase.unwrap() < 1.5);
}

#[test]
fn the_last_representable_date_does_not_panic() {
    let observations: Vec<Observation> = (0..20)
        .map(|number| Observation {
            date: chrono::NaiveDate::MAX - chrono::Days::new(19 - number),
            value: ObservedValue::Value(4.0 + f64::from(u8::try_from(number % 3).unwrap())),
        })
        .chain([Observation {
            date: chrono::NaiveDate::MIN,
            value: ObservedValue::Value(1.0),
        }])
        .collect();
    let history = History::of(&observations, Frequency::Daily, RANKS).unwrap();
    assert!(history.cut_at_gap || history.points.len() == 20);
    assert!(project(history, RANKS, 5).is_ok());
}
