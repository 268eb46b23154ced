use super::call_journal::CallJournal;
use super::search_results::{ProviderError, Spent, Unpaid};
use analysis::{
    observation::ai_answer::{AiAnswer, AnswerCitation, AnswerState, AnswerUsage, AskedPrompt},
    provenance::Provenance,
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use std::{fmt, sync::Arc};

/// The operation's name in metrics, server notes and breakers.
pub const OPERATION: &str = "answer";

/// The engines that can be set, by their public names. New ones come last: a record's place among
/// others follows from its engine's place here.
pub const ENGINES: [(&str, &str); 7] = [
    ("chatgpt", "ChatGPT"),
    ("perplexity", "Perplexity"),
    ("gemini", "Gemini"),
    ("claude", "Claude"),
    ("googleAiOverview", "Google AI Overview"),
    ("googleAiMode", "Google AI Mode"),
    ("compatible", "Compatible model"),
];
/// Those of the sandbox, which have names of their own: nothing simulated joins a real series.
pub const SIMULATED_ENGINES: [(&str, &str); 3] = [
    ("sandboxAssistant", "Sandbox assistant (simulated)"),
    ("sandboxOverview", "Sandbox overview (simulated)"),
    ("sandboxMentions", "Sandbox without sources (simulated)"),
];

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AiQuestion {
    pub prompt: String,
    /// ISO 639-1, lower case, for example `de`.
    pub language: String,
    /// ISO 3166-1 alpha-2, lower case, for example `de`.
    pub country: String,
    /// A place inside the country, for example `Berlin`.
    pub location: Option<String>,
    /// Whether the engine is to look at the web; engines without web access ignore it.
    pub web_search: bool,
    /// Which repeat of the prompt in this run it is, from 1: each is a call of its own.
    pub sample: u32,
    /// The day that is measured; the sandbox answers for that day.
    pub day: NaiveDate,
    /// The site the owner cares about. Real engines are not told; the sandbox gives it a place.
    pub site: String,
    /// The owner's name. Real engines are not told.
    pub brand: String,
}

/// Who answers, in words that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineLabel {
    /// The engine's public name, of which its series are: one of [`ENGINES`] or [`SIMULATED_ENGINES`].
    pub name: String,
    pub title: String,
    /// A neutral label of who fetches the answers, for example `sandbox` or `openai`.
    pub provider: String,
    /// The model that is asked for; `None` where none can be chosen.
    pub model: Option<String>,
    pub provenance: Provenance,
    pub has_sources: bool,
    /// Whether it can be made to look at the web before it answers.
    pub forces_retrieval: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retrieval {
    /// It was told to, in a way that it cannot pass over.
    pub forced: bool,
    /// It did; `None` when the service does not tell.
    pub used: Option<bool>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EngineAnswer {
    /// A neutral label of who fetched it: another one than the first where one stood in.
    pub provider: String,
    /// The model that says it answered; `None` when the service does not tell.
    pub served_model: Option<String>,
    /// What came of it; never [`AnswerState::Failed`].
    pub state: AnswerState,
    /// The answer, as Markdown; empty unless there is one.
    pub text: String,
    /// The pages it refers to, with spans in bytes of `text`; `None` for engines without sources.
    pub citations: Option<Vec<AnswerCitation>>,
    /// How many searches it made; `None` when the service does not tell.
    pub searches: Option<u32>,
    /// What it searched for, as far as the service tells.
    pub queries: Vec<String>,
    pub retrieval: Retrieval,
    /// When the answer was complete; of a call that an earlier attempt made, when that was.
    pub answered_at: DateTime<Utc>,
    pub usage: AnswerUsage,
    /// Machine codes of what is weak about it.
    pub warnings: Vec<String>,
}

impl EngineAnswer {
    pub fn into_observation(
        self,
        label: &EngineLabel,
        prompt: AskedPrompt,
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
pub struct Asked {
    pub answer: Result<EngineAnswer, ProviderError>,
    /// Also of a question that failed.
    pub spent: Spent,
}

/// Answers questions. A valid answer without text is an empty or a refused one, never an error;
/// an error is never an answer that names nobody.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AiEngine: Send + Sync {
    fn label(&self) -> EngineLabel;
    /// What an answer takes at the most, whoever gives it: what is set aside for it.
    fn most(&self) -> Spent;
    /// Why it may not be asked: it costs money, and that is not to be spent. `None` while it may.
    fn unpaid(&self) -> Option<Unpaid>;
    /// How many questions it is asked at the same time, at the most; more of them wait.
    fn at_once(&self) -> usize;
    /// Asks, and waits for the answer. Each call that costs money is written down in the journal
    /// before it is made; what the journal refuses is not made.
    async fn ask(&self, question: &AiQuestion, journal: &Arc<dyn CallJournal>) -> Asked;
}

/// The engines that are set: without any credentials, those of the sandbox.
#[derive(Clone, Default)]
pub struct AiEngines {
    all: Vec<Arc<dyn AiEngine>>,
    judge: Option<Arc<dyn AiEngine>>,
}

impl AiEngines {
    /// These, in this order; names are different.
    pub fn new(engines: Vec<Arc<dyn AiEngine>>) -> Self {
        Self {
            all: engines,
            judge: None,
        }
    }

    /// All of them, in the order in which they are shown.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn AiEngine>> {
        self.all.iter()
    }

    pub fn named(&self, name: &str) -> Option<&Arc<dyn AiEngine>> {
        self.all.iter().find(|it| it.label().name == name)
    }

    /// The same, with the one of that name to tell how kind sentences are that no lexicon speaks.
    #[must_use]
    pub fn judged_by(mut self, name: &str) -> Self {
        self.judge = self.named(name).cloned();
        self
    }

    /// Judges sentiment where no lexicon speaks the language; `None` while that costs money that is not to be spent.
    pub fn judge(&self) -> Option<&Arc<dyn AiEngine>> {
        self.judge.as_ref().filter(|it| it.unpaid().is_none())
    }
}

impl fmt::Debug for AiEngines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.all().map(|it| it.label().name))
            .finish()
    }
}
