use super::{IssueCollector, Subject};
use crate::findings::broken_links::Severity;
use crate::findings::issues::code::IssueCode;
use crate::findings::vitals::{MetricRecord, Rating, VitalsRecord};
use crate::observation::vitals::ResourceKind;

/// Bytes below which compression gains nothing: one packet (Lighthouse).
const WORTH_COMPRESSING: u64 = 1_400;
/// Render-blocking style sheets that are accepted (ours).
const MAX_SHEETS: usize = 3;

pub fn find(subject: &Subject<'_>, found: &mut IssueCollector) {
    for record in subject.context.vitals {
        record_issues(record, found);
    }
    let response = &subject.page.response;
    let is_plain = response
        .headers
        .content_encoding
        .as_deref()
        .is_none_or(|it| it.trim().is_empty() || it.eq_ignore_ascii_case("identity"));
    if is_plain && response.body_bytes > WORTH_COMPRESSING {
        found.add(
            IssueCode::NoCompression,
            format!("{} bytes", response.body_bytes),
        );
    }
    let blocking = |kind| {
        let files = subject.page.files.iter();
        files.filter(move |it| it.blocks_rendering && it.kind == kind)
    };
    let scripts = blocking(ResourceKind::Script);
    let sheets = blocking(ResourceKind::Stylesheet);
    if scripts.clone().next().is_some() || sheets.clone().count() > MAX_SHEETS {
        found.add_each(
            IssueCode::RenderBlocking,
            scripts.chain(sheets).map(|it| &it.url),
        );
    }
}

fn record_issues(record: &VitalsRecord, found: &mut IssueCollector) {
    let metrics = &record.metrics;
    for (metric, code) in [
        (&metrics.lcp, IssueCode::LcpPoor),
        (&metrics.inp, IssueCode::InpPoor),
        (&metrics.cls, IssueCode::ClsPoor),
        (&metrics.ttfb, IssueCode::TtfbPoor),
    ] {
        let Some(metric) = metric else {
            continue;
        };
        let severity = match metric.rating {
            Some(Rating::Poor) => Severity::Error,
            Some(Rating::NeedsImprovement) => Severity::Warning,
            _ => continue,
        };
        found.add_with(code, severity, 1, value(metric));
    }
}

fn value(metric: &MetricRecord) -> Option<String> {
    let value = metric.p75.or(metric.value)?;
    Some(if value < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.0} ms")
    })
}
