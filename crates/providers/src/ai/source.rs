use super::text::tidied;
use crate::http_client::Answer;
use crate::paying::{Billed, Counter, SpendingRules, micro_usd};
use crate::resilience::{Billing, CallFailure, Guard};
use analysis::observation::ai_answer::{AnswerCitation, AnswerState, AnswerUsage};
use async_trait::async_trait;
use domain::ports::ai_answers::{
    AiEngine, AiQuestion, Asked, EngineAnswer, EngineLabel, Retrieval,
};
use domain::ports::call_journal::CallJournal;
use domain::ports::clock::Clock;
use domain::ports::search_results::{ProviderError, Spent, Unpaid};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

#[async_trait]
pub(super) trait AnswerSource: Send + Sync {
    fn label(&self) -> EngineLabel;
    /// The service's name in the paid-call ledger; it must never change.
    fn name(&self) -> &'static str;
    /// Maximum price of a call, in millionths of a US dollar: 0 if free, `None` if unknown.
    fn price(&self) -> Option<u64>;
    fn calls(&self) -> u64 {
        1
    }
    /// Whether it searches the web even if not asked to.
    fn always_searches(&self) -> bool {
        false
    }
    /// Why it cannot answer this question at all.
    fn objection(&self, _question: &AiQuestion) -> Option<ProviderError> {
        None
    }
    /// Removes credentials, which services may echo.
    fn without_secrets(&self, text: &str) -> String;
    /// Returns a response whatever its status.
    async fn send(&self, question: &AiQuestion) -> Result<Answer, CallFailure>;
    fn read(&self, question: &AiQuestion, answer: &Answer) -> Result<Reading, CallFailure>;
    /// Post-processing of a paid answer, in bounded time.
    async fn finish(&self, _told: &mut Told) {}
    async fn send_for(&self, _announced: &str) -> Result<Answer, CallFailure> {
        Err(CallFailure::malformed("it announces an answer"))
    }
    fn read_for(&self, _answer: &Answer) -> Result<Reading, CallFailure> {
        Err(CallFailure::malformed("it announces an answer"))
    }
}

#[derive(Debug)]
pub(super) enum Reading {
    Whole(Box<Told>),
    /// An answer exists; a second call fetches it with this token.
    Announced(String),
}

#[derive(Debug, Default)]
pub(super) struct Told {
    pub served_model: Option<String>,
    pub state: Outcome,
    pub text: String,
    pub citations: Option<Vec<AnswerCitation>>,
    pub searches: Option<u32>,
    pub queries: Vec<String>,
    pub retrieval: Retrieval,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// As reported by the service or computed from its usage, in millionths of a US dollar.
    pub cost: Option<u64>,
    pub warnings: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Finished normally; empty if there is no text.
    #[default]
    Complete,
    CutShort,
    Refused,
    NotShown,
}

impl Billed for Reading {
    fn told(&self) -> Option<u64> {
        match self {
            Self::Whole(told) => told.cost,
            Self::Announced(_) => None,
        }
    }
}

pub(super) struct Asker<S> {
    source: S,
    guard: Guard,
    clock: Arc<dyn Clock>,
    spending: SpendingRules,
    at_once: usize,
}

impl<S: AnswerSource> Asker<S> {
    pub(super) fn new(
        source: S,
        guard: Guard,
        clock: Arc<dyn Clock>,
        spending: SpendingRules,
        at_once: usize,
    ) -> Self {
        Self {
            source,
            guard,
            clock,
            spending,
            at_once,
        }
    }

    fn billing(&self) -> Billing {
        match self.source.price() {
            Some(0) => Billing::Free,
            _ => Billing::PerCall,
        }
    }

    /// Identifies the call by everything that affects its answer. Each sample is a call.
    fn step(&self, question: &AiQuestion, what: &str) -> String {
        let label = self.source.label();
        let model = label.model.as_deref().unwrap_or("-");
        let place = question.location.as_deref().unwrap_or("-");
        let search = if question.web_search { "web" } else { "no web" };
        format!(
            "{} {} {what} sample {} of {model}, {search}, {} {} {place}: {}",
            self.source.name(),
            label.name,
            question.sample,
            question.country,
            question.language,
            question.prompt
        )
    }

    async fn told(
        &self,
        question: &AiQuestion,
        counter: &mut Counter<'_>,
    ) -> Result<(Told, u64, Option<u64>), ProviderError> {
        let took = AtomicU64::new(0);
        let clean = |text: &str| self.source.without_secrets(text);
        let price = self.source.price().unwrap_or_default();
        let first = counter.call(
            self.step(question, "answer"),
            clean,
            || timed(&took, self.source.send(question)),
            |answer| self.source.read(question, answer),
        );
        let first = first.await?;
        let mut cost = first.told().unwrap_or(price);
        let mut told = match first {
            Reading::Whole(told) => told,
            Reading::Announced(token) => {
                let second = counter.call(
                    self.step(question, "announced answer"),
                    clean,
                    || timed(&took, self.source.send_for(&token)),
                    |answer| self.source.read_for(answer),
                );
                let second = second.await?;
                cost = cost.saturating_add(second.told().unwrap_or(price));
                match second {
                    Reading::Whole(told) => told,
                    Reading::Announced(_) => {
                        return Err(CallFailure::malformed("it announces an answer").error);
                    }
                }
            }
        };
        let took = Some(took.into_inner()).filter(|_| counter.since.is_none());
        self.source.finish(&mut told).await;
        Ok((*told, cost, took))
    }

    fn answer(
        &self,
        question: &AiQuestion,
        told: Told,
        cost: u64,
        latency_ms: Option<u64>,
        counter: &Counter<'_>,
    ) -> EngineAnswer {
        let mut told = tidied(told);
        let state = match told.state {
            Outcome::NotShown => AnswerState::NotShown,
            Outcome::Refused => AnswerState::Refused,
            _ if told.text.trim().is_empty() => AnswerState::Empty,
            Outcome::CutShort => AnswerState::CutShort,
            Outcome::Complete => AnswerState::Answered,
        };
        if !matches!(state, AnswerState::Answered | AnswerState::CutShort) {
            told.text.clear();
            told.citations = told.citations.map(|_| Vec::new());
        }
        // Without web search sources are unknown, which differs from citing none.
        if !question.web_search && !self.source.always_searches() {
            told.citations = None;
        }
        EngineAnswer {
            provider: self.source.label().provider,
            served_model: told.served_model,
            state,
            text: told.text,
            citations: told.citations,
            searches: told.searches,
            queries: told.queries,
            retrieval: told.retrieval,
            answered_at: counter.since.unwrap_or_else(|| self.clock.now()),
            usage: AnswerUsage {
                input_tokens: told.input_tokens,
                output_tokens: told.output_tokens,
                cost_micros: Some(cost),
                latency_ms,
            },
            warnings: told.warnings.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Stores the duration of the last attempt, in milliseconds.
async fn timed(
    took: &AtomicU64,
    call: impl Future<Output = Result<Answer, CallFailure>> + Send,
) -> Result<Answer, CallFailure> {
    let begin = Instant::now();
    let answer = call.await;
    let millis = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    took.store(millis, Ordering::Relaxed);
    answer
}

#[async_trait]
impl<S: AnswerSource> AiEngine for Asker<S> {
    fn label(&self) -> EngineLabel {
        self.source.label()
    }

    fn most(&self) -> Spent {
        if self.unpaid().is_some() {
            return Spent::default();
        }
        let price = self.source.price().unwrap_or_default();
        Spent::on(self.source.calls(), micro_usd(price))
    }

    fn unpaid(&self) -> Option<Unpaid> {
        match self.billing() {
            Billing::Free => None,
            Billing::PerCall => self.spending.objection(self.source.price().unwrap_or(0)),
        }
    }

    fn at_once(&self) -> usize {
        self.at_once
    }

    async fn ask(&self, question: &AiQuestion, journal: &Arc<dyn CallJournal>) -> Asked {
        let unpaid = self.unpaid().map(ProviderError::Unpaid);
        if let Some(objection) = unpaid.or_else(|| self.source.objection(question)) {
            return Asked {
                answer: Err(objection),
                spent: Spent::default(),
            };
        }
        let price = self.source.price().unwrap_or_default();
        let mut counter = Counter::new(&self.guard, journal.as_ref(), self.billing(), price);
        let told = self.told(question, &mut counter).await;
        let answer =
            told.map(|(told, cost, took)| self.answer(question, told, cost, took, &counter));
        Asked {
            answer,
            spent: counter.spent,
        }
    }
}
