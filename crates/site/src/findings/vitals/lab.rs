use super::opportunity::{LoadFacts, opportunities, resource_summary};
use super::record::{MetricRecord, MetricRecords, VitalsRecord, VitalsSource};
use super::runs::{median_run, score_of, spread};
use super::trend::VitalsTrend;
use super::{Subject, thresholds_of, unit_of};
use crate::observation::vitals::{
    FormFactor, LabMeasurement, LabMetrics, LabRun, StaticFacts, VitalsMetric,
};
use crate::provenance::RecordStatus;

/// No browser loaded the page: only its files are known, and there are no paint metrics.
pub const NO_BROWSER: &str = "noBrowser";

pub const FEWER_RUNS: &str = "fewerRuns";

/// A metric is missing, so there is no score.
const NOT_SCORED: &str = "notScored";

const REDIRECTED: &str = "redirected";

/// Values of the median load by score, and the spread of all loads.
pub fn lab_record(
    subject: &Subject<'_>,
    measured: &LabMeasurement,
    previous: Option<&VitalsRecord>,
) -> VitalsRecord {
    let form_factor = measured.form_factor;
    let mut record = subject.blank(form_factor, VitalsSource::Lab);
    let runs = u32::try_from(measured.runs.len()).unwrap_or(u32::MAX);
    record.envelope.provenance = measured.provenance;
    record.envelope.provider = Some(measured.provider.clone());
    record.envelope.sample_size = runs;
    record.runs = Some(runs);
    let Some(run) = median_run(&measured.runs, form_factor) else {
        record.envelope.status = RecordStatus::InsufficientData;
        return record;
    };
    describe(&mut record, subject, run);
    record.performance_score = score_of(run, form_factor).map(points);
    record.iqr = (measured.runs.len() > 1).then(|| spread(&measured.runs, form_factor));
    if runs < measured.requested_runs {
        record.envelope.warnings.push(FEWER_RUNS.to_owned());
    }
    if record.performance_score.is_none() {
        record.envelope.status = RecordStatus::Partial;
        record.envelope.warnings.push(NOT_SCORED.to_owned());
    }
    record.trend = VitalsTrend::between(&record, previous);
    record
}

/// A record from the files of a page; its only metric is the time to first byte.
pub fn static_record(subject: &Subject<'_>, facts: &StaticFacts) -> VitalsRecord {
    let mut record = subject.blank(facts.form_factor, VitalsSource::Lab);
    record.envelope.status = RecordStatus::Partial;
    record.envelope.sample_size = 1;
    record.envelope.warnings.push(NO_BROWSER.to_owned());
    record
        .envelope
        .warnings
        .extend(facts.warnings.iter().cloned());
    record.runs = Some(0);
    set_final_url(&mut record, subject, &facts.final_url);
    let known = LabMetrics {
        ttfb: facts.ttfb_ms,
        ..LabMetrics::default()
    };
    record.metrics = metric_records(&known, facts.form_factor);
    record.resource_summary = resource_summary(&facts.resources);
    record.opportunities = opportunities(&LoadFacts {
        server_response_ms: facts.server_response_ms,
        redirects_ms: facts.redirects_ms,
        unsized_images: Some(facts.unsized_images),
        resources: &facts.resources,
    });
    record
}

fn describe(record: &mut VitalsRecord, subject: &Subject<'_>, run: &LabRun) {
    set_final_url(record, subject, &run.final_url);
    record
        .envelope
        .warnings
        .extend(run.warnings.iter().cloned());
    record.metrics = metric_records(&run.metrics, record.form_factor);
    record.lcp_element.clone_from(&run.lcp_element);
    record.lcp_breakdown = run.lcp_breakdown;
    record.cls_sources.clone_from(&run.cls_sources);
    record.resource_summary = resource_summary(&run.resources);
    record.opportunities = run.opportunities.clone().unwrap_or_else(|| {
        opportunities(&LoadFacts {
            server_response_ms: run.server_response_ms,
            redirects_ms: run.redirects_ms,
            unsized_images: run.unsized_images,
            resources: &run.resources,
        })
    });
}

fn set_final_url(record: &mut VitalsRecord, subject: &Subject<'_>, final_url: &str) {
    if final_url != subject.url {
        record.envelope.warnings.push(REDIRECTED.to_owned());
    }
    record.envelope.url = Some(final_url.to_owned());
}

fn metric_records(metrics: &LabMetrics, form_factor: FormFactor) -> MetricRecords {
    MetricRecords::from_each(|metric| {
        let value = match metric {
            VitalsMetric::Lcp => metrics.lcp,
            VitalsMetric::Cls => metrics.cls,
            VitalsMetric::Fcp => metrics.fcp,
            VitalsMetric::Ttfb => metrics.ttfb,
            VitalsMetric::Tbt => metrics.tbt,
            VitalsMetric::Si => metrics.si,
            VitalsMetric::Inp => None,
        }?;
        Some(MetricRecord {
            value: Some(value),
            unit: Some(unit_of(metric)),
            rating: Some(thresholds_of(metric, form_factor).rate(value)),
            ..MetricRecord::default()
        })
    })
}

/// A score from 0 to 1 with two decimals, as points.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a score lies between 0 and 1"
)]
fn points(score: f64) -> u32 {
    (score * 100.0).round() as u32
}
