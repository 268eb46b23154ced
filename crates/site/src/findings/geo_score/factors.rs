#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// 0 to 1; `None` if unknown.
    pub value: Option<f64>,
    pub figure: Option<f64>,
    /// The figure for the full value.
    pub target: Option<f64>,
    pub evidence: Vec<String>,
}

const MAX_EVIDENCE: usize = 5;
const EVIDENCE_CHARACTERS: usize = 160;

impl Measured {
    /// `count` per 1,000 words, up to `target` for the full value. Without words: value 0, figure unknown.
    pub fn per_thousand(count: usize, words: usize, target: f64, evidence: Vec<String>) -> Self {
        let rate = (words > 0).then(|| 1_000.0 * to_f64(count) / to_f64(words));
        Self {
            value: Some(rate.map_or(0.0, |it| (it / target).min(1.0))),
            figure: rate,
            target: Some(target),
            evidence: truncated_evidence(evidence),
        }
    }

    /// The weights sum to 1; unknown parts are left out and the other weights scaled up.
    pub fn from_parts(parts: &[Part]) -> Self {
        Self {
            value: weighted_mean(parts.iter().map(|it| (it.weight, it.value))),
            figure: None,
            target: None,
            evidence: truncated_evidence(parts.iter().filter_map(Part::describe).collect()),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Part {
    weight: f64,
    value: Option<f64>,
    evidence: String,
}

impl Part {
    /// `value` is 0 to 1; `None` is unknown.
    pub fn new(weight: f64, value: impl Into<Option<f64>>, evidence: impl Into<String>) -> Self {
        Self {
            weight,
            value: value.into(),
            evidence: evidence.into(),
        }
    }

    fn describe(&self) -> Option<String> {
        let known = self.value?;
        Some(format!("{}: {}", self.evidence, format_value(known)))
    }
}

fn format_value(value: f64) -> String {
    match value {
        it if it >= 1.0 => "yes".to_owned(),
        it if it <= 0.0 => "no".to_owned(),
        it => format!("{it:.2}"),
    }
}

pub fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

#[expect(clippy::cast_precision_loss, reason = "counts of one page")]
pub fn to_f64(count: usize) -> f64 {
    count as f64
}

/// The mean of the known values; `None` without any.
pub fn weighted_mean(parts: impl IntoIterator<Item = (f64, Option<f64>)>) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (weight, value) in parts {
        if let Some(value) = value {
            sum += weight * value;
            weights += weight;
        }
    }
    (weights > 0.0).then(|| sum / weights)
}

pub fn truncated_evidence(evidence: Vec<String>) -> Vec<String> {
    let first = evidence.into_iter().take(MAX_EVIDENCE);
    first
        .map(|it| crate::text::words::shortened(&it, EVIDENCE_CHARACTERS).to_owned())
        .collect()
}
