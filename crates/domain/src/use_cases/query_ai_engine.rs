//! Queries an AI engine once. Stores nothing.

use super::{ai_models::ActiveEngine, plan_prompts::PlannedQuery};
use crate::ports::{
    ai_answers::AiQueryOutcome, clock::Clock, paid_call_ledger::PaidCallLedger,
    search_results::ProviderError,
};
use analysis::observation::ai_answer::{AiAnswer, AnswerState, AnswerUsage};
use std::sync::Arc;

pub struct QueryAiEngine {
    clock: Arc<dyn Clock>,
    ledger: Arc<dyn PaidCallLedger>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ObservedAnswer {
    /// The answer; for a failed query, one in a failed state.
    pub answer: AiAnswer,
    /// Calls that are not in the ledger.
    pub calls: u64,
    pub failure: Option<ProviderError>,
}

impl QueryAiEngine {
    pub fn new(clock: Arc<dyn Clock>, ledger: Arc<dyn PaidCallLedger>) -> Self {
        Self { clock, ledger }
    }

    /// Always returns an answer; after a failure it claims nothing.
    pub async fn run(&self, engine: &ActiveEngine, question: &PlannedQuery) -> ObservedAnswer {
        let AiQueryOutcome { answer, spent } =
            engine.engine.query(&question.query, &self.ledger).await;
        let cost = u64::try_from(spent.cost.0).ok();
        let calls = spent.calls.saturating_sub(spent.ledger_calls);
        let prompt = question.prompt.clone();
        match answer {
            Ok(answer) => {
                let mut observed = answer.into_observation(&engine.label, prompt, question.sample);
                observed.usage.cost_micros = observed.usage.cost_micros.or(cost);
                ObservedAnswer {
                    answer: observed,
                    calls,
                    failure: None,
                }
            }
            Err(error) => {
                let label = &engine.label;
                let answer = AiAnswer {
                    engine: label.name.clone(),
                    provider: label.provider.clone(),
                    provenance: label.provenance,
                    requested_model: label.model.clone(),
                    served_model: None,
                    prompt,
                    sample: question.sample,
                    state: AnswerState::Failed(error.code().to_owned()),
                    text: String::new(),
                    citations: None,
                    searches: None,
                    queries: Vec::new(),
                    answered_at: self.clock.now(),
                    usage: AnswerUsage {
                        cost_micros: cost,
                        ..AnswerUsage::default()
                    },
                };
                ObservedAnswer {
                    answer,
                    calls,
                    failure: Some(error),
                }
            }
        }
    }
}
