//! Ratings, percentiles, layout shift, blocking time and speed index.

use crate::findings::vitals::blocking_time::{
    Activity, Span, time_to_interactive, total_blocking_time,
};
use crate::findings::vitals::layout_shift::{Shift, cumulative_layout_shift};
use crate::findings::vitals::percentile::{p75_of_histogram, p75_of_samples};
use crate::findings::vitals::speed_index::{Frame, count_colors, speed_index};
use crate::findings::vitals::{Assessment, Rating, assess, thresholds_of};
use crate::observation::vitals::{FormFactor, HistogramBin, VitalsMetric};
use proptest::prelude::*;

/// The constants of the npm package web-vitals 6.2.3: a value at a bound belongs to the better side.
#[test]
fn ratings_change_just_above_the_thresholds() {
    let golden = [
        (VitalsMetric::Lcp, 2_500.0, 4_000.0),
        (VitalsMetric::Inp, 200.0, 500.0),
        (VitalsMetric::Cls, 0.1, 0.25),
        (VitalsMetric::Fcp, 1_800.0, 3_000.0),
        (VitalsMetric::Ttfb, 800.0, 1_800.0),
    ];
    for (metric, good, poor) in golden {
        let rate = |value: f64| thresholds_of(metric, FormFactor::All).rate(value);
        assert_eq!(rate(good), Rating::Good);
        assert_eq!(rate(good.next_up()), Rating::NeedsImprovement);
        assert_eq!(rate(poor), Rating::NeedsImprovement);
        assert_eq!(rate(poor.next_up()), Rating::Poor);
    }
}

#[test]
fn assessment_needs_lcp_and_cls_and_all_good() {
    let passed = Some(Assessment::Passed);
    let failed = Some(Assessment::Failed);
    assert_eq!(assess(Some(2_500.0), Some(200.0), Some(0.1)), passed);
    assert_eq!(assess(Some(2_500.0), None, Some(0.1)), passed);
    assert_eq!(assess(Some(2_501.0), None, Some(0.1)), failed);
    assert_eq!(assess(Some(2_500.0), Some(201.0), Some(0.1)), failed);
    assert_eq!(assess(Some(2_500.0), Some(200.0), Some(0.11)), failed);
    assert_eq!(assess(None, Some(200.0), Some(0.1)), None);
    assert_eq!(assess(Some(2_500.0), Some(200.0), None), None);
}

fn bins(bounds: &[f64], densities: &[f64]) -> Vec<HistogramBin> {
    let ends = bounds[1..].iter().copied().map(Some).chain([None]);
    let parts = bounds.iter().zip(ends).zip(densities);
    parts
        .map(|((&start, end), &density)| HistogramBin {
            start,
            end,
            density,
        })
        .collect()
}

/// `numpy.interp(.75, numpy.cumsum([0, *densities]), bounds)`: 2875, .1325 and 2500.
#[test]
fn the_75th_percentile_is_interpolated_inside_of_its_bin() {
    let golden = [
        (
            bins(&[0.0, 2_500.0, 4_000.0], &[0.7, 0.2, 0.1]),
            Some(2_875.0),
        ),
        (bins(&[0.0, 0.1, 0.25], &[0.685, 0.3, 0.015]), Some(0.1325)),
        (
            bins(&[0.0, 2_500.0, 4_000.0], &[0.75, 0.15, 0.1]),
            Some(2_500.0),
        ),
    ];
    for (histogram, expected) in golden {
        let found = p75_of_histogram(&histogram);
        let close = match (found, expected) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
            (found, expected) => found == expected,
        };
        assert!(close, "{histogram:?}: {found:?}");
    }
}

#[test]
fn invalid_or_open_histograms_have_no_percentile() {
    // The last bin has no end: the value is more than 4 s.
    assert_eq!(
        p75_of_histogram(&bins(&[0.0, 2_500.0, 4_000.0], &[0.2, 0.2, 0.6])),
        None
    );
    assert_eq!(
        p75_of_histogram(&bins(&[0.0, 2_500.0, 4_000.0], &[0.5, 0.2, 0.2])),
        None
    );
    assert_eq!(
        p75_of_histogram(&bins(&[0.0, 2_500.0, 4_000.0], &[1.1, -0.1, 0.0])),
        None
    );
    assert_eq!(p75_of_histogram(&[]), None);
    let mut gap = bins(&[0.0, 2_500.0, 4_000.0], &[0.8, 0.1, 0.1]);
    gap[1].start = 3_000.0;
    assert_eq!(p75_of_histogram(&gap), None);
    // Rounded densities may differ from 1 by .005.
    assert!(p75_of_histogram(&bins(&[0.0, 2_500.0, 4_000.0], &[0.7, 0.2, 0.0955])).is_some());
}

/// `numpy.percentile(values, 75, method="inverted_cdf")`.
#[test]
fn the_75th_percentile_of_visits_is_one_of_them() {
    let visits: Vec<f64> = (1..=20).map(|it| f64::from(it) * 100.0).collect();
    assert_eq!(p75_of_samples(&visits), Some(1_500.0));
    assert_eq!(p75_of_samples(&visits[1..]), None);
    let more: Vec<f64> = (1..=21).map(|it| f64::from(it) * 100.0).collect();
    assert_eq!(p75_of_samples(&more), Some(1_600.0));
    let mut broken = visits.clone();
    broken[3] = f64::NAN;
    assert_eq!(p75_of_samples(&broken), None);
}

#[test]
fn the_largest_window_of_layout_shifts_counts() {
    let of = |shifts: &[(f64, f64)]| {
        let shifts: Vec<Shift> = shifts
            .iter()
            .map(|&(at, score)| Shift { at, score })
            .collect();
        (cumulative_layout_shift(&shifts) * 1e6).round() / 1e6
    };
    assert!(of(&[]).abs() < 1e-12);
    // A gap of exactly 1 s does not end a window, one that is longer does.
    assert!((of(&[(0.0, 0.1), (1_000.0, 0.1)]) - 0.2).abs() < 1e-9);
    assert!((of(&[(0.0, 0.1), (1_001.0, 0.15)]) - 0.15).abs() < 1e-9);
    // Seven shifts, 900 ms apart: the window ends after 5 s.
    let evenly_spaced: Vec<(f64, f64)> = (0..7).map(|it| (f64::from(it) * 900.0, 0.1)).collect();
    assert!((of(&evenly_spaced) - 0.6).abs() < 1e-9);
}

const fn span(from: f64, to: f64) -> Span {
    Span { from, to }
}

#[test]
fn only_task_time_beyond_50_ms_after_first_paint_blocks() {
    let tasks = [
        span(0.0, 300.0),
        span(400.0, 440.0),
        span(500.0, 620.0),
        span(900.0, 1_000.0),
    ];
    // 250–300 is 50 long and blocks nothing; 500–620 blocks 70; the last lies beyond the end.
    assert!((total_blocking_time(&tasks, 250.0, 800.0) - 70.0).abs() < 1e-9);
    assert!((total_blocking_time(&tasks, 100.0, 960.0) - (150.0 + 70.0 + 10.0)).abs() < 1e-9);
    assert!(total_blocking_time(&tasks, 800.0, 800.0).abs() < 1e-12);
}

#[test]
fn a_page_is_interactive_when_five_quiet_seconds_begin() {
    let tasks = [
        span(100.0, 400.0),
        span(2_000.0, 2_100.0),
        span(8_000.0, 8_040.0),
    ];
    let mut load = Activity {
        fcp: 500.0,
        dom_content_loaded: 700.0,
        end: 9_000.0,
        tasks: &tasks,
        requests: &[],
    };
    assert_eq!(time_to_interactive(&load), Some(2_100.0));
    // Three requests keep the network busy until 4 s, followed by 5 quiet seconds.
    let requests = [
        span(3_000.0, 4_000.0),
        span(3_000.0, 6_000.0),
        span(3_000.0, 6_000.0),
    ];
    load.requests = &requests;
    assert_eq!(time_to_interactive(&load), Some(2_100.0));
    load.end = 8_900.0;
    assert_eq!(time_to_interactive(&load), None);
    load.tasks = &[];
    load.requests = &[];
    assert_eq!(time_to_interactive(&load), Some(700.0));
}

fn frame(at: f64, dark: usize) -> Frame {
    let pixels: Vec<u8> = (0..100)
        .flat_map(|it| if it < dark { [10, 20, 30] } else { [255; 3] })
        .collect();
    Frame {
        at,
        colors: count_colors(&pixels),
    }
}

#[test]
fn the_speed_index_is_the_area_above_the_progress() {
    // White for 1 s, a quarter for 1 s more, whole at 2 s: 1000 + 1000·.75.
    let load = [frame(1_000.0, 25), frame(2_000.0, 100)];
    assert_eq!(speed_index(&load), Some(1_750.0));
    assert_eq!(
        speed_index(&[frame(500.0, 0), frame(800.0, 40)]),
        Some(800.0)
    );
    assert_eq!(speed_index(&[frame(500.0, 0)]), None);
    assert_eq!(speed_index(&[]), None);
}

proptest! {
    #[test]
    fn a_percentile_lies_in_the_bins(parts in proptest::collection::vec(0.01_f64..1.0, 3)) {
        let sum: f64 = parts.iter().sum();
        let densities: Vec<f64> = parts.iter().map(|it| it / sum).collect();
        let found = p75_of_histogram(&bins(&[0.0, 2_500.0, 4_000.0], &densities));
        let is_last = densities[0] + densities[1] < 0.75;
        prop_assert_eq!(found.is_none(), is_last);
        prop_assert!(found.is_none_or(|it| (0.0..=4_000.0).contains(&it)));
    }

    #[test]
    fn blocking_time_grows_with_the_window(
        tasks in proptest::collection::vec((0.0_f64..300.0, 0.0_f64..200.0), 0..20),
        fcp in 0.0_f64..2_000.0, tti in 0.0_f64..6_000.0,
    ) {
        let mut at = 0.0;
        let tasks: Vec<Span> = tasks.iter().map(|(pause, length)| {
            let from = at + pause;
            at = from + length;
            span(from, at)
        }).collect();
        let short = total_blocking_time(&tasks, fcp, tti);
        let long = total_blocking_time(&tasks, fcp, tti + 500.0);
        prop_assert!(0.0 <= short && short <= long + 1e-9);
    }

    #[test]
    fn layout_shift_is_between_its_largest_part_and_its_sum(
        shifts in proptest::collection::vec((0.0_f64..3_000.0, 0.0_f64..1.0), 0..30),
    ) {
        let mut at = 0.0;
        let shifts: Vec<Shift> = shifts.iter().map(|(pause, score)| {
            at += pause;
            Shift { at, score: *score }
        }).collect();
        let found = cumulative_layout_shift(&shifts);
        let sum: f64 = shifts.iter().map(|it| it.score).sum();
        let largest = shifts.iter().map(|it| it.score).fold(0.0, f64::max);
        prop_assert!(largest <= found + 1e-12 && found <= sum + 1e-9);
    }
}
