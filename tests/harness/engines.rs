//! AI engines that are configured and never queried.

use analysis::provenance::Provenance;
use async_trait::async_trait;
use domain::{
    money::MicroUsd,
    ports::{
        ai_answers::{AiEngine, AiEngines, AiQuestion, Asked, EngineLabel},
        call_journal::CallJournal,
        search_results::{ProviderError, Spent, Unpaid},
    },
};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct IdleEngine {
    pub name: &'static str,
    /// Maximum cost of an answer.
    pub price: MicroUsd,
    pub unpaid: Option<Unpaid>,
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

    fn most(&self) -> Spent {
        Spent::on(1, self.price)
    }

    fn unpaid(&self) -> Option<Unpaid> {
        self.unpaid
    }

    fn at_once(&self) -> usize {
        1
    }

    async fn ask(&self, _: &AiQuestion, _: &Arc<dyn CallJournal>) -> Asked {
        Asked {
            answer: Err(ProviderError::Unavailable),
            spent: Spent::default(),
        }
    }
}
