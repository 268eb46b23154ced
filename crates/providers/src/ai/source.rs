use super::text::sanitize_answer;
use crate::http_client::RawResponse;
use crate::paid_calls::{Billed, Counter, SpendingRules, micro_usd};
use crate::resilience::{Billing, CallFailure, Guard};
use analysis::observation::ai_answer::{AnswerCitation, AnswerState, AnswerUsage};
use async_trait::async_trait;
use domain::ports::ai_answers::{
    AiEngine, AiQuery, AiQueryOutcome, EngineAnswer, EngineLabel, Retrieval,
};
use domain::ports::clock::Clock;
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{PaidCallRefusal, ProviderError, Spent};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

#[async_trait]
pub(super) trait AnswerSource: Send + Sync {
    fn label(&self) -> EngineLabel;
    /// The service's name in the paid-call ledger; it must never change.
    fn name(&self) -> &'static str;
    /// Maximum price of a call, in millionths of a US dollar: 0 if free, `None` if unknown.
    fn max_price(&self) -> Option<u64>;
    fn max_calls(&self) -> u64 {
        1
    }
    /// Whether it searches the web even if not requested.
    fn always_searches(&self) -> bool {
        false
    }
    /// Why it cannot answer this question at all.
    fn objection(&self, _question: &AiQuery) -> Option<ProviderError> {
        None
    }
    /// Removes credentials, which services may echo.
    fn without_secrets(&self, text: &str) -> String;
    /// Returns a response whatever its status.
    async fn send(&self, question: &AiQuery) -> Result<RawResponse, CallFailure>;
    fn read(&self, question: &AiQuery, answer: &RawResponse)
    -> Result<ParsedResponse, CallFailure>;
    /// Post-processing of a paid answer, in bounded time.
    async fn finish(&self, _answer: &mut ParsedAnswer) {}
    async fn send_announced(&self, _announced: &str) -> Result<RawResponse, CallFailure> {
        Err(CallFailure::malformed("it announces an answer"))
    }
    fn read_announced(&self, _answer: &RawResponse) -> Result<ParsedResponse, CallFailure> {
        Err(CallFailure::malformed("it announces an answer"))
    }
}

#[derive(Debug)]
pub(super) enum ParsedResponse {
    Whole(Box<ParsedAnswer>),
    /// An answer exists; a second call fetches it with this token.
    Announced(String),
}

#[derive(Debug, Default)]
pub(super) struct ParsedAnswer {
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

impl Billed for ParsedResponse {
    fn reported_cost(&self) -> Option<u64> {
        match self {
            Self::Whole(answer) => answer.cost,
            Self::Announced(_) => None,
        }
    }
}

pub(super) struct GuardedEngine<S> {
    source: S,
    guard: Guard,
    clock: Arc<dyn Clock>,
    spending: SpendingRules,
    at_once: usize,
}

impl<S: AnswerSource> GuardedEngine<S> {
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
        match self.source.max_price() {
            Some(0) => Billing::Free,
            _ => Billing::PerCall,
        }
    }

    /// Identifies the call by everything that affects its answer. Each sample is a call.
    fn step(&self, question: &AiQuery, kind: &str) -> String {
        let label = self.source.label();
        let model = label.model.as_deref().unwrap_or("-");
        let place = question.location.as_deref().unwrap_or("-");
        let search = if question.web_search { "web" } else { "no web" };
        format!(
            "{} {} {kind} sample {} of {model}, {search}, {} {} {place}: {}",
            self.source.name(),
            label.name,
            question.sample,
            question.country,
            question.language,
            question.prompt
        )
    }

    async fn fetch(
        &self,
        question: &AiQuery,
        counter: &mut Counter<'_>,
    ) -> Result<(ParsedAnswer, u64, Option<u64>), ProviderError> {
        let took = AtomicU64::new(0);
        let clean = |text: &str| self.source.without_secrets(text);
        let price = self.source.max_price().unwrap_or_default();
        let first = counter.call(
            self.step(question, "answer"),
            clean,
            || timed(&took, self.source.send(question)),
            |answer| self.source.read(question, answer),
        );
        let first = first.await?;
        let mut cost = first.reported_cost().unwrap_or(price);
        let mut parsed = match first {
            ParsedResponse::Whole(parsed) => parsed,
            ParsedResponse::Announced(token) => {
                let second = counter.call(
                    self.step(question, "announced answer"),
                    clean,
                    || timed(&took, self.source.send_announced(&token)),
                    |answer| self.source.read_announced(answer),
                );
                let second = second.await?;
                cost = cost.saturating_add(second.reported_cost().unwrap_or(price));
                match second {
                    ParsedResponse::Whole(parsed) => parsed,
                    ParsedResponse::Announced(_) => {
                        return Err(CallFailure::malformed("it announces an answer").error);
                    }
                }
            }
        };
        let took = Some(took.into_inner()).filter(|_| counter.oldest_answer_at.is_none());
        self.source.finish(&mut parsed).await;
        Ok((*parsed, cost, took))
    }

    fn answer(
        &self,
        question: &AiQuery,
        parsed: ParsedAnswer,
        cost: u64,
        latency_ms: Option<u64>,
        counter: &Counter<'_>,
    ) -> EngineAnswer {
        let mut parsed = sanitize_answer(parsed);
        let state = match parsed.state {
            Outcome::NotShown => AnswerState::NotShown,
            Outcome::Refused => AnswerState::Refused,
            _ if parsed.text.trim().is_empty() => AnswerState::Empty,
            Outcome::CutShort => AnswerState::CutShort,
            Outcome::Complete => AnswerState::Answered,
        };
        if !matches!(state, AnswerState::Answered | AnswerState::CutShort) {
            parsed.text.clear();
            parsed.citations = parsed.citations.map(|_| Vec::new());
        }
        // Without web search sources are unknown, which differs from citing none.
        if !question.web_search && !self.source.always_searches() {
            parsed.citations = None;
        }
        EngineAnswer {
            provider: self.source.label().provider,
            served_model: parsed.served_model,
            state,
            text: parsed.text,
            citations: parsed.citations,
            searches: parsed.searches,
            queries: parsed.queries,
            retrieval: parsed.retrieval,
            answered_at: counter.oldest_answer_at.unwrap_or_else(|| self.clock.now()),
            usage: AnswerUsage {
                input_tokens: parsed.input_tokens,
                output_tokens: parsed.output_tokens,
                cost_micros: Some(cost),
                latency_ms,
            },
            warnings: parsed.warnings.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Stores the duration of the last attempt, in milliseconds.
async fn timed(
    took: &AtomicU64,
    call: impl Future<Output = Result<RawResponse, CallFailure>> + Send,
) -> Result<RawResponse, CallFailure> {
    let begin = Instant::now();
    let answer = call.await;
    let millis = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    took.store(millis, Ordering::Relaxed);
    answer
}

#[async_trait]
impl<S: AnswerSource> AiEngine for GuardedEngine<S> {
    fn label(&self) -> EngineLabel {
        self.source.label()
    }

    fn max_spend(&self) -> Spent {
        if self.paid_call_refusal().is_some() {
            return Spent::default();
        }
        let price = self.source.max_price().unwrap_or_default();
        Spent::on(self.source.max_calls(), micro_usd(price))
    }

    fn paid_call_refusal(&self) -> Option<PaidCallRefusal> {
        match self.billing() {
            Billing::Free => None,
            Billing::PerCall => self
                .spending
                .objection(self.source.max_price().unwrap_or(0)),
        }
    }

    fn max_concurrency(&self) -> usize {
        self.at_once
    }

    async fn query(&self, question: &AiQuery, ledger: &Arc<dyn PaidCallLedger>) -> AiQueryOutcome {
        let unpaid = self.paid_call_refusal().map(ProviderError::PaidCallRefused);
        if let Some(objection) = unpaid.or_else(|| self.source.objection(question)) {
            return AiQueryOutcome {
                answer: Err(objection),
                spent: Spent::default(),
            };
        }
        let price = self.source.max_price().unwrap_or_default();
        let mut counter = Counter::new(&self.guard, ledger.as_ref(), self.billing(), price);
        let fetched = self.fetch(question, &mut counter).await;
        let answer =
            fetched.map(|(parsed, cost, took)| self.answer(question, parsed, cost, took, &counter));
        AiQueryOutcome {
            answer,
            spent: counter.spent,
        }
    }
}
