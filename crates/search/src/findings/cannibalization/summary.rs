use super::{CannibalizationRecord, METHOD_VERSION, Severity};
use crate::ToSchema;
use crate::findings::envelope::{Coverage, rounded};
use serde::{Deserialize, Serialize};

/// How many keywords own pages compete for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CannibalizationSummary {
    /// The definition it follows.
    pub method_version: String,
    /// How many keywords were evaluated.
    pub coverage: Coverage,
    /// Keywords for which two own pages reached the top 50.
    pub keywords: u64,
    /// Of these, by severity.
    pub high: u64,
    /// From 30 on.
    pub medium: u64,
    /// From 10 on.
    pub low: u64,
    /// Below 10.
    pub harmless: u64,
    /// Without a score: fewer than five snapshots.
    pub undecided: u64,
    /// Sum of the lost clicks per month of keywords from `low` on; null when none has a volume.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub lost_clicks: Option<f64>,
}

crate::json!(CannibalizationSummary);

#[derive(Debug, Clone, Copy, Default)]
pub struct CannibalizationTally {
    evaluated: u64,
    keywords: u64,
    by_severity: [u64; 4],
    undecided: u64,
    lost: Option<f64>,
}

impl CannibalizationTally {
    pub fn add(&mut self, record: Option<&CannibalizationRecord>) {
        self.evaluated += 1;
        let Some(record) = record else {
            return;
        };
        self.keywords += 1;
        let Some(severity) = record.severity else {
            self.undecided += 1;
            return;
        };
        self.by_severity[severity as usize] += 1;
        if let Some(lost) = record.lost_clicks.filter(|_| severity > Severity::None) {
            *self.lost.get_or_insert(0.0) += lost;
        }
    }

    pub fn finish(self, requested: u64) -> CannibalizationSummary {
        let [harmless, low, medium, high] = self.by_severity;
        CannibalizationSummary {
            method_version: METHOD_VERSION.to_owned(),
            coverage: Coverage::new(requested, self.evaluated, 0),
            keywords: self.keywords,
            high,
            medium,
            low,
            harmless,
            undecided: self.undecided,
            lost_clicks: self.lost,
        }
    }
}
