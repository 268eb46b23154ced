//! AI engines that are set and never asked.

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

/// An engine of which only what it is matters.
#[derive(Debug, Clone)]
pub struct IdleEngine {
    /// Its public name.
    pub name: &'static str,
    /// What an answer costs at the most.
    pub price: MicroUsd,
    /// Why it may not be asked.
    pub unpaid: Option<Unpaid>,
}

/// Engines of these names and prices, in millionths of a dollar.
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
