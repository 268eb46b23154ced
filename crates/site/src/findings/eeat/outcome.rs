use super::record::SignalEvidence;
use crate::text::words::shortened;

/// Characters of evidence.
const EVIDENCE_CHARACTERS: usize = 200;
/// Confidence of markup and plain facts.
pub const FACT_CONFIDENCE: f64 = 0.95;
/// Confidence of a phrase in text.
pub const PHRASE_CONFIDENCE: f64 = 0.7;
/// Confidence of a guess by host or path.
pub const GUESS_CONFIDENCE: f64 = 0.5;

#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// 0 to 1; `None` if the signal does not apply.
    pub value: Option<f64>,
    pub evidence: Vec<SignalEvidence>,
    pub confidence: f64,
}

impl Outcome {
    /// A signal that makes no sense here, or is unknown.
    pub const fn not_applicable() -> Self {
        Self {
            value: None,
            evidence: Vec::new(),
            confidence: 0.0,
        }
    }

    pub const fn new(value: f64, confidence: f64) -> Self {
        Self {
            value: Some(value),
            evidence: Vec::new(),
            confidence,
        }
    }

    pub fn with_evidence(mut self, evidence: impl IntoIterator<Item = SignalEvidence>) -> Self {
        self.evidence.extend(evidence);
        self.evidence.truncate(3);
        self
    }
}

pub fn evidence_at(url: &str, text: impl AsRef<str>) -> SignalEvidence {
    let text = shortened(text.as_ref(), EVIDENCE_CHARACTERS);
    SignalEvidence {
        url: Some(url.to_owned()),
        text: (!text.is_empty()).then(|| text.to_owned()),
        selector: None,
    }
}
