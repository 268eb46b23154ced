//! A simulated search market: deterministic, stateless and labeled as simulated. The same keyword, market, day and seed
//! give the same page (except its fetch time). Ranks drift daily; the own site ranks for most keywords. Keywords that
//! begin with `sandbox:` make calls fail, see [`SimulatedFailure`].

pub(crate) mod answers;
mod chance;
pub(crate) mod keywords;
mod layout;
mod market;
mod simulated_failure;

pub use simulated_failure::SimulatedFailure;

use analysis::{observation::search_page::SearchPage, provenance::Provenance};
use async_trait::async_trait;
use chance::Chance;
use domain::money::MicroUsd;
use domain::ports::clock::Clock;
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{
    PaidCallRefusal, ProviderError, SearchOutcome, SearchQuery, SearchResults, Spent, SupplierLabel,
};
use market::Ranking;
use setting::{Share, Within, settings};
use std::{sync::Arc, time::Duration};

settings! {
    pub struct SandboxSettings {
        /// Seed of the simulated market.
        pub seed: u64,
        /// Share of simulated calls that fail; which ones depends on keyword and day.
        pub failure_rate: Share,
        /// Duration of a simulated call; all three also for simulated AI engines.
        pub latency_ms: Within<0, 60_000, u64>,
    }
}

impl SandboxSettings {
    async fn wait(&self) {
        if self.latency_ms.0 > 0 {
            tokio::time::sleep(Duration::from_millis(self.latency_ms.0)).await;
        }
    }
}

pub struct Sandbox {
    settings: SandboxSettings,
    clock: Arc<dyn Clock>,
}

impl Sandbox {
    pub fn new(settings: SandboxSettings, clock: Arc<dyn Clock>) -> Self {
        Self { settings, clock }
    }

    fn answer(&self, query: &SearchQuery) -> Result<SearchPage, ProviderError> {
        let market = Chance::seeded(self.settings.seed)
            .derive(&query.country)
            .derive(&query.language)
            .derive(query.device.name())
            .derive(query.location.as_deref().unwrap_or_default());
        let keyword = market.derive(&analysis::keyword_text::normalized(&query.keyword));
        let failure = SimulatedFailure::in_keyword(&query.keyword).or_else(|| {
            SimulatedFailure::at_random(keyword, query.day, self.settings.failure_rate.0)
        });
        if let Some(failure) = failure {
            return failure.answer(self.clock.now());
        }
        let ranking = Ranking::generate(market, keyword, query);
        Ok(layout::page(&ranking, keyword, query, self.clock.now()))
    }
}

#[async_trait]
impl SearchResults for Sandbox {
    fn label(&self) -> SupplierLabel {
        SupplierLabel {
            name: layout::PROVIDER.to_owned(),
            engine: layout::PROVIDER.to_owned(),
            provenance: Provenance::Simulated,
        }
    }

    fn max_spend(&self, depth: u32) -> Spent {
        let calls = depth.div_ceil(layout::RESULTS_PER_CALL).max(1);
        Spent::on(calls.into(), MicroUsd::default())
    }

    fn paid_call_refusal(&self, _: u32) -> Option<PaidCallRefusal> {
        None
    }

    async fn search(&self, query: &SearchQuery, _: &Arc<dyn PaidCallLedger>) -> SearchOutcome {
        self.settings.wait().await;
        SearchOutcome {
            answer: self.answer(query),
            truncated_by: None,
            spent: self.max_spend(query.depth),
        }
    }
}

#[cfg(test)]
mod tests;
