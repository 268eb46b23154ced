//! Fields and values of records.

use crate::findings::vitals::{
    Assessment, Direction, Rating, Subject, VitalsRecord, VitalsSource, VitalsSummary,
    field_record, lab_record, static_record,
};
use crate::observation::vitals::{
    CollectionPeriod, FieldMetric, FieldSample, FieldScope, FormFactor, HistogramBin,
    LabMeasurement, LabMetrics, LabRun, ResourceFact, ResourceKind, StaticFacts, VitalsMetric,
};
use crate::provenance::{Provenance, RecordStatus};
use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const URL: &str = "https://acme.com/";

fn noon(day: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + day * 86_400, 0).unwrap()
}

fn subject(day: i64) -> Subject<'static> {
    Subject {
        project_id: 7,
        url: URL,
        measured_at: noon(day),
    }
}

fn histogram(bounds: [f64; 2], densities: [f64; 3]) -> Vec<HistogramBin> {
    let [good, poor] = bounds;
    let parts = [(0.0, Some(good)), (good, Some(poor)), (poor, None)];
    let bins = parts.into_iter().zip(densities);
    bins.map(|((start, end), density)| HistogramBin {
        start,
        end,
        density,
    })
    .collect()
}

fn sample() -> FieldSample {
    let metric = |p75, bounds, densities| FieldMetric {
        p75: Some(p75),
        histogram: histogram(bounds, densities),
        samples: None,
    };
    let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    FieldSample {
        url: URL.to_owned(),
        scope: FieldScope::Page,
        form_factor: FormFactor::Phone,
        period: Some(CollectionPeriod {
            first_date: day(1),
            last_date: day(28),
        }),
        metrics: BTreeMap::from([
            (
                VitalsMetric::Lcp,
                metric(2_100.0, [2_500.0, 4_000.0], [0.82, 0.12, 0.06]),
            ),
            (
                VitalsMetric::Cls,
                metric(0.02, [0.1, 0.25], [0.9, 0.05, 0.05]),
            ),
            (
                VitalsMetric::Inp,
                metric(210.0, [200.0, 500.0], [0.7, 0.2, 0.1]),
            ),
        ]),
        provider: "CrUX".to_owned(),
    }
}

fn run(lcp: f64, tbt: f64) -> LabRun {
    LabRun {
        final_url: URL.to_owned(),
        metrics: LabMetrics {
            fcp: Some(1_500.0),
            lcp: Some(lcp),
            cls: Some(0.0),
            tbt: Some(tbt),
            ttfb: Some(120.0),
            si: Some(1_900.0),
            tti: Some(2_000.0),
        },
        lcp_element: None,
        lcp_breakdown: None,
        cls_sources: Vec::new(),
        redirects_ms: Some(0.0),
        server_response_ms: Some(700.0),
        unsized_images: Some(1),
        resources: vec![
            file(ResourceKind::Document, 9_000),
            file(ResourceKind::Image, 50_000),
        ],
        opportunities: None,
        warnings: Vec::new(),
    }
}

fn file(kind: ResourceKind, bytes: u64) -> ResourceFact {
    ResourceFact {
        url: format!("{URL}{kind:?}"),
        kind,
        status: Some(200),
        transfer_bytes: Some(bytes),
        is_compressed: false,
        gzip_bytes: (kind == ResourceKind::Document).then_some(3_000),
        fresh_for: None,
        blocks_rendering: false,
    }
}

fn measured(runs: Vec<LabRun>) -> LabMeasurement {
    LabMeasurement {
        form_factor: FormFactor::Phone,
        requested_runs: 5,
        runs,
        provider: "chromium".to_owned(),
        provenance: Provenance::Measured,
    }
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn a_record_has_exactly_the_documented_fields() {
    let record = json!(lab_record(
        &subject(0),
        &measured(vec![run(2_000.0, 0.0)]),
        None
    ));
    let envelope = [
        "type",
        "projectId",
        "keywordId",
        "url",
        "measuredAt",
        "status",
        "error",
        "provenance",
        "provider",
        "methodVersion",
        "sampleSize",
        "warnings",
    ];
    let own = [
        // The page that the figures of an origin are for.
        "requestedUrl",
        "formFactor",
        "source",
        "collectionPeriod",
        "metrics",
        "assessment",
        "performanceScore",
        "runs",
        "iqr",
        "lcpElement",
        "lcpBreakdown",
        "clsSources",
        "opportunities",
        "resourceSummary",
        "trend",
    ];
    assert_eq!(keys(&record), envelope.into_iter().chain(own).collect());
    assert_eq!(
        keys(&record["metrics"]),
        BTreeSet::from(["lcp", "inp", "cls", "fcp", "ttfb", "tbt", "si"])
    );
    assert_eq!(
        keys(&record["metrics"]["lcp"]),
        BTreeSet::from([
            "p75",
            "value",
            "unit",
            "rating",
            "histogram",
            "good",
            "needsImprovement",
            "poor"
        ])
    );
    let back: VitalsRecord = serde_json::from_value(record.clone()).unwrap();
    assert_eq!(json!(back), record);
}

#[test]
fn field_data_is_rated_assessed_and_marked_as_imported() {
    let record = field_record(&subject(0), &sample(), None);
    let inp = record.metrics.inp.as_ref().unwrap();
    assert_eq!(
        (inp.p75, inp.value, inp.rating),
        (Some(210.0), None, Some(Rating::NeedsImprovement))
    );
    assert_eq!(
        (inp.good, inp.needs_improvement, inp.poor),
        (Some(0.7), Some(0.2), Some(0.1))
    );
    assert_eq!(record.assessment, Some(Assessment::Failed));
    assert_eq!(record.envelope.provenance, Provenance::Imported);
    assert_eq!((record.performance_score, record.runs), (None, None));
    assert!(record.metrics.tbt.is_none() && record.metrics.si.is_none());
}

#[test]
fn a_page_without_interactions_is_assessed_by_the_other_two() {
    let mut sample = sample();
    sample.metrics.remove(&VitalsMetric::Inp);
    assert_eq!(
        field_record(&subject(0), &sample, None).assessment,
        Some(Assessment::Passed)
    );
    sample.metrics.remove(&VitalsMetric::Cls);
    let record = field_record(&subject(0), &sample, None);
    assert_eq!(
        (record.assessment, record.envelope.status),
        (None, RecordStatus::Partial)
    );
}

#[test]
fn origin_figures_add_a_warning() {
    let sample = FieldSample {
        scope: FieldScope::OriginInstead,
        ..sample()
    };
    let record = field_record(&subject(0), &sample, None);
    assert_eq!(record.envelope.warnings, ["originFallback"]);
}

#[test]
fn a_missing_percentile_is_interpolated_or_only_rated() {
    let mut sample = sample();
    let lcp = sample.metrics.get_mut(&VitalsMetric::Lcp).unwrap();
    lcp.p75 = None;
    lcp.histogram = histogram([2_500.0, 4_000.0], [0.7, 0.2, 0.1]);
    let record = field_record(&subject(0), &sample, None);
    let found = record.metrics.lcp.unwrap();
    assert!((found.p75.unwrap() - 2_875.0).abs() < 1e-9);
    let lcp = sample.metrics.get_mut(&VitalsMetric::Lcp).unwrap();
    lcp.histogram = histogram([2_500.0, 4_000.0], [0.2, 0.2, 0.6]);
    let found = field_record(&subject(0), &sample, None)
        .metrics
        .lcp
        .unwrap();
    assert_eq!((found.p75, found.rating), (None, Some(Rating::Poor)));
}

#[test]
fn the_median_load_is_recorded() {
    let runs = [2_000.0, 9_000.0, 2_600.0, 2_300.0, 3_500.0].map(|lcp| run(lcp, 0.0));
    let record = lab_record(&subject(0), &measured(runs.to_vec()), None);
    assert_eq!(record.metrics.lcp.unwrap().value, Some(2_600.0));
    assert_eq!((record.performance_score, record.runs), (Some(97), Some(5)));
    // Quartiles 2300 and 3500.
    assert_eq!(record.iqr.unwrap().lcp, Some(1_200.0));
    assert_eq!(record.assessment, None);
    assert!(
        record.envelope.warnings.is_empty(),
        "{:?}",
        record.envelope.warnings
    );
}

#[test]
fn failed_loads_add_a_warning_and_one_has_no_spread() {
    let record = lab_record(&subject(0), &measured(vec![run(2_000.0, 0.0)]), None);
    assert_eq!((record.iqr, record.envelope.sample_size), (None, 1));
    assert_eq!(record.envelope.warnings, ["fewerRuns"]);
    let mut unseen = run(2_000.0, 0.0);
    unseen.metrics.si = None;
    let record = lab_record(&subject(0), &measured(vec![unseen; 5]), None);
    assert_eq!(
        (record.performance_score, record.envelope.status),
        (None, RecordStatus::Partial)
    );
    assert!(record.metrics.lcp.is_some() && record.metrics.si.is_none());
}

#[test]
fn without_a_browser_there_are_no_paint_metrics() {
    let facts = StaticFacts {
        form_factor: FormFactor::Phone,
        final_url: "https://acme.com/home".to_owned(),
        ttfb_ms: Some(900.0),
        redirects_ms: Some(80.0),
        server_response_ms: Some(700.0),
        unsized_images: 2,
        resources: run(0.0, 0.0).resources,
        warnings: Vec::new(),
    };
    let record = static_record(&subject(0), &facts);
    assert_eq!(
        record.metrics.ttfb.as_ref().unwrap().rating,
        Some(Rating::NeedsImprovement)
    );
    for metric in VitalsMetric::ALL
        .into_iter()
        .filter(|it| *it != VitalsMetric::Ttfb)
    {
        assert!(record.metrics.of(metric).is_none(), "{metric:?}");
    }
    assert_eq!((record.performance_score, record.runs), (None, Some(0)));
    assert_eq!(record.envelope.warnings, ["noBrowser", "redirected"]);
    assert_eq!(
        record.envelope.url.as_deref(),
        Some("https://acme.com/home")
    );
    let found: Vec<_> = record
        .opportunities
        .iter()
        .map(|it| (it.audit_id.as_str(), it.savings_ms, it.savings_bytes))
        .collect();
    assert_eq!(
        found,
        [
            ("redirects", Some(80.0), None),
            ("server-response-time", Some(600.0), None),
            ("unsized-images", None, None),
            ("uses-long-cache-ttl", None, Some(50_000)),
            ("uses-text-compression", None, Some(6_000)),
        ]
    );
    let image = record.resource_summary[&ResourceKind::Image];
    assert_eq!((image.count, image.transfer_bytes), (1, Some(50_000)));
}

#[test]
fn a_change_within_the_spread_is_noise() {
    let before = lab_record(
        &subject(0),
        &measured([2_000.0, 2_400.0, 2_800.0].map(|it| run(it, 0.0)).to_vec()),
        None,
    );
    let now = lab_record(
        &subject(1),
        &measured(
            [2_300.0, 2_700.0, 3_100.0]
                .map(|it| run(it, 500.0))
                .to_vec(),
        ),
        Some(&before),
    );
    let trend = now.trend.unwrap();
    assert_eq!(trend.since, noon(0));
    let lcp = trend.lcp.unwrap();
    assert_eq!(
        (lcp.previous, lcp.change, lcp.direction),
        (2_400.0, 300.0, Direction::Steady)
    );
    assert_eq!(trend.tbt.unwrap().direction, Direction::Worse);
    assert_eq!(trend.performance_score.unwrap().direction, Direction::Worse);
    assert!(trend.inp.is_none());
    // Records of different sources are not compared.
    assert_eq!(
        field_record(&subject(1), &sample(), Some(&before)).trend,
        None
    );
}

#[test]
fn a_summary_keeps_field_and_lab_apart() {
    let mut slow = sample();
    slow.metrics.remove(&VitalsMetric::Inp);
    slow.url = "https://acme.com/slow".to_owned();
    let records = [
        field_record(&subject(0), &sample(), None),
        field_record(&subject(0), &slow, None),
        lab_record(&subject(0), &measured(vec![run(9_000.0, 0.0); 5]), None),
        subject(0).without_field_data(FormFactor::Phone, "CrUX"),
        subject(0).failed(FormFactor::Desktop, VitalsSource::Lab, "labTimedOut"),
    ];
    let summary = VitalsSummary::of(&records, 6);
    assert_eq!(
        (
            summary.coverage.measured,
            summary.coverage.failed,
            summary.coverage.skipped
        ),
        (4, 1, 1)
    );
    assert_eq!(summary.without_field_data, Some(1));
    let known = |records: &[VitalsRecord]| VitalsSummary::of(records, 6).without_field_data;
    assert_eq!(known(&records[..2]), Some(0));
    // No field source was queried, or none answered.
    assert_eq!(known(&records[2..3]), None);
    let failed = subject(0).failed(FormFactor::Phone, VitalsSource::Field, "timedOut");
    assert_eq!(known(&[failed]), None);
    let phones = &summary.by_form_factor[&FormFactor::Phone];
    assert_eq!(
        (phones.assessed, phones.passed, phones.passed_share),
        (2, 1, Some(0.5))
    );
    assert_eq!(phones.field_ratings[&VitalsMetric::Lcp].good, 2);
    assert_eq!(phones.lab_ratings[&VitalsMetric::Lcp].poor, 1);
    assert_eq!(
        (phones.scored, phones.median_performance_score),
        (1, Some(75.0))
    );
    let desktops = &summary.by_form_factor[&FormFactor::Desktop];
    assert_eq!((desktops.assessed, desktops.passed_share), (0, None));
}

#[test]
fn an_origin_that_stands_in_for_many_pages_counts_once() {
    let mut origin = sample();
    origin.scope = FieldScope::OriginInstead;
    origin.url = "https://acme.com".to_owned();
    let pages = ["https://acme.com/a", "https://acme.com/b"];
    let records = pages.map(|url| {
        let subject = Subject { url, ..subject(0) };
        field_record(&subject, &origin, None)
    });
    assert_eq!(
        records.each_ref().map(|it| it.requested_url.as_str()),
        pages
    );
    let summary = VitalsSummary::of(&records, 2);
    let phones = &summary.by_form_factor[&FormFactor::Phone];
    assert_eq!((summary.coverage.measured, phones.assessed), (2, 1));
}
