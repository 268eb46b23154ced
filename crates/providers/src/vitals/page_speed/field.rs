use crate::{http_client::parse_json, resilience::CallFailure};
use analysis::observation::vitals::{
    FieldMetric, FieldSample, FieldScope, FormFactor, HistogramBin, VitalsMetric,
};
use domain::ports::page_speed::FieldTarget;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Metrics by API name, with the divisor of their integers.
const METRICS: [(&str, VitalsMetric, f64); 5] = [
    ("LARGEST_CONTENTFUL_PAINT_MS", VitalsMetric::Lcp, 1.0),
    ("INTERACTION_TO_NEXT_PAINT", VitalsMetric::Inp, 1.0),
    ("CUMULATIVE_LAYOUT_SHIFT_SCORE", VitalsMetric::Cls, 100.0),
    ("FIRST_CONTENTFUL_PAINT_MS", VitalsMetric::Fcp, 1.0),
    ("EXPERIMENTAL_TIME_TO_FIRST_BYTE", VitalsMetric::Ttfb, 1.0),
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    id: Option<String>,
    loading_experience: Option<Experience>,
    origin_loading_experience: Option<Experience>,
}

#[derive(Deserialize)]
struct Experience {
    id: Option<String>,
    #[serde(default)]
    metrics: BTreeMap<String, Metric>,
    #[serde(default)]
    origin_fallback: bool,
}

#[derive(Deserialize)]
struct Metric {
    percentile: Option<f64>,
    #[serde(default)]
    distributions: Vec<Bin>,
}

#[derive(Deserialize)]
struct Bin {
    #[serde(default)]
    min: f64,
    max: Option<f64>,
    #[serde(default)]
    proportion: f64,
}

/// `None` if the source has too few visits.
pub(super) fn parse(
    body: &[u8],
    target: &FieldTarget,
    form_factor: FormFactor,
    provider: &str,
) -> Result<Option<FieldSample>, CallFailure> {
    let body: Body = parse_json(body)?;
    if body.id.is_none() && body.loading_experience.is_none() {
        return Err(CallFailure::malformed("it holds no result"));
    }
    let (target_url, experience) = match target {
        FieldTarget::Page(page) => (page, body.loading_experience),
        FieldTarget::Origin(origin) => (origin, body.origin_loading_experience),
    };
    let Some(experience) = experience.filter(|it| !it.metrics.is_empty()) else {
        return Ok(None);
    };
    let scope = match target {
        FieldTarget::Origin(_) => FieldScope::Origin,
        FieldTarget::Page(_) if experience.origin_fallback => FieldScope::OriginInstead,
        FieldTarget::Page(_) => FieldScope::Page,
    };
    Ok(Some(FieldSample {
        url: experience.id.unwrap_or_else(|| target_url.clone()),
        scope,
        form_factor,
        // Always the last 28 days; the response has no dates.
        period: None,
        metrics: metrics(experience.metrics),
        provider: provider.to_owned(),
    }))
}

fn metrics(named: BTreeMap<String, Metric>) -> BTreeMap<VitalsMetric, FieldMetric> {
    let mut metrics = BTreeMap::new();
    for (name, metric) in named {
        let known = METRICS.iter().find(|it| it.0 == name);
        metrics.extend(known.map(|&(_, kind, divisor)| (kind, metric.divided(divisor))));
    }
    metrics
}

impl Metric {
    fn divided(self, divisor: f64) -> FieldMetric {
        let bin = |it: Bin| HistogramBin {
            start: it.min / divisor,
            end: it.max.map(|it| it / divisor),
            density: it.proportion,
        };
        FieldMetric {
            p75: self.percentile.map(|it| it / divisor),
            histogram: self.distributions.into_iter().map(bin).collect(),
            samples: None,
        }
    }
}
