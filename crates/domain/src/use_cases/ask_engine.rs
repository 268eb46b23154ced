//! Queries an AI engine once. Stores nothing.

use super::{ai_models::AskedEngine, plan_prompts::Question};
use crate::ports::{
    ai_answers::Asked, call_journal::CallJournal, clock::Clock, search_results::ProviderError,
};
use analysis::observation::ai_answer::{AiAnswer, AnswerState, AnswerUsage};
use std::sync::Arc;

pub struct AskEngine {
    clock: Arc<dyn Clock>,
    journal: Arc<dyn CallJournal>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AskedAnswer {
    /// The answer; for a failed query, one in a failed state.
    pub answer: AiAnswer,
    /// Calls that are not in the ledger.
    pub calls: u64,
    pub failure: Option<ProviderError>,
}

impl AskEngine {
    pub fn new(clock: Arc<dyn Clock>, journal: Arc<dyn CallJournal>) -> Self {
        Self { clock, journal }
    }

    /// Always returns an answer; after a failure it claims nothing.
    pub async fn run(&self, engine: &AskedEngine, question: &Question) -> AskedAnswer {
        let Asked { answer, spent } = engine.engine.ask(&question.asked, &self.journal).await;
        let cost = u64::try_from(spent.cost.0).ok();
        let calls = spent.calls.saturating_sub(spent.written_down);
        let prompt = question.prompt.clone();
        match answer {
            Ok(answer) => {
                let mut observed = answer.into_observation(&engine.label, prompt, question.sample);
                observed.usage.cost_micros = observed.usage.cost_micros.or(cost);
                AskedAnswer {
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
                AskedAnswer {
                    answer,
                    calls,
                    failure: Some(error),
                }
            }
        }
    }
}
