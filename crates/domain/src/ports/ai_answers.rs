use super::paid_call_ledger::PaidCallLedger;
use super::search_results::{PaidCallRefusal, ProviderError, Spent};
use analysis::{
    observation::ai_answer::{AiAnswer, AnswerCitation, AnswerState, AnswerUsage, EnginePrompt},
    provenance::Provenance,
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use std::{fmt, sync::Arc};

/// The operation's name in metrics, server notes and breakers.
pub const OPERATION: &str = "answer";

/// Configurable engines, by public name. Append new ones at the end: the ordinal of a record
/// follows from its engine's index here.
pub const ENGINES: [(&str, &str); 7] = [
    ("chatgpt", "ChatGPT"),
    ("perplexity", "Perplexity"),
    ("gemini", "Gemini"),
    ("claude", "Claude"),
    ("googleAiOverview", "Google AI Overview"),
    ("googleAiMode", "Google AI Mode"),
    ("compatible", "Compatible model"),
];
/// Engines of the sandbox. Their names differ, so that simulated data never joins a real series.
pub const SIMULATED_ENGINES: [(&str, &str); 3] = [
    ("sandboxAssistant", "Sandbox assistant (simulated)"),
    ("sandboxOverview", "Sandbox overview (simulated)"),
    ("sandboxMentions", "Sandbox without sources (simulated)"),
];

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AiQuery {
    pub prompt: String,
    /// ISO 639-1, lower case, for example `de`.
    pub language: String,
    /// ISO 3166-1 alpha-2, lower case, for example `de`.
    pub country: String,
    /// A location within the country, for example `Berlin`.
    pub location: Option<String>,
    /// Whether the engine searches the web; engines without web access ignore it.
    pub web_search: bool,
    /// Number of this sample of the prompt in the run, from 1; each sample is a separate call.
    pub sample: u32,
    /// The measured day; the sandbox answers for that day.
    pub day: NaiveDate,
    /// The owner's site. Not sent to real engines; the sandbox includes it in its answers.
    pub site: String,
    /// The owner's brand name. Not sent to real engines.
    pub brand: String,
}

/// Labels of an engine; safe to show to users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineLabel {
    /// The engine's public name, which identifies its series: one of [`ENGINES`] or [`SIMULATED_ENGINES`].
    pub name: String,
    pub title: String,
    /// Neutral label of the provider, for example `sandbox` or `openai`.
    pub provider: String,
    /// The requested model; `None` if it cannot be chosen.
    pub model: Option<String>,
    pub provenance: Provenance,
    pub has_sources: bool,
    /// Whether a web search before the answer can be enforced.
    pub forces_retrieval: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retrieval {
    /// The request enforced a web search.
    pub forced: bool,
    /// The engine searched; `None` if the service does not report it.
    pub used: Option<bool>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EngineAnswer {
    /// Neutral label of the provider that answered; after a failover, not the first one.
    pub provider: String,
    /// Model named in the response; `None` if the service does not report it.
    pub served_model: Option<String>,
    /// Never [`AnswerState::Failed`].
    pub state: AnswerState,
    /// The answer as Markdown; may be empty.
    pub text: String,
    /// Cited pages, with spans in bytes of `text`; `None` for engines without sources.
    pub citations: Option<Vec<AnswerCitation>>,
    /// Number of web searches; `None` if the service does not report it.
    pub searches: Option<u32>,
    /// Search terms, as far as the service reports them.
    pub queries: Vec<String>,
    pub retrieval: Retrieval,
    /// When the answer was complete, also if an earlier attempt made the call.
    pub answered_at: DateTime<Utc>,
    pub usage: AnswerUsage,
    /// Warnings, as machine-readable codes.
    pub warnings: Vec<String>,
}

impl EngineAnswer {
    pub fn into_observation(
        self,
        label: &EngineLabel,
        prompt: EnginePrompt,
        sample: u32,
    ) -> AiAnswer {
        AiAnswer {
            engine: label.name.clone(),
            provider: self.provider,
            provenance: label.provenance,
            requested_model: label.model.clone(),
            served_model: self.served_model,
            prompt,
            sample,
            state: self.state,
            text: self.text,
            citations: self.citations,
            searches: self.searches,
            queries: self.queries,
            answered_at: self.answered_at,
            usage: self.usage,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct AiQueryOutcome {
    pub answer: Result<EngineAnswer, ProviderError>,
    /// Includes failed queries.
    pub spent: Spent,
}

/// Queries an AI engine. A valid answer without text is empty or refused, never an error; an error
/// is never reported as an answer without mentions.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AiEngine: Send + Sync {
    fn label(&self) -> EngineLabel;
    /// Maximum calls and cost of one answer from any provider; reserved in advance.
    fn max_spend(&self) -> Spent;
    /// Why paid calls are refused; `None` if the engine may be queried.
    fn paid_call_refusal(&self) -> Option<PaidCallRefusal>;
    /// Maximum concurrent queries; further ones wait.
    fn max_concurrency(&self) -> usize;
    /// Records each paid call in the ledger before making it; makes no call that the ledger refuses.
    async fn query(&self, query: &AiQuery, ledger: &Arc<dyn PaidCallLedger>) -> AiQueryOutcome;
}

/// The configured engines; without credentials, those of the sandbox.
#[derive(Clone, Default)]
pub struct AiEngines {
    all: Vec<Arc<dyn AiEngine>>,
    sentiment_engine: Option<Arc<dyn AiEngine>>,
}

impl AiEngines {
    /// Keeps the order; names must be unique.
    pub fn new(engines: Vec<Arc<dyn AiEngine>>) -> Self {
        Self {
            all: engines,
            sentiment_engine: None,
        }
    }

    /// All engines, in display order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn AiEngine>> {
        self.all.iter()
    }

    pub fn named(&self, name: &str) -> Option<&Arc<dyn AiEngine>> {
        self.all.iter().find(|it| it.label().name == name)
    }

    /// Sets the engine that classifies sentiment in languages without a lexicon.
    #[must_use]
    pub fn with_sentiment_engine(mut self, name: &str) -> Self {
        self.sentiment_engine = self.named(name).cloned();
        self
    }

    /// The engine that classifies sentiment; `None` while its paid calls are refused.
    pub fn sentiment_engine(&self) -> Option<&Arc<dyn AiEngine>> {
        self.sentiment_engine
            .as_ref()
            .filter(|it| it.paid_call_refusal().is_none())
    }
}

impl fmt::Debug for AiEngines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.all().map(|it| it.label().name))
            .finish()
    }
}
