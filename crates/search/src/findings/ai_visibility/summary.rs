use super::METHOD_VERSION;
use super::record::{AiVisibilityRecord, CompetitorRates, PromptPanelKind};
use crate::ToSchema;
use crate::findings::envelope::{Coverage, rounded};
use crate::statistics::describe::mean;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Weight by engine; 1 if not listed.
pub type EngineWeights = BTreeMap<String, f64>;

/// The visibility of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiVisibilitySummary {
    /// The definition it follows.
    pub method_version: String,
    /// Prompts sent, answered, and failed or refused.
    pub coverage: Coverage,
    /// The mean of the engines' scores by weight; null when no engine has one.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub ai_visibility_score: Option<f64>,
    /// The mean of the engines' mention rates by weight; null when none has one.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mention_rate: Option<f64>,
    /// The mean of the engines' citation rates by weight; null when none has one.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_rate: Option<f64>,
    /// The mean of the engines' shares of voice by weight; null when none has one.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub share_of_voice: Option<f64>,
    /// Each engine, by name.
    pub engines: Vec<EngineVisibility>,
    /// The competitors that are followed, over all engines and keywords with enough answers; most
    /// often named first.
    pub competitors: Vec<CompetitorVisibility>,
}

crate::json!(AiVisibilitySummary);

/// A competitor in the answers of all engines, each record weighing the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiCompetitorVisibility)]
pub struct CompetitorVisibility {
    /// Its name.
    pub name: String,
    /// Its first domain.
    pub domain: Option<String>,
    /// Answers that name it.
    pub mention_count: u64,
    /// The mean of its mention rates; null when every prompt names it.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mention_rate: Option<f64>,
    /// The mean of its citation rates; null when no engine has sources.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_rate: Option<f64>,
}

/// The visibility on one engine: means over keywords that have enough answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiEngineVisibility)]
pub struct EngineVisibility {
    /// The engine.
    pub engine: String,
    /// What it weighs.
    #[serde(serialize_with = "rounded::fraction")]
    pub weight: f64,
    /// Keywords with enough answers.
    pub keyword_count: u64,
    /// Answers behind the rates.
    pub answer_count: u64,
    /// The mean of the keywords' scores.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub ai_visibility_score: Option<f64>,
    /// The mean of their mention rates.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mention_rate: Option<f64>,
    /// The mean of their citation rates.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_rate: Option<f64>,
    /// The mean of their shares of voice.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub share_of_voice: Option<f64>,
}

impl AiVisibilitySummary {
    /// From all records of a run; branded prompts are ignored.
    pub fn of(records: &[AiVisibilityRecord], weights: &EngineWeights) -> Self {
        let mut by_engine: BTreeMap<&str, Vec<&AiVisibilityRecord>> = BTreeMap::new();
        let discovery = records
            .iter()
            .filter(|it| it.panel == PromptPanelKind::Discovery);
        for record in discovery {
            by_engine.entry(&record.engine).or_default().push(record);
        }
        let engines: Vec<EngineVisibility> = by_engine
            .iter()
            .map(|(engine, records)| engine_visibility(engine, records, weights))
            .collect();
        let (mut requested, mut measured, mut failed) = (0, 0, 0);
        for record in by_engine.values().flatten() {
            requested += record.answer_count + record.left_out_count();
            measured += record.answer_count;
            failed += record.failed_count;
        }
        Self {
            method_version: METHOD_VERSION.to_owned(),
            coverage: Coverage::new(requested, measured, failed),
            ai_visibility_score: by_weight(&engines, |it| it.ai_visibility_score),
            mention_rate: by_weight(&engines, |it| it.mention_rate),
            citation_rate: by_weight(&engines, |it| it.citation_rate),
            share_of_voice: by_weight(&engines, |it| it.share_of_voice),
            engines,
            competitors: competitors(by_engine.values().flatten().copied()),
        }
    }
}

fn competitors<'a>(
    records: impl Iterator<Item = &'a AiVisibilityRecord>,
) -> Vec<CompetitorVisibility> {
    let mut by_name: BTreeMap<(&str, Option<&str>), Vec<&CompetitorRates>> = BTreeMap::new();
    for record in records.filter(|it| it.ai_visibility_score.is_some()) {
        for it in &record.competitors {
            let key = (it.name.as_str(), it.domain.as_deref());
            by_name.entry(key).or_default().push(it);
        }
    }
    let mean_of = |rows: &[&CompetitorRates], value: fn(&CompetitorRates) -> Option<f64>| {
        let values: Vec<f64> = rows.iter().filter_map(|it| value(it)).collect();
        mean(&values)
    };
    let mut found: Vec<CompetitorVisibility> = { by_name.into_iter() }
        .map(|((name, domain), rows)| CompetitorVisibility {
            name: name.to_owned(),
            domain: domain.map(str::to_owned),
            mention_count: rows.iter().map(|it| it.mention_count).sum(),
            mention_rate: mean_of(&rows, |it| it.mention_rate),
            citation_rate: mean_of(&rows, |it| it.citation_rate),
        })
        .collect();
    found.sort_by(|a, b| (b.mention_count.cmp(&a.mention_count)).then_with(|| a.name.cmp(&b.name)));
    found
}

fn engine_visibility(
    engine: &str,
    records: &[&AiVisibilityRecord],
    weights: &EngineWeights,
) -> EngineVisibility {
    let scored: Vec<&&AiVisibilityRecord> = { records.iter() }
        .filter(|it| it.ai_visibility_score.is_some())
        .collect();
    let over = |value: fn(&AiVisibilityRecord) -> Option<f64>| {
        let values: Vec<f64> = scored.iter().filter_map(|it| value(it)).collect();
        mean(&values)
    };
    EngineVisibility {
        engine: engine.to_owned(),
        weight: weights.get(engine).copied().unwrap_or(1.0).max(0.0),
        keyword_count: scored.len() as u64,
        answer_count: records.iter().map(|it| it.answer_count).sum(),
        ai_visibility_score: over(|it| it.ai_visibility_score),
        mention_rate: over(|it| it.mention_rate),
        citation_rate: over(|it| it.citation_rate),
        share_of_voice: over(|it| it.share_of_voice),
    }
}

/// Weighted mean over engines with a value.
fn by_weight(
    engines: &[EngineVisibility],
    value: fn(&EngineVisibility) -> Option<f64>,
) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for engine in engines {
        if let Some(value) = value(engine) {
            sum += engine.weight * value;
            weights += engine.weight;
        }
    }
    (weights > 0.0).then(|| sum / weights)
}
