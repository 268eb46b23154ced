use crate::ToSchema;
use crate::findings::envelope::{Envelope, rounded};
use crate::page_kind::PageKind;
use crate::statistics::panel_rate::IntervalMethod;
use serde::{Deserialize, Serialize};

/// What answers of one engine say for one keyword, or for the project's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiVisibilityRecord {
    /// What all records carry; `sampleSize` counts the answers behind the rates.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The keyword as the owner wrote it; null for branded prompts.
    pub keyword: Option<String>,
    /// ISO 3166-1 alpha-2, lower case; null where the engine has no country.
    pub country: Option<String>,
    /// A place inside the country.
    pub location: Option<String>,
    /// The language of the prompts (ISO 639-1).
    pub language: String,
    /// Which prompts were sent.
    pub panel: PromptPanelKind,
    /// Who answered.
    pub engine: String,
    /// The model that answered most often, by its reported name; null when the engine reports none.
    pub model: Option<String>,
    /// All models that answered.
    pub models: Vec<ModelCount>,
    /// The version of the prompts' templates; the highest when there are several.
    pub template_version: u32,
    /// The rules by which names were found.
    pub detector_version: String,
    /// Prompts with an answer.
    pub prompt_count: u64,
    /// Answers behind the rates.
    pub answer_count: u64,
    /// Questions that the engine refused, not among the answers.
    pub refusal_count: u64,
    /// Answers without text, not among the answers.
    pub empty_count: u64,
    /// Questions for which the engine showed no answer, not among the answers.
    pub not_shown_count: u64,
    /// Answers that ended at the limit of their length, not among the answers.
    pub cut_short_count: u64,
    /// Questions that failed, not among the answers.
    pub failed_count: u64,
    /// Why they failed, most frequent first.
    pub failures: Vec<AnswerFailure>,
    /// Answers that name the project.
    pub mention_count: u64,
    /// The mean over prompts of the share of answers that name it; null without answers.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mention_rate: Option<f64>,
    /// The lower end of its 95 % interval.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mention_rate_low: Option<f64>,
    /// The upper end.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mention_rate_high: Option<f64>,
    /// What the intervals rest on; null without answers.
    pub interval_method: Option<IntervalMethod>,
    /// Answers that cite an own page; null when the engine has no sources.
    pub citation_count: Option<u64>,
    /// The mean over prompts of the share of answers that cite one.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_rate: Option<f64>,
    /// The lower end of its 95 % interval.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_rate_low: Option<f64>,
    /// The upper end.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_rate_high: Option<f64>,
    /// Own pages among all pages cited, each once per answer.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_share: Option<f64>,
    /// The mean place of the first own page in the order of sources, from 1; null when none is cited.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub average_citation_index: Option<f64>,
    /// Answers that cite an own page and do not name the project; null when the engine has no sources.
    pub ghost_citation_count: Option<u64>,
    /// Answers that name the project and cite none of its pages; null when the engine has no sources.
    pub uncited_mention_count: Option<u64>,
    /// Answers with a name that may be the project's or a word, counted as none.
    pub ambiguous_mention_count: u64,
    /// The median of the project's place in the order in which brands are first named, over the
    /// answers that name it; null when none does.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub first_mention_rank: Option<f64>,
    /// Of the words in sentences that name brands, early ones counting more, the project's share,
    /// over the answers that name any; null when none does.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub position_adjusted_share: Option<f64>,
    /// The same for own pages among those cited; null when citation positions are unknown.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub position_adjusted_citation_share: Option<f64>,
    /// Answers that name the project, as a share of all namings of brands that are followed, each
    /// brand once per answer; null when none is named.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub share_of_voice: Option<f64>,
    /// The mean over prompts of the share of answers that recommend the project; null in languages
    /// without words for it.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub recommendation_rate: Option<f64>,
    /// The mean of how kindly answers speak of it, −1 to 1; null without a method.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub sentiment_score: Option<f64>,
    /// How that was determined; null when it was not.
    pub sentiment_method: Option<SentimentMethod>,
    /// How many sentences it rests on.
    pub sentiment_sample_size: u64,
    /// Answers by how they speak of it; null without a method.
    pub sentiment_counts: Option<SentimentCounts>,
    /// The competitors that are followed, most often named first.
    pub competitors: Vec<CompetitorRates>,
    /// The domains cited most often, at most 50.
    pub cited_domains: Vec<CitedDomain>,
    /// How many domains are cited.
    pub cited_domain_count: u64,
    /// The kinds of pages that are cited, by address and domain.
    pub cited_page_types: Vec<CitedPageTypeRow>,
    /// Own pages that are cited, most often first, at most 50.
    pub cited_own_urls: Vec<CitedOwnUrl>,
    /// Every question and what came of it.
    pub answers: Vec<AnswerRow>,
    /// Of the answers for which the engine reports it, the share for which it searched.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub search_triggered_rate: Option<f64>,
    /// How alike repeats of a prompt are: the mean Jaccard index of the sets of brands that two of
    /// them name, over pairs that name any; null without such pairs.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub consistency: Option<f64>,
    /// What the calls cost, in millionths of the account's currency; null when one is not known.
    pub cost_units: Option<u64>,
    /// 100 · (.45 mention rate + .25 position-adjusted share + .20 citation rate + .10 recommendation
    /// rate), unknown parts left out and the others scaled up; null below five answers, and for
    /// branded prompts.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub ai_visibility_score: Option<f64>,
}

crate::json!(AiVisibilityRecord);

impl AiVisibilityRecord {
    pub const fn left_out_count(&self) -> u64 {
        self.refusal_count
            + self.empty_count
            + self.not_shown_count
            + self.cut_short_count
            + self.failed_count
    }

    /// Without answers, domains and pages, which sums over records do not need.
    #[must_use]
    pub fn without_details(mut self) -> Self {
        self.answers = Vec::new();
        self.cited_domains = Vec::new();
        self.cited_page_types = Vec::new();
        self.cited_own_urls = Vec::new();
        self.envelope.warnings = Vec::new();
        self
    }
}

/// Which prompts were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum PromptPanelKind {
    /// Prompts that do not name the project.
    Discovery,
    /// Prompts that do.
    Branded,
}

/// How often a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiModelCount)]
pub struct ModelCount {
    /// By its reported name; null when the engine reports none.
    pub model: Option<String>,
    /// Answers.
    pub answer_count: u64,
}

/// Why questions failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerFailure {
    /// The code.
    pub code: String,
    /// How many.
    pub count: u64,
}

/// How sentiment was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SentimentMethod {
    /// By the lexicon and rules of VADER, of English sentences that name the project.
    Vader,
    /// By a model that the operator chose, of the first two sentences of each answer that name it.
    Model,
    /// Some answers by the one, some by the other.
    VaderAndModel,
}

/// Answers by how they speak of the project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentimentCounts {
    /// Kindly.
    pub positive: u64,
    /// Neither.
    pub neutral: u64,
    /// Unkindly.
    pub negative: u64,
    /// Both.
    pub mixed: u64,
}

/// A competitor in the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiCompetitorRates)]
pub struct CompetitorRates {
    /// Its name.
    pub name: String,
    /// Its first domain.
    pub domain: Option<String>,
    /// Answers that name it, without those to prompts that do.
    pub mention_count: u64,
    /// The mean over prompts of the share of answers that name it; null when all prompts do.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mention_rate: Option<f64>,
    /// The mean over prompts of the share of answers that cite it; null when the engine has no sources.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub citation_rate: Option<f64>,
    /// Its share of all mentions; null when no brand is named.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub share_of_voice: Option<f64>,
    /// Prompts that name it, which say nothing about it.
    pub prompted_count: u64,
}

/// A domain in the sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiCitedDomain)]
pub struct CitedDomain {
    /// The registrable domain.
    pub domain: String,
    /// Answers that cite it.
    pub count: u64,
    /// Its share of all pages cited, each once per answer.
    #[serde(serialize_with = "rounded::fraction")]
    pub share: f64,
    /// The owner, or the kind of site.
    #[serde(rename = "type")]
    pub domain_type: CitedDomainType,
}

/// The owner of a domain, or the kind of site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CitedDomainType {
    /// The project's.
    Own,
    /// A competitor's that is followed.
    Competitor,
    /// News, magazines, encyclopedias, forums.
    Publisher,
    /// A place where many sell.
    Marketplace,
    /// Lists, reviews and comparisons.
    Directory,
    /// Where people put what they make.
    Platform,
    /// Anything else.
    Other,
}

/// An own page in the sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiCitedOwnUrl)]
pub struct CitedOwnUrl {
    /// The page, without tracking.
    pub url: String,
    /// Answers that cite it.
    pub count: u64,
}

/// A kind of page in the sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitedPageTypeRow {
    /// The kind.
    pub page_type: PageKind,
    /// Answers that cite such a page.
    pub answer_count: u64,
    /// One that was cited.
    pub example: Option<String>,
}

/// A question and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiAnswerRow)]
pub struct AnswerRow {
    /// The prompt.
    pub prompt_id: String,
    /// Its words.
    pub prompt: String,
    /// Which repeat, from 1.
    pub run_index: u32,
    /// The model that answered.
    pub model: Option<String>,
    /// `counted`, `empty`, `notShown`, `refused`, `cutShort`, or `failed`.
    pub state: String,
    /// The text around the first own name, or the beginning; null without an answer.
    pub excerpt: Option<String>,
    /// Whether it names the project; null without an answer.
    pub mentioned: Option<bool>,
    /// Whether it cites an own page; null without an answer, or when the engine has no sources.
    pub cited: Option<bool>,
}
