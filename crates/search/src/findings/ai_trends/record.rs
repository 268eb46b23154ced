use super::bins::TrendPeriod;
use crate::ToSchema;
use crate::findings::ai_visibility::LeftOut;
use crate::findings::envelope::{Envelope, rounded};
use crate::statistics::panel_rate::IntervalMethod;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// The visibility on one engine over time, of a project or of a keyword.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiTrendRecord {
    /// What all records carry; `sampleSize` counts the answers of the points.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The keyword as the owner wrote it; null for the project.
    pub keyword: Option<String>,
    /// How long the periods are.
    pub period: TrendPeriod,
    /// Who answered.
    pub engine: String,
    /// Periods with answers, oldest first; gaps stay gaps.
    pub points: Vec<AiTrendPoint>,
    /// What the last full period says beside those before.
    pub verdict: TrendVerdict,
    /// Why nothing was compared; null when something was.
    pub reason: Option<TrendReason>,
    /// The first day of the last full period.
    pub last_period: NaiveDate,
    /// Questions of the last full period without an answer; they are in no rate.
    pub left_out: LeftOut,
    /// The mention rate of the last full period less that of the four before; null when they are
    /// not compared.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change_abs: Option<f64>,
    /// The lower end of its 95 % interval.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change_low: Option<f64>,
    /// The upper end.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change_high: Option<f64>,
    /// What the interval rests on.
    pub interval_method: Option<IntervalMethod>,
    /// Whether the interval leaves out 0; null when they are not compared.
    pub significant: Option<bool>,
    /// Where it went; `flat` says that no difference was shown, null that none was looked for.
    pub direction: Option<TrendDirection>,
    /// The same for the citation rate; null when it is not compared.
    pub citation_change: Option<RateChange>,
    /// How many prompts were compared.
    pub shared_prompts: u64,
    /// How many prompts one of both sides has.
    pub all_prompts: u64,
    /// Whether prompts were left out because only one side has them.
    pub composition_adjusted: bool,
    /// When the model, the prompts, the rules or the source changed.
    pub drift_flags: Vec<DriftFlag>,
    /// Domains that the last full period cites significantly more often than never.
    pub new_cited_domains: Vec<CitedDomainChange>,
    /// Domains that it cites no more, significantly less often than before.
    pub lost_cited_domains: Vec<CitedDomainChange>,
    /// Keywords that were named more often, after correction for how many were looked at.
    pub top_gainers: Vec<KeywordMove>,
    /// Keywords that were named less often, after the same correction.
    pub top_losers: Vec<KeywordMove>,
    /// How many keywords were compared.
    pub compared_keywords: u64,
    /// How many of them moved.
    pub moved_keywords: u64,
}

crate::json!(AiTrendRecord);

/// A period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiTrendPoint {
    /// Its first day.
    pub date: NaiveDate,
    /// Which points may be compared: those of the same segment.
    pub segment: u32,
    /// The model behind it.
    pub model: Option<String>,
    /// Answers.
    pub answer_count: u64,
    /// Prompts with answers.
    pub prompt_count: u64,
    /// Answers of other models, prompts or rules, which are not in it.
    pub other_answer_count: u64,
    /// The mean over prompts of the share of answers that name the project.
    #[serde(serialize_with = "rounded::fraction")]
    pub mention_rate: f64,
    /// The lower end of its 95 % interval.
    #[serde(serialize_with = "rounded::fraction")]
    pub low: f64,
    /// The upper end.
    #[serde(serialize_with = "rounded::fraction")]
    pub high: f64,
    /// For the eye: the rate smoothed within its segment. Nothing is tested with it.
    #[serde(serialize_with = "rounded::fraction")]
    pub smoothed_mention_rate: f64,
    /// The mean over prompts of the share of answers that cite an own page; null without sources.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_rate: Option<f64>,
    /// The project's share of all namings of brands; null when none is named.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub share_of_voice: Option<f64>,
    /// The project's position-adjusted share; null when no brand is named.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub position_adjusted_share: Option<f64>,
    /// The score; null below five answers.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub ai_visibility_score: Option<f64>,
    /// How kindly answers speak of the project; null without a method.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub sentiment_score: Option<f64>,
}

/// What the last full period says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiTrendVerdict)]
pub enum TrendVerdict {
    /// The interval of the change holds 0.
    WithinNoise,
    /// It does not.
    Moved,
    /// There is too little to compare; see `reason`.
    InsufficientData,
    /// Another model answers since.
    ModelChanged,
    /// Other prompts are sent since.
    PromptPanelChanged,
    /// Names are found by other rules since.
    DetectorChanged,
    /// Answers come from another source since: simulated, or seen.
    SourceChanged,
}

/// Why nothing was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiTrendReason)]
pub enum TrendReason {
    /// The last full period has no answers.
    NoAnswersInLastPeriod,
    /// The four before have none.
    NoAnswersBefore,
    /// One side has fewer than five answers to prompts that both have.
    FewAnswers,
    /// Fewer than half of the prompts are on both sides.
    FewSharedPrompts,
    /// A new segment began.
    NewSegment,
}

/// Where a rate went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiTrendDirection)]
pub enum TrendDirection {
    /// Up.
    Up,
    /// Down.
    Down,
    /// No difference was shown.
    Flat,
}

/// A change of a rate with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiRateChange)]
pub struct RateChange {
    /// The later rate less the earlier.
    #[serde(serialize_with = "rounded::fraction")]
    pub change_abs: f64,
    /// The lower end of its 95 % interval.
    #[serde(serialize_with = "rounded::fraction")]
    pub change_low: f64,
    /// The upper end.
    #[serde(serialize_with = "rounded::fraction")]
    pub change_high: f64,
    /// Whether it leaves out 0.
    pub significant: bool,
}

/// A change that makes earlier figures incomparable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiDriftFlag)]
pub struct DriftFlag {
    /// The first day with answers after it.
    pub date: NaiveDate,
    /// What.
    pub kind: DriftKind,
    /// What it was before; null when the engine does not report it.
    pub from: Option<String>,
    /// What it is since.
    pub to: Option<String>,
}

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiDriftKind)]
pub enum DriftKind {
    /// The model.
    ModelChange,
    /// The templates of the prompts.
    PromptPanelChange,
    /// The rules by which names are found.
    DetectorChange,
    /// Whether answers are simulated or seen.
    SourceChange,
}

/// A domain that came or went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiCitedDomainChange)]
pub struct CitedDomainChange {
    /// The registrable domain.
    pub domain: String,
    /// The share of answers that cite it now.
    #[serde(serialize_with = "rounded::fraction")]
    pub rate: f64,
    /// The share of answers that cited it before.
    #[serde(serialize_with = "rounded::fraction")]
    pub rate_before: f64,
}

/// A keyword with a changed mention rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiKeywordMove)]
pub struct KeywordMove {
    /// The keyword.
    pub keyword_id: i64,
    /// Its change.
    #[serde(flatten)]
    pub change: RateChange,
    /// How often chance alone brings such a change.
    #[serde(serialize_with = "rounded::fraction")]
    pub p_value: f64,
    /// The same after Benjamini and Hochberg, for all keywords compared.
    #[serde(serialize_with = "rounded::fraction")]
    pub q_value: f64,
}
