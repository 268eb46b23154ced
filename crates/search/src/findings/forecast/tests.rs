//! Members, refusals and warnings of records.

use super::{
    CUT_AT_GAP, ForecastFrequency, ForecastInput, ForecastMethod, ForecastRecord, ForecastSummary,
    ForecastTally, ForecastTarget, ForecastUnit, HORIZON_SHORTENED, HistorySource, LEVEL_SHIFT,
    NO_BACK_TEST, NORMAL_INTERVALS, Quantity, RefusalReason, forecast,
};
use crate::findings::envelope::{Coverage, FindingContext};
use crate::findings::keyword_market::TrackedKeyword;
use crate::forecast::history::{Observation, ObservedValue};
use crate::observation::search_page::Device;
use crate::provenance::{Provenance, RecordStatus};
use chrono::{DateTime, Days, NaiveDate};
use serde_json::Value;

const RANKS: Quantity = Quantity::Position { depth: 100 };

fn day(number: u64) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 1).unwrap() + Days::new(number)
}

fn every(days: u64, values: impl IntoIterator<Item = f64>) -> Vec<Observation> {
    (0..)
        .zip(values)
        .map(|(number, value)| Observation {
            date: day(days * number),
            value: ObservedValue::Value(value),
        })
        .collect()
}

/// Deterministic fluctuating positions.
fn positions(count: u32) -> impl Iterator<Item = f64> {
    (0..count)
        .map(|number| f64::from(8 + (number * number * 7 + number * 3) % 11 / 3 + number / 20))
}

fn keyword() -> TrackedKeyword {
    TrackedKeyword {
        project_id: 4,
        keyword_id: 12,
        keyword: "garden hose".to_owned(),
        country: "us".to_owned(),
        location: None,
        language: "en".to_owned(),
        device: Device::Desktop,
        search_volume: Some(900),
    }
}

fn forecast_input(quantity: Quantity, observations: &[Observation]) -> ForecastInput<'_> {
    ForecastInput {
        context: FindingContext {
            project_id: 4,
            measured_at: DateTime::UNIX_EPOCH,
        },
        keyword: None,
        quantity,
        observations,
        source: HistorySource {
            provenance: Provenance::Measured,
            provider: Some("search"),
        },
        days: 14,
        thresholds: &[3.0, 10.0, 100.0],
    }
}

fn record(quantity: Quantity, observations: &[Observation]) -> ForecastRecord {
    forecast(&forecast_input(quantity, observations))
}

fn warns(record: &ForecastRecord, code: &str) -> bool {
    record.envelope.warnings.iter().any(|it| it == code)
}

#[test]
fn a_position_forecast_has_all_documented_fields() {
    let observations = every(1, positions(60));
    let keyword = keyword();
    let input = ForecastInput {
        keyword: Some((&keyword, "google")),
        ..forecast_input(RANKS, &observations)
    };
    let record = forecast(&input);
    assert_eq!(record.envelope.status, RecordStatus::Ok);
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!(json["type"], "forecast");
    assert_eq!(json["methodVersion"], "forecast/1");
    assert_eq!(
        (&json["projectId"], &json["keywordId"]),
        (&4.into(), &12.into())
    );
    assert_eq!(json["provenance"], "estimated");
    assert_eq!(json["market"]["keyword"], "garden hose");
    assert_eq!(
        (&json["target"], &json["unit"]),
        (&"position".into(), &"position".into())
    );
    assert_eq!(json["frequency"], "daily");
    assert_eq!(json["horizon"], 14);
    assert_eq!(json["points"].as_array().unwrap().len(), 14);
    assert_eq!(json["points"][0]["date"], "2026-04-30");
    for part in ["mean", "median", "lo80", "hi80", "lo95", "hi95"] {
        assert!(json["points"][13][part].is_f64(), "{part}");
    }
    for part in ["start", "end", "n", "missing"] {
        assert!(!json["history"][part].is_null(), "{part}");
    }
    for part in [
        "origins",
        "mase",
        "smape",
        "mae",
        "coverage80",
        "coverage95",
        "naiveMase",
        "seasonalNaiveMase",
        "combinationMase",
    ] {
        assert!(json["backtest"][part].is_number(), "{part}");
    }
    assert!(json["trend"]["slopePerWeek"].is_f64() && json["trend"]["phi"].is_f64());
    assert!(json["changePoints"].is_array() && json["quality"].is_string());
    assert_eq!(json["refusal"], Value::Null);
    // The probability to rank within the depth is unknown.
    let thresholds: Vec<f64> = record.targets.iter().map(|it| it.threshold).collect();
    assert_eq!(thresholds, [3.0, 10.0]);
    assert!(record.targets[0].probability <= record.targets[1].probability);
    let back: ForecastRecord = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), json);
}

#[test]
fn each_quantity_stays_within_what_it_can_be() {
    let shares = || (0..50_u32).map(|number| f64::from((number * 7) % 4) / 20.0);
    let cases = [
        (
            Quantity::MentionRate { answers: 20 },
            1.0,
            ForecastTarget::MentionRate,
            ForecastUnit::Share,
        ),
        (
            Quantity::VisibilityIndex { keywords: 50 },
            100.0,
            ForecastTarget::VisibilityIndex,
            ForecastUnit::Index,
        ),
        (
            Quantity::EstimatedTraffic,
            f64::MAX,
            ForecastTarget::EstimatedTraffic,
            ForecastUnit::ClicksPerMonth,
        ),
        (
            Quantity::Clicks,
            f64::MAX,
            ForecastTarget::Clicks,
            ForecastUnit::Clicks,
        ),
    ];
    for (quantity, max, target, unit) in cases {
        let scale = if max > 100.0 { 1_000.0 } else { max };
        let observations = every(1, shares().map(|share| share * scale));
        let record = record(quantity, &observations);
        assert_eq!((record.target, record.unit), (target, unit));
        assert_eq!(record.market, None);
        for point in &record.points {
            assert!(0.0 <= point.lo95 && point.hi95 <= max, "{point:?}");
            assert!(point.lo95 < point.hi95, "{point:?}");
        }
        assert_eq!(record.targets.len(), 3);
    }
}

#[test]
fn targets_other_than_position_are_lower_bounds() {
    let observations = every(1, (0..40_u32).map(|number| f64::from(number % 5) + 20.0));
    let input = ForecastInput {
        thresholds: &[1.0, 1_000_000.0],
        ..forecast_input(Quantity::Clicks, &observations)
    };
    let record = forecast(&input);
    assert!(record.targets[0].probability > 0.99 && record.targets[1].probability < 0.01);
}

#[test]
fn refusals_name_what_is_missing() {
    let none = record(RANKS, &[]);
    assert_eq!(none.refusal.unwrap().reason, RefusalReason::NoHistory);
    assert_eq!((none.history.start, none.envelope.sample_size), (None, 0));

    for count in [1, 13] {
        let short = record(RANKS, &every(1, positions(count)));
        let refusal = short.refusal.unwrap();
        assert_eq!(refusal.reason, RefusalReason::HistoryTooShort);
        assert_eq!((refusal.measured, refusal.needed), (count, Some(14)));
        assert_eq!(short.history.end, Some(day(u64::from(count) - 1)));
    }
    let weekly = record(RANKS, &every(7, positions(7)));
    assert_eq!(weekly.frequency, Some(ForecastFrequency::Weekly));
    assert_eq!(weekly.refusal.unwrap().needed, Some(8));

    let monthly = record(RANKS, &every(30, positions(40)));
    assert_eq!(
        monthly.refusal.unwrap().reason,
        RefusalReason::MeasuredTooRarely
    );

    for refused in [none, weekly, monthly] {
        assert_eq!(refused.envelope.status, RecordStatus::InsufficientData);
        assert!(warns(&refused, refused.refusal.unwrap().reason.code()));
        assert!(refused.points.is_empty() && refused.targets.is_empty());
        assert!(refused.method.is_none() && refused.backtest.is_none());
        assert!(refused.quality.is_none() && refused.horizon == 0);
    }
}

#[test]
fn mostly_unranked_sites_get_a_ranking_probability() {
    let mut observations = every(1, positions(40));
    for observation in observations.iter_mut().step_by(2) {
        observation.value = ObservedValue::BelowDepth;
    }
    let record = record(RANKS, &observations);
    assert_eq!(record.envelope.status, RecordStatus::InsufficientData);
    assert_eq!(
        record.refusal.unwrap().reason,
        RefusalReason::MostlyNotRanked
    );
    let [chance] = record.targets[..] else {
        panic!("one chance")
    };
    assert!((chance.threshold - 100.0).abs() < 1e-9);
    assert!((0.3..0.7).contains(&chance.probability), "{chance:?}");
}

#[test]
fn a_forecasts_limits_are_warnings() {
    let short = record(RANKS, &every(1, positions(20)));
    assert_eq!(short.horizon, 10);
    assert!(warns(&short, HORIZON_SHORTENED) && warns(&short, NORMAL_INTERVALS));
    assert!(!warns(&short, NO_BACK_TEST));
    assert_eq!(short.envelope.status, RecordStatus::Ok);

    let weeks = record(RANKS, &every(7, positions(8)));
    assert!(warns(&weeks, NO_BACK_TEST) && weeks.backtest.is_none());
    assert_eq!((weeks.quality, weeks.horizon), (None, 2));
    assert_eq!(weeks.envelope.status, RecordStatus::Partial);

    let long = record(RANKS, &every(1, positions(120)));
    assert!(!warns(&long, NORMAL_INTERVALS) && !warns(&long, HORIZON_SHORTENED));

    let mut gap = every(1, positions(60));
    gap.retain(|it| !(day(20)..day(23)).contains(&it.date));
    let gap = record(RANKS, &gap);
    assert!(warns(&gap, CUT_AT_GAP));
    assert_eq!((gap.history.start, gap.history.n), (Some(day(23)), 37));
}

#[test]
fn filled_days_are_counted_and_are_no_measurements() {
    let mut observations = every(1, positions(60));
    observations[30].value = ObservedValue::Missing;
    observations[31].value = ObservedValue::Value(f64::NAN);
    let record = record(RANKS, &observations);
    assert_eq!((record.history.n, record.history.missing), (60, 2));
    assert_eq!(record.envelope.sample_size, 58);
}

#[test]
fn history_starts_at_the_last_level_shift() {
    let shifted = positions(80).enumerate().map(|(place, position)| {
        if place < 45 {
            position + 30.0
        } else {
            position
        }
    });
    let record = record(RANKS, &every(1, shifted));
    assert_eq!(record.change_points, [day(45)]);
    assert_eq!(record.history.start, Some(day(45)));
    assert!(warns(&record, LEVEL_SHIFT));
}

#[test]
fn forecasts_of_simulated_data_are_simulated() {
    let observations = every(1, positions(30));
    for (history, expected) in [
        (Provenance::Simulated, Provenance::Simulated),
        (Provenance::Measured, Provenance::Estimated),
        (Provenance::Imported, Provenance::Estimated),
    ] {
        let input = ForecastInput {
            source: HistorySource {
                provenance: history,
                provider: None,
            },
            ..forecast_input(RANKS, &observations)
        };
        assert_eq!(forecast(&input).envelope.provenance, expected);
    }
}

#[test]
fn the_same_measurements_give_the_same_bytes() {
    let observations = every(1, positions(90));
    let text = || serde_json::to_string(&record(RANKS, &observations)).unwrap();
    assert_eq!(text(), text());
}

#[test]
fn a_summary_counts_methods_qualities_and_refusals() {
    let mut tally = ForecastTally::default();
    let constant = record(RANKS, &every(1, [5.0; 20]));
    assert_eq!(constant.method, Some(ForecastMethod::Constant));
    assert_eq!(constant.envelope.status, RecordStatus::Ok);
    tally.add(&constant);
    let long = record(RANKS, &every(1, positions(60)));
    tally.add(&long);
    tally.add(&record(RANKS, &[]));
    tally.add(&record(RANKS, &every(1, positions(5))));
    let ForecastSummary {
        coverage,
        constant,
        combination,
        naive,
        good,
        fair,
        poor,
        no_history,
        history_too_short,
        ..
    } = tally.finish(4);
    assert_eq!(coverage, Coverage::new(4, 2, 0));
    assert_eq!(
        (constant, combination + naive, good + fair + poor),
        (1, 1, 1)
    );
    assert_eq!((no_history, history_too_short), (1, 1));
}
