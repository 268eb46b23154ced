use super::Subject;
use super::percentile::{is_distribution, p75_of_histogram};
use super::rating::{Rating, Thresholds, assess, thresholds_of, unit_of};
use super::record::{MetricRecord, MetricRecords, VitalsRecord, VitalsSource};
use super::trend::VitalsTrend;
use crate::observation::vitals::{
    FieldMetric, FieldSample, FieldScope, HistogramBin, VitalsMetric,
};
use crate::provenance::{Provenance, RecordStatus};

/// The page has too few visits; the figures are its origin's.
pub const ORIGIN_FALLBACK: &str = "originFallback";

/// LCP or CLS is missing, so there is no assessment.
const NOT_ASSESSED: &str = "notAssessed";

pub fn field_record(
    subject: &Subject<'_>,
    sample: &FieldSample,
    previous: Option<&VitalsRecord>,
) -> VitalsRecord {
    let mut record = subject.blank(sample.form_factor, VitalsSource::Field);
    record.envelope.url = Some(sample.url.clone());
    record.envelope.provenance = Provenance::Imported;
    record.envelope.provider = Some(sample.provider.clone());
    record.envelope.sample_size = 1;
    record.collection_period = sample.period;
    record.metrics = MetricRecords::from_each(|metric| {
        let known = sample.metrics.get(&metric)?;
        Some(metric_record(metric, known, sample))
    });
    let p75 = |metric| record.metrics.of(metric).and_then(|it| it.p75);
    record.assessment = assess(
        p75(VitalsMetric::Lcp),
        p75(VitalsMetric::Inp),
        p75(VitalsMetric::Cls),
    );
    if sample.scope == FieldScope::OriginInstead {
        record.envelope.warnings.push(ORIGIN_FALLBACK.to_owned());
    }
    if record.assessment.is_none() {
        record.envelope.status = RecordStatus::Partial;
        record.envelope.warnings.push(NOT_ASSESSED.to_owned());
    }
    record.trend = VitalsTrend::between(&record, previous);
    record
}

fn metric_record(metric: VitalsMetric, known: &FieldMetric, sample: &FieldSample) -> MetricRecord {
    let thresholds = thresholds_of(metric, sample.form_factor);
    let p75 = known.p75.or_else(|| p75_of_histogram(&known.histogram));
    let shares = shares(&known.histogram, thresholds);
    MetricRecord {
        p75,
        value: None,
        unit: Some(unit_of(metric)),
        rating: p75
            .map(|it| thresholds.rate(it))
            .or_else(|| shares.map(rating_by_shares)),
        histogram: known.histogram.clone(),
        good: shares.map(|it| it[0]),
        needs_improvement: shares.map(|it| it[1]),
        poor: shares.map(|it| it[2]),
    }
}

/// Shares of good, middle and poor visits; `None` unless the thresholds are bounds of bins (those of CrUX are).
fn shares(histogram: &[HistogramBin], thresholds: Thresholds) -> Option<[f64; 3]> {
    let is_bound = |bound: f64| {
        histogram
            .iter()
            .any(|it| it.end.is_some_and(|end| (end - bound).abs() < 1e-9))
    };
    let usable =
        is_distribution(histogram) && is_bound(thresholds.good) && is_bound(thresholds.poor);
    if !usable {
        return None;
    }
    let mut shares = [0.0; 3];
    for bin in histogram {
        // The bin below a threshold begins before it.
        let place = usize::from(bin.start > thresholds.good - 1e-9)
            + usize::from(bin.start > thresholds.poor - 1e-9);
        shares[place] += bin.density;
    }
    Some(shares)
}

/// The rating by shares, for a distribution without a 75th percentile.
fn rating_by_shares([good, between, _]: [f64; 3]) -> Rating {
    if good >= 0.75 {
        Rating::Good
    } else if good + between >= 0.75 {
        Rating::NeedsImprovement
    } else {
        Rating::Poor
    }
}
