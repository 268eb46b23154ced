//! Pages that fail a Core Web Vital, by field data, else by lab data.

use crate::findings::suggestions::collect::{Fault, Findings};
use crate::findings::suggestions::collected::{VitalsFigure, VitalsKey};
use crate::findings::suggestions::evidence::{Evidence, RecordRef};
use crate::findings::suggestions::rule::Severity;
use crate::findings::vitals::{Rating, VitalsRecord, VitalsSource, thresholds_of};
use crate::observation::vitals::{FormFactor, VitalsMetric};
use crate::result_type::ResultType;
use crate::url_rules::page_key;

pub(in super::super) const fn record_fields(record: &VitalsRecord) -> (&'static str, &'static str) {
    let device = match record.form_factor {
        FormFactor::Phone => "phone",
        FormFactor::Desktop => "desktop",
        FormFactor::All => "all",
    };
    let source = match record.source {
        VitalsSource::Field => "field",
        VitalsSource::Lab => "lab",
    };
    (device, source)
}

pub(in super::super) fn add(findings: &mut Findings<'_>, record: &VitalsRecord, url: &str) {
    let (device, source) = record_fields(record);
    for metric in [VitalsMetric::Lcp, VitalsMetric::Inp, VitalsMetric::Cls] {
        let figure = record
            .metrics
            .of(metric)
            .and_then(|it| match record.source {
                VitalsSource::Field => it.p75,
                VitalsSource::Lab => it.value,
            });
        let Some(value) = figure else {
            continue;
        };
        let place = VitalsKey {
            page: page_key(url),
            metric,
            form_factor: record.form_factor,
        };
        let figures = findings.speed.entry(place).or_default();
        let figure = Some(VitalsFigure {
            url: url.to_owned(),
            record: RecordRef::of(&record.envelope)
                .with("formFactor", device)
                .with("source", source),
            value,
        });
        match record.source {
            VitalsSource::Field => figures.field = figure,
            VitalsSource::Lab => figures.lab = figure,
        }
    }
}

pub(in super::super) fn add_faults(findings: &mut Findings<'_>) {
    for (place, figures) in std::mem::take(&mut findings.speed) {
        let Some((figure, variant)) = figures
            .field
            .map(|it| (it, "field"))
            .or(figures.lab.map(|it| (it, "lab")))
        else {
            continue;
        };
        let thresholds = thresholds_of(place.metric, place.form_factor);
        let severity = match thresholds.rate(figure.value) {
            Rating::Good => continue,
            Rating::NeedsImprovement => Severity::Warning,
            Rating::Poor => Severity::Error,
        };
        let (rule, name, pointer, unit) = metric_names(place.metric, variant);
        let device = figure
            .record
            .with
            .get("formFactor")
            .cloned()
            .unwrap_or_default();
        let value = shown(figure.value, unit);
        let good = shown(thresholds.good, unit);
        let source_text = if variant == "field" {
            "for a quarter of the visits it is worse"
        } else {
            "in our browser"
        };
        let evidence = Evidence::of(ResultType::Vitals, figure.record, name, pointer)
            .observed(figure.value)
            .threshold(thresholds.good);
        findings.add_case(Fault {
            rule,
            variant,
            scope: &format!("{variant} {device}"),
            url: &figure.url,
            evidence: vec![evidence],
            description: Some(format!(
                "{}: bring {name} on {device} from {value} ({source_text}) to {good} or less; its record in vitals lists what would help.",
                figure.url
            )),
            rationale: format!("{name} is good up to {good}."),
            severity: Some(severity),
        });
    }
}

fn metric_names(
    metric: VitalsMetric,
    variant: &str,
) -> (&'static str, &'static str, &'static str, &'static str) {
    let is_field = variant == "field";
    let at = |field, lab| if is_field { field } else { lab };
    match metric {
        VitalsMetric::Inp => (
            "inpPoor",
            "INP",
            at("/metrics/inp/p75", "/metrics/inp/value"),
            " ms",
        ),
        VitalsMetric::Cls => (
            "clsPoor",
            "CLS",
            at("/metrics/cls/p75", "/metrics/cls/value"),
            "",
        ),
        _ => (
            "lcpPoor",
            "LCP",
            at("/metrics/lcp/p75", "/metrics/lcp/value"),
            " ms",
        ),
    }
}

fn shown(value: f64, unit: &str) -> String {
    if unit.is_empty() {
        format!("{value:.2}")
    } else {
        format!("{value:.0}{unit}")
    }
}
