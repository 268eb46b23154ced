//! Hand-written traces in the format of Chromium 156.

use super::*;
use serde_json::{Value, json};

fn event(name: &str, ts: u32, args: &Value) -> Value {
    json!({"name": name, "cat": "loading", "ph": "R", "pid": 7, "tid": 1, "ts": ts, "args": args})
}

fn navigation(ts: u32, url: &str) -> Value {
    let args =
        json!({"frame": "F", "data": {"documentLoaderURL": url, "isLoadingMainFrame": true}});
    event("navigationStart", ts, &args)
}

fn task(ts: u32, dur: u32, thread: u32) -> Value {
    json!({"name": "RunTask", "ph": "X", "pid": 7, "tid": thread, "ts": ts, "dur": dur, "args": {}})
}

fn shift(ts: u32, score: f64, after_input: bool) -> Value {
    let data = json!({"weighted_score_delta": score, "had_recent_input": after_input, "is_main_frame": true});
    event("LayoutShift", ts, &json!({"frame": "F", "data": data}))
}

fn load(events: &[Value]) -> Option<Load> {
    let mut trace = Trace::of_frame("F");
    // Batches may come in any order.
    for part in events.rchunks(3) {
        let params = json!({"value": part}).to_string();
        trace.read(&RawValue::from_string(params).unwrap());
    }
    trace.load()
}

#[test]
fn times_start_at_the_last_navigation() {
    let paint = |frame, at| {
        event(
            "firstContentfulPaint",
            at,
            &json!({"frame": frame, "data": {}}),
        )
    };
    let candidate = |at, data: Value| {
        event(
            "largestContentfulPaint::Candidate",
            at,
            &json!({"frame": "F", "data": data}),
        )
    };
    let found = load(&[
        navigation(1_000_000, "http://acme.com/"),
        paint("F", 1_200_000),
        navigation(2_000_000, "http://acme.com/there"),
        navigation(2_100_000, ""),
        paint("other", 2_300_000),
        paint("F", 2_500_000),
        candidate(2_500_000, json!({"size": 10})),
        candidate(2_900_000, json!({"size": 90})),
        candidate(3_000_000, json!({})),
        event(
            "domContentLoadedEventEnd",
            2_700_000,
            &json!({"frame": "F"}),
        ),
        task(3_500_000, 10_000, 1),
    ])
    .unwrap();
    assert_eq!(
        (found.origin, found.fcp, found.lcp),
        (2.0, Some(500.0), Some(900.0))
    );
    assert_eq!((found.content_loaded, found.end), (Some(700.0), 1_510.0));
}

#[test]
fn main_thread_tasks_do_not_overlap() {
    let found = load(&[
        navigation(1_000_000, "http://acme.com/"),
        task(1_100_000, 80_000, 1),
        task(1_150_000, 40_000, 1),
        task(1_100_000, 500_000, 2),
    ])
    .unwrap();
    let spans: Vec<_> = found.tasks.iter().map(|it| (it.from, it.to)).collect();
    assert_eq!(spans, [(100.0, 149.999), (150.0, 190.0)]);
}

#[test]
fn shifts_after_input_count_only_near_the_viewport_change() {
    let scores = |events: &[Value]| -> Vec<f64> {
        load(events)
            .unwrap()
            .shifts
            .iter()
            .map(|it| it.score)
            .collect()
    };
    let begin = navigation(1_000_000, "http://acme.com/");
    // Within 500 ms of the viewport change, before the first unmarked shift.
    assert_eq!(
        scores(&[
            begin.clone(),
            shift(1_400_000, 0.1, true),
            shift(1_600_000, 0.2, true),
            shift(1_700_000, 0.3, false)
        ]),
        [0.1, 0.3]
    );
    assert_eq!(
        scores(&[
            begin,
            shift(1_200_000, 0.3, false),
            shift(1_300_000, 0.1, true)
        ]),
        [0.3]
    );
}

#[test]
fn malformed_events_are_ignored() {
    assert!(load(&[]).is_none());
    let odd = [
        json!(3),
        json!({"name": 5}),
        json!({"name": "navigationStart"}),
        json!({"name": "Screenshot", "ts": 5, "args": {"snapshot": "no picture"}}),
        json!({"name": "LayoutShift", "ts": 5, "args": {"data": {"weighted_score_delta": "x"}}}),
        navigation(1_000_000, "http://acme.com/"),
    ];
    let found = load(&odd).unwrap();
    assert!(found.fcp.is_none() && found.frames.is_empty() && found.shifts.is_empty());
    Trace::of_frame("F").read(&RawValue::from_string("[]".to_owned()).unwrap());
}
