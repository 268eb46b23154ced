use super::effect::Verdict;
use super::record::{State, SuggestionRecord};
use super::rule::{Category, Severity};
use super::{METHOD_VERSION, score};
use crate::{ToSchema, findings::envelope::rounded};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestionsSummary {
    /// The definition they follow.
    pub method_version: String,
    /// To be done, those that are back included.
    pub open: u64,
    /// Those of them that were fixed once.
    pub regressed: u64,
    /// That the owner does not want.
    pub ignored: u64,
    /// Fixed within the last year.
    pub fixed: u64,
    /// Open ones by severity.
    pub by_severity: BTreeMap<Severity, u64>,
    /// Open ones by category.
    pub by_category: BTreeMap<Category, u64>,
    /// τ: the median value of the project's open suggestions, at least 1; null where none is open.
    /// Priorities take those of the account's other projects in.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub median_value: Option<f64>,
    /// What came of those that were fixed.
    pub effects: EffectCounts,
    /// The first five to be done.
    pub first: Vec<SuggestionLine>,
}

crate::json!(SuggestionsSummary);

/// What came of fixes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SuggestionEffectCounts)]
pub struct EffectCounts {
    /// The figure is better.
    pub improved: u64,
    /// No difference was shown.
    pub unchanged: u64,
    /// The figure is worse.
    pub worse: u64,
    /// It is too early to measure.
    pub too_early: u64,
}

/// A suggestion in one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestionLine {
    /// Its id.
    pub suggestion_id: String,
    /// Its rule.
    pub rule_id: String,
    /// What to do.
    pub title: String,
    /// The page, where it is about one alone.
    pub url: Option<String>,
    /// Its priority.
    #[serde(serialize_with = "rounded::score")]
    pub priority_score: f64,
}

impl SuggestionsSummary {
    pub fn of(records: &[SuggestionRecord]) -> Self {
        let count = |state| records.iter().filter(|it| it.state == state).count() as u64;
        let open = || records.iter().filter(|it| it.is_open());
        let (mut by_severity, mut by_category) = (BTreeMap::new(), BTreeMap::new());
        for it in open() {
            *by_severity.entry(it.severity).or_insert(0) += 1;
            *by_category.entry(it.category).or_insert(0) += 1;
        }
        let mut effects = EffectCounts::default();
        for it in records.iter().filter_map(|it| it.effect.as_ref()) {
            let count = match it.verdict {
                Verdict::Improved => &mut effects.improved,
                Verdict::Unchanged => &mut effects.unchanged,
                Verdict::Worse => &mut effects.worse,
                Verdict::TooEarly => &mut effects.too_early,
            };
            *count += 1;
        }
        let values: Vec<f64> = open().map(SuggestionRecord::value).collect();
        Self {
            method_version: METHOD_VERSION.to_owned(),
            open: open().count() as u64,
            regressed: count(State::Regressed),
            ignored: count(State::Ignored),
            fixed: count(State::Fixed),
            by_severity,
            by_category,
            median_value: (!values.is_empty()).then(|| score::scale(&values)),
            effects,
            first: open().take(5).map(SuggestionLine::of).collect(),
        }
    }
}

impl SuggestionLine {
    fn of(record: &SuggestionRecord) -> Self {
        Self {
            suggestion_id: record.suggestion_id.clone(),
            rule_id: record.rule_id.clone(),
            title: record.title.clone(),
            url: record.envelope.url.clone(),
            priority_score: record.priority_score,
        }
    }
}
