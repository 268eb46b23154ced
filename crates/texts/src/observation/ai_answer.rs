use crate::{ToSchema, provenance::Provenance};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AiAnswer {
    /// For example `perplexity` or `googleAiOverview`.
    pub engine: String,
    /// A neutral label; never names the supplier.
    pub provider: String,
    pub provenance: Provenance,
    /// `None` if none can be chosen.
    pub requested_model: Option<String>,
    /// `None` if the service does not report it.
    pub served_model: Option<String>,
    pub prompt: EnginePrompt,
    /// Repeat of the prompt in this run, from 1.
    pub sample: u32,
    pub state: AnswerState,
    /// Markdown; empty without an answer.
    pub text: String,
    /// In the answer's order; `None` for engines without sources.
    pub citations: Option<Vec<AnswerCitation>>,
    /// `None` if unknown.
    pub searches: Option<u32>,
    /// If reported by the service.
    pub queries: Vec<String>,
    /// When the answer was complete.
    pub answered_at: DateTime<Utc>,
    pub usage: AnswerUsage,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnginePrompt {
    /// Equal for equal words and keyword, for comparison over time.
    pub prompt_id: String,
    /// `None` for branded prompts, which belong to the project.
    pub keyword_id: Option<i64>,
    /// For example `Q1`.
    pub template: String,
    pub template_version: u32,
    /// ISO 639-1.
    pub language: String,
    /// Names the brand, so that its answers do not show visibility.
    pub is_branded: bool,
    pub text: String,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", tag = "state", content = "code")]
pub enum AnswerState {
    /// An answer.
    Answered,
    /// An answer without text; for an AI overview, a page without one is `NotShown`.
    Empty,
    /// The engine showed no answer for this query where it shows them for others.
    NotShown,
    /// The engine would not answer.
    Refused,
    /// The answer ended at the limit of its length.
    CutShort,
    /// No answer could be had; the code of why.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerCitation {
    /// After the engine's own redirects.
    pub url: String,
    pub title: Option<String>,
    /// If the service reports it beside a redirect URL.
    pub domain: Option<String>,
    pub part: CitationPart,
    /// The cited text, in bytes of `text`; empty if unknown.
    pub spans: Vec<TextSpan>,
}

/// How an answer refers to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CitationPart {
    /// At a place of the text.
    Inline,
    /// In the list of sources.
    SourceList,
    /// Among what the search found, and not cited: never a citation.
    SearchResult,
}

/// Half-open range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextSpan {
    pub start: usize,
    pub end: usize,
}

/// `None` if unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerUsage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// Millionths of the account's currency.
    pub cost_micros: Option<u64>,
    /// Until the answer was complete.
    pub latency_ms: Option<u64>,
}
