//! AI engines that are configured and never queried.

use analysis::provenance::Provenance;
use async_trait::async_trait;
use domain::{
    money::MicroUsd,
    ports::{
        ai_answers::{AiEngine, AiEngines, AiQuery, AiQueryOutcome, EngineLabel},
        paid_call_ledger::PaidCallLedger,
        search_results::{PaidCallRefusal, ProviderError, Spent},
    },
};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct IdleEngine {
    pub name: &'static str,
    /// Maximum cost of an answer.
    pub price: MicroUsd,
    pub unpaid: Option<PaidCallRefusal>,
}

/// Engines with these names and prices, in micro-dollars.
#[must_use]
pub fn idle(engines: &[(&'static str, i64)]) -> AiEngines {
    let engines = engines.iter().map(|(name, price)| {
        Arc::new(IdleEngine {
            name,
            price: MicroUsd(*price),
            unpaid: None,
        }) as Arc<dyn AiEngine>
    });
    AiEngines::new(engines.collect())
}

#[async_trait]
impl AiEngine for IdleEngine {
    fn label(&self) -> EngineLabel {
        EngineLabel {
            name: self.name.to_owned(),
            title: self.name.to_uppercase(),
            provider: "test".to_owned(),
            model: Some(format!("{}-1", self.name)),
            provenance: Provenance::Measured,
            has_sources: true,
            forces_retrieval: true,
        }
    }

    fn max_spend(&self) -> Spent {
        Spent::on(1, self.price)
    }

    fn paid_call_refusal(&self) -> Option<PaidCallRefusal> {
        self.unpaid
    }

    fn max_concurrency(&self) -> usize {
        1
    }

    async fn query(&self, _: &AiQuery, _: &Arc<dyn PaidCallLedger>) -> AiQueryOutcome {
        AiQueryOutcome {
            answer: Err(ProviderError::Unavailable),
            spent: Spent::default(),
        }
    }
}
