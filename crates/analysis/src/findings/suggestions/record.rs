use super::effect::Effect;
use super::evidence::Evidence;
use super::rule::{Category, Severity};
use crate::ToSchema;
use crate::findings::envelope::{Envelope, rounded};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Something to do, with what shows that it is worth doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestionRecord {
    /// What all records carry; `url` is the page where the suggestion is about one page alone,
    /// `keywordId` the keyword where it is about one keyword alone, `sampleSize` the observations
    /// that speak for it.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// Sixteen bytes of SHA-256 over rule and scope, in hexadecimal: the same in every run.
    pub suggestion_id: String,
    /// The rule that it follows.
    pub rule_id: String,
    /// Which case of the rule it is; null where the rule has one.
    pub variant: Option<String>,
    /// What it is about.
    pub category: Category,
    /// How bad it is.
    pub severity: Severity,
    /// What to do, in a few words, with the page or the keyword that it is about.
    pub title: String,
    /// The keyword that it is about above all, in words; null where it is about none.
    #[serde(default)]
    pub keyword: Option<String>,
    /// Why.
    pub rationale: String,
    /// What shows it; at the most 50.
    pub evidence: Vec<Evidence>,
    /// Pages that it is about, those with the most clicks first; at the most 50.
    pub affected_urls: Vec<String>,
    /// How many there are.
    pub affected_count: u64,
    /// Keywords that it is about; at the most 50.
    pub keyword_ids: Vec<i64>,
    /// How much it reaches, see `reachBasis`.
    #[serde(serialize_with = "rounded::fraction")]
    pub reach: f64,
    /// What `reach` counts.
    pub reach_basis: ReachBasis,
    /// 3 massive, 2 high, 1 medium, 0.5 low, 0.25 minimal.
    pub impact: f64,
    /// 1 a standard or Google's documentation, 0.8 a measured statistic, 0.5 a rule of thumb.
    pub confidence: f64,
    /// 0.5 a line, 1 a page, 2 a template, 5 rewriting, 8 a project.
    pub effort: f64,
    /// 100·(1 − exp(−value/τ)); value = reach · impact · confidence ÷ effort, τ the median value of
    /// the account's open suggestions, at least 1.
    #[serde(serialize_with = "rounded::score")]
    pub priority_score: f64,
    /// What it could bring; null where that cannot be computed.
    pub expected_gain: Option<ExpectedGain>,
    /// What to do, step by step.
    pub steps: Vec<String>,
    /// Where to read on.
    pub docs: Vec<String>,
    /// Suggestions that contradict this one, reach less and are left out for its sake.
    pub supersedes: Vec<Superseded>,
    /// When it was first seen.
    pub first_seen_at: DateTime<Utc>,
    /// When it was last seen.
    pub last_seen_at: DateTime<Utc>,
    /// What became of it.
    pub state: State,
    /// When a new measurement no longer showed it; null while it is there.
    pub fixed_at: Option<DateTime<Utc>>,
    /// Effect of the fix; null until it was fixed and measured.
    pub effect: Option<Effect>,
}

crate::json!(SuggestionRecord);

impl SuggestionRecord {
    /// reach · impact · confidence ÷ effort.
    pub fn value(&self) -> f64 {
        super::score::value(self.reach, self.impact, self.confidence, self.effort)
    }

    /// Whether it is to be done: open, or back.
    pub const fn is_open(&self) -> bool {
        matches!(self.state, State::Open | State::Regressed)
    }
}

/// What became of a suggestion.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = SuggestionState)]
pub enum State {
    /// It was fixed once and is back.
    Regressed,
    /// It is to be done.
    Open,
    /// The owner does not want it.
    Ignored,
    /// A new measurement no longer shows it.
    Fixed,
}

/// What reach counts.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum ReachBasis {
    /// Clicks per month that the pages have.
    Clicks,
    /// Clicks per month that the keywords could bring beside those.
    PotentialClicks,
    /// The share of the site's indexable pages, times 100.
    ShareOfPages,
    /// The share of the project's keywords, times 100.
    ShareOfKeywords,
}

/// What a suggestion could bring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedGain {
    /// What is gained.
    pub metric: GainMetric,
    /// The lower end.
    #[serde(serialize_with = "rounded::fraction")]
    pub low: f64,
    /// What is to be expected.
    #[serde(serialize_with = "rounded::fraction")]
    pub mid: f64,
    /// The upper end.
    #[serde(serialize_with = "rounded::fraction")]
    pub high: f64,
    /// What the ends are.
    pub range: GainRange,
}

/// What is gained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum GainMetric {
    /// Clicks per month.
    ClicksPerMonth,
    /// The share of searches that clicks, added over the keywords.
    ClickShare,
}

/// What the ends of a range are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum GainRange {
    /// What worse and better outcomes would bring; no probability is claimed.
    Outcomes,
    /// A 95 % interval.
    Interval95,
}

/// A suggestion that is left out for another one's sake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Superseded {
    /// Its id.
    pub suggestion_id: String,
    /// Its rule.
    pub rule_id: String,
    /// What it would have been.
    pub title: String,
    /// When it was first seen.
    pub first_seen_at: DateTime<Utc>,
}
