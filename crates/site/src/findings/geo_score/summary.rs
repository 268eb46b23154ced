use super::record::{FactorCode, GateCode, GeoRecord, Grade};
use crate::ToSchema;
use crate::findings::envelope::rounded;
use crate::findings::llms_txt::LlmsTxt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Minimum value of a covered factor.
const COVERED: f64 = 0.7;

/// How ready a site is for generative engines. Pages are added one by one; nothing of them is kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeoSummary {
    /// Pages that were evaluated.
    pub pages: u32,
    /// Of these, indexable; the others count nowhere below but under `gates`.
    pub indexable_pages: u32,
    /// Mean of the indexable pages' scores, each weighted by its estimated clicks + 1; null without
    /// any.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub site_score: Option<f64>,
    /// Weights behind that mean.
    pub weight: f64,
    /// Indexable pages by grade.
    pub grades: BTreeMap<Grade, u32>,
    /// Pages by shut gate.
    pub gates: BTreeMap<GateCode, u32>,
    /// How far each factor is covered.
    pub factors: BTreeMap<FactorCode, FactorCoverage>,
    /// The site's llms.txt; it weighs nothing. Null where it was not looked for.
    #[serde(default)]
    pub llms_txt: Option<LlmsTxt>,
}

crate::json!(GeoSummary);

/// How far a factor is covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FactorCoverage {
    /// Indexable pages of which it is known.
    pub pages: u32,
    /// Of these, with at least 0.7.
    pub covered: u32,
    /// Mean value; null without pages.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mean: Option<f64>,
}

impl GeoSummary {
    /// `estimated_clicks` are per month; `None` is unknown.
    pub fn add(&mut self, record: &GeoRecord, estimated_clicks: Option<f64>) {
        self.pages += 1;
        if self.llms_txt.is_none() {
            self.llms_txt.clone_from(&record.llms_txt);
        }
        for gate in &record.gates {
            *self.gates.entry(gate.code).or_default() += 1;
        }
        if record
            .gates
            .iter()
            .any(|it| it.code == GateCode::NotIndexable)
        {
            return;
        }
        self.indexable_pages += 1;
        if let Some(score) = record.geo_score {
            let weight = estimated_clicks.unwrap_or_default().max(0.0) + 1.0;
            let sum = self.site_score.unwrap_or_default() * self.weight + score * weight;
            self.weight += weight;
            self.site_score = Some(sum / self.weight);
        }
        if let Some(grade) = record.grade {
            *self.grades.entry(grade).or_default() += 1;
        }
        for factor in &record.factors {
            if let Some(value) = factor.value {
                self.factors.entry(factor.code).or_default().add(value);
            }
        }
    }
}

impl FactorCoverage {
    fn add(&mut self, value: f64) {
        let sum = self.mean.unwrap_or_default() * f64::from(self.pages) + value;
        self.pages += 1;
        self.covered += u32::from(value >= COVERED);
        self.mean = Some(sum / f64::from(self.pages));
    }
}
