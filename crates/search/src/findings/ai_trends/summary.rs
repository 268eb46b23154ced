use super::METHOD_VERSION;
use super::record::{AiTrendRecord, TrendDirection, TrendReason, TrendVerdict};
use crate::ToSchema;
use crate::findings::envelope::{Coverage, rounded};
use serde::{Deserialize, Serialize};

/// Where visibility in AI answers is heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiTrendsSummary {
    /// The definition it follows.
    pub method_version: String,
    /// Trends, and those of them that were compared; `failed` is always 0.
    pub coverage: Coverage,
    /// The project on each engine.
    pub engines: Vec<EngineTrend>,
}

crate::json!(AiTrendsSummary);

/// Where the project's visibility on an engine is heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiEngineTrend)]
pub struct EngineTrend {
    /// The engine.
    pub engine: String,
    /// What the last full week says beside the four before.
    pub verdict: TrendVerdict,
    /// Why nothing was compared; null when something was.
    pub reason: Option<TrendReason>,
    /// The mention rate of the last full week; null without answers in it.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mention_rate: Option<f64>,
    /// The change of the mention rate; null when it was not compared.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change_abs: Option<f64>,
    /// The lower end of its 95 % interval.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change_low: Option<f64>,
    /// The upper end.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change_high: Option<f64>,
    /// Where it went; null when it was not compared.
    pub direction: Option<TrendDirection>,
    /// How many keywords were compared.
    pub compared_keywords: u64,
    /// How many of them moved, after correction for how many were looked at.
    pub moved_keywords: u64,
}

impl AiTrendsSummary {
    pub fn empty() -> Self {
        Self {
            method_version: METHOD_VERSION.to_owned(),
            coverage: Coverage::new(0, 0, 0),
            engines: Vec::new(),
        }
    }

    /// Lists trends of a project, only counts those of keywords.
    pub fn add(&mut self, record: &AiTrendRecord) {
        let Coverage {
            requested,
            measured,
            ..
        } = self.coverage;
        let is_compared = record.reason.is_none();
        self.coverage = Coverage::new(requested + 1, measured + u64::from(is_compared), 0);
        if record.envelope.keyword_id.is_some() {
            return;
        }
        self.engines.push(EngineTrend {
            engine: record.engine.clone(),
            verdict: record.verdict,
            reason: record.reason,
            mention_rate: { record.points.iter() }
                .find(|it| it.date == record.last_period)
                .map(|it| it.mention_rate),
            change_abs: record.change_abs,
            change_low: record.change_low,
            change_high: record.change_high,
            direction: record.direction,
            compared_keywords: record.compared_keywords,
            moved_keywords: record.moved_keywords,
        });
    }
}
