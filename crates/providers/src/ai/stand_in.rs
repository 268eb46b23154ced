use async_trait::async_trait;
use domain::ports::ai_answers::{AiEngine, AiQuestion, Asked, EngineLabel};
use domain::ports::call_journal::CallJournal;
use domain::ports::search_results::{ProviderError, Spent, Unpaid};
use std::sync::Arc;

/// Queries services of the same engine in order until one answers.
pub(super) struct StandIn {
    services: Vec<Arc<dyn AiEngine>>,
}

impl StandIn {
    pub(super) fn new(services: Vec<Arc<dyn AiEngine>>) -> Self {
        Self { services }
    }
}

#[async_trait]
impl AiEngine for StandIn {
    /// That of the first service.
    fn label(&self) -> EngineLabel {
        self.services[0].label()
    }

    /// Every service may be queried, and a failed call may be billed.
    fn most(&self) -> Spent {
        let each = self.services.iter().map(|it| it.most());
        each.fold(Spent::default(), Spent::and)
    }

    /// Set only if no service may be queried: the first one's reason.
    fn unpaid(&self) -> Option<Unpaid> {
        let each: Option<Vec<Unpaid>> = self.services.iter().map(|it| it.unpaid()).collect();
        each?.first().copied()
    }

    fn at_once(&self) -> usize {
        self.services[0].at_once()
    }

    /// Returns the first answer and the total cost. If all fail: the failure of the first that could have answered.
    /// Stops early if the job's budget or ledger is the cause.
    async fn ask(&self, question: &AiQuestion, journal: &Arc<dyn CallJournal>) -> Asked {
        let mut spent = Spent::default();
        let mut told: Option<ProviderError> = None;
        for service in &self.services {
            let asked = service.ask(question, journal).await;
            spent = spent.and(asked.spent);
            let error = match asked.answer {
                Ok(answer) => {
                    return Asked {
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
            let is_ours = is_about_the_job(&error);
            if told.as_ref().is_none_or(is_refusal) {
                told = Some(told.filter(|_| is_refusal(&error)).unwrap_or(error));
            }
            if is_ours {
                break;
            }
        }
        Asked {
            answer: Err(told.unwrap_or(ProviderError::Unavailable)),
            spent,
        }
    }
}

const fn is_about_the_job(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::CapReached | ProviderError::NotWrittenDown { .. }
    )
}

const fn is_refusal(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Refused { .. } | ProviderError::Unpaid(_)
    )
}
