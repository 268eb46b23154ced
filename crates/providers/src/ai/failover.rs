use async_trait::async_trait;
use domain::ports::ai_answers::{AiEngine, AiQuery, AiQueryOutcome, EngineLabel};
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{PaidCallRefusal, ProviderError, Spent};
use std::sync::Arc;

/// Queries services of the same engine in order until one answers.
pub(super) struct EngineFailover {
    services: Vec<Arc<dyn AiEngine>>,
}

impl EngineFailover {
    pub(super) fn new(services: Vec<Arc<dyn AiEngine>>) -> Self {
        Self { services }
    }
}

#[async_trait]
impl AiEngine for EngineFailover {
    /// That of the first service.
    fn label(&self) -> EngineLabel {
        self.services[0].label()
    }

    /// Every service may be queried, and a failed call may be billed.
    fn max_spend(&self) -> Spent {
        let each = self.services.iter().map(|it| it.max_spend());
        each.fold(Spent::default(), Spent::and)
    }

    /// Set only if no service may be queried: the first one's reason.
    fn paid_call_refusal(&self) -> Option<PaidCallRefusal> {
        let each: Option<Vec<PaidCallRefusal>> = self
            .services
            .iter()
            .map(|it| it.paid_call_refusal())
            .collect();
        each?.first().copied()
    }

    fn max_concurrency(&self) -> usize {
        self.services[0].max_concurrency()
    }

    /// Returns the first answer and the total cost. If all fail: the failure of the first that could have answered.
    /// Stops early if the job's budget or ledger is the cause.
    async fn query(&self, question: &AiQuery, ledger: &Arc<dyn PaidCallLedger>) -> AiQueryOutcome {
        let mut spent = Spent::default();
        let mut first_failure: Option<ProviderError> = None;
        for service in &self.services {
            let outcome = service.query(question, ledger).await;
            spent = spent.and(outcome.spent);
            let error = match outcome.answer {
                Ok(answer) => {
                    return AiQueryOutcome {
                        answer: Ok(answer),
                        spent,
                    };
                }
                Err(error) => error,
            };
            let engine = service.label().name;
            tracing::warn!(
                engine,
                code = error.code(),
                "a service of an AI engine failed"
            );
            let is_ours = is_job_error(&error);
            if first_failure.as_ref().is_none_or(is_refusal) {
                first_failure = Some(
                    first_failure
                        .filter(|_| is_refusal(&error))
                        .unwrap_or(error),
                );
            }
            if is_ours {
                break;
            }
        }
        AiQueryOutcome {
            answer: Err(first_failure.unwrap_or(ProviderError::Unavailable)),
            spent,
        }
    }
}

const fn is_job_error(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::JobBudgetReached | ProviderError::NotRecorded { .. }
    )
}

const fn is_refusal(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Refused { .. } | ProviderError::PaidCallRefused(_)
    )
}
