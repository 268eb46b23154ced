//! One answer of an AI engine to one prompt, as it came, whatever service gave it.

use crate::{ToSchema, provenance::Provenance};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// An answer, or what came instead of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AiAnswer {
    /// Who was asked, for example `perplexity` or `googleAiOverview`.
    pub engine: String,
    /// A neutral label of who fetched it; never the supplier's internals.
    pub provider: String,
    /// Seen, or made up by the sandbox.
    pub provenance: Provenance,
    /// The model that was asked for; `None` where none can be chosen.
    pub requested_model: Option<String>,
    /// The model that says it answered; `None` when the service does not tell.
    pub served_model: Option<String>,
    /// What was asked.
    pub prompt: AskedPrompt,
    /// Which repeat of the prompt in this run it is, from 1.
    pub sample: u32,
    /// What came of it.
    pub state: AnswerState,
    /// The answer, as Markdown; empty unless there is one.
    pub text: String,
    /// The pages it refers to, in its order; `None` for engines that have no sources, so that
    /// nothing can be said about citations.
    pub citations: Option<Vec<AnswerCitation>>,
    /// How many searches it made; `None` when the service does not tell.
    pub searches: Option<u32>,
    /// What it searched for, as far as the service tells.
    pub queries: Vec<String>,
    /// When the answer was complete.
    pub answered_at: DateTime<Utc>,
    /// What it took.
    pub usage: AnswerUsage,
}

/// The prompt as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedPrompt {
    /// The same for the same words asked for the same keyword: what is compared over time.
    pub prompt_id: String,
    /// The keyword; `None` for branded prompts, which are a project's.
    pub keyword_id: Option<i64>,
    /// The template, for example `Q1`.
    pub template: String,
    /// The version of the templates.
    pub template_version: u32,
    /// The language of the prompt (ISO 639-1).
    pub language: String,
    /// Whether it names the brand, so that its answers say nothing about being found.
    pub is_branded: bool,
    /// The words.
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

/// A page that an answer refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerCitation {
    /// Its address, as the engine gave it, after redirects of the engine's own were followed.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
    /// Its host, where the service tells it beside an address that leads elsewhere first.
    pub domain: Option<String>,
    /// How the answer refers to it.
    pub part: CitationPart,
    /// What of the text it stands behind, in bytes of `text`: empty when the service does not tell.
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

/// From the first byte to the one behind the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextSpan {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

/// What an answer took; `None` when the service does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerUsage {
    /// Tokens read.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// Millionths of the account's currency.
    pub cost_micros: Option<u64>,
    /// Milliseconds until it was complete.
    pub latency_ms: Option<u64>,
}
