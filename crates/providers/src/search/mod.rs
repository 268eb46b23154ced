mod assembly;
pub(crate) mod data_for_seo;
mod failover;
mod paged;
mod result_page;
mod searxng;
pub(crate) mod serp_api;
mod serper;
mod single_flight;
pub(crate) mod wire_errors;

pub use data_for_seo::DataForSeoSettings;
pub use searxng::SearxngSettings;
pub use serp_api::SerpApiSettings;
pub use serper::SerperSettings;

use crate::paid_calls::SpendingRules;
use crate::resilience::ResilienceSettings;
use crate::sandbox::{Sandbox, SandboxSettings};
use crate::supplier::{Supplier, SupplierContext};
use analysis::provenance::Provenance;
use domain::ports::clock::Clock;
use domain::ports::randomness::Randomness;
use domain::ports::search_results::{OPERATION, SearchResults, SupplierLabel};
use failover::Failover;
use paged::{Paged, ResultPages};
use serde::{Deserialize, Serialize};
use setting::{Cap, Mistakes, Setting, Usd, settings};
use single_flight::SingleFlight;
use std::sync::Arc;

pub type SearchSupplier = Supplier<SearchSettings, dyn SearchResults>;

/// In query order, most detailed first; each is the fallback for those before it.
pub static SUPPLIERS: &[SearchSupplier] = &[
    data_for_seo::SUPPLIER,
    serp_api::SUPPLIER,
    serper::SUPPLIER,
    searxng::SUPPLIER,
];

settings! {
    /// Search results: from every supplier that has credentials or an address; from the sandbox if there is none.
    pub struct SearchSettings {
        /// Organic results; 10 to 700.
        pub depth: Depth = Depth(100),
        /// `false` stops all paid calls, after a restart.
        pub paid_calls: bool = true,
        /// US dollars that a call may cost.
        pub most_per_call: Option<Cap>,
        /// US dollars that all accounts may spend on a day (UTC): searches, AI engines and keyword research together.
        pub most_per_day: Option<Cap>,
        pub data_for_seo: DataForSeoSettings,
        pub serp_api: SerpApiSettings,
        pub serper: SerperSettings,
        pub searxng: SearxngSettings,
        pub sandbox: SandboxSettings,
        /// Applies to each supplier separately.
        #[serde(skip)]
        pub resilience: ResilienceSettings,
    }
}

/// Number of organic results per keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Depth(pub u32);

impl Setting for Depth {
    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        mistakes.within(key, self.0, &(10..=700), " organic results");
    }
}

impl SearchSettings {
    /// Names of the configured suppliers, in query order.
    pub fn suppliers(&self) -> Vec<&'static str> {
        let named = SUPPLIERS.iter().filter(|it| it.is_set(self));
        named.map(|it| it.name).collect()
    }

    pub fn is_simulated(&self) -> bool {
        self.suppliers().is_empty()
    }

    pub(crate) fn spending(&self) -> SpendingRules {
        SpendingRules {
            paid_calls: self.paid_calls,
            max_per_call: self.most_per_call.map(Usd::micros),
        }
    }
}

/// The configured suppliers with guards and failover, else the sandbox.
pub fn configured(
    settings: &SearchSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Arc<dyn SearchResults> {
    let ctx = context(settings, clock, randomness);
    let mut suppliers = Supplier::build_enabled(SUPPLIERS, settings, &ctx);
    let supplier = match suppliers.len() {
        0 => return Arc::new(Sandbox::new(settings.sandbox.clone(), ctx.clock)),
        1 => suppliers.swap_remove(0),
        _ => Arc::new(Failover::new(suppliers)),
    };
    Arc::new(SingleFlight::new(supplier))
}

/// The configured suppliers one by one, with names, in query order.
pub fn each(
    settings: &SearchSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Vec<(&'static str, Arc<dyn SearchResults>)> {
    let ctx = context(settings, clock, randomness);
    let enabled = SUPPLIERS.iter().filter(|it| it.is_set(settings));
    let built = enabled.filter_map(|it| Some((it.name, (it.build)(settings, &ctx)?)));
    built.collect()
}

fn context(
    settings: &SearchSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> SupplierContext {
    SupplierContext {
        resilience: settings.resilience.clone(),
        clock: Arc::clone(clock),
        randomness: Arc::clone(randomness),
        spending: settings.spending(),
    }
}

fn guarded(pages: impl ResultPages + 'static, ctx: &SupplierContext) -> Arc<dyn SearchResults> {
    let guard = ctx.guard(pages.name(), OPERATION);
    Arc::new(Paged::new(pages, guard, ctx.clock(), ctx.spending))
}

/// Google's pages of all suppliers are one series.
fn of_google() -> SupplierLabel {
    SupplierLabel {
        name: "web search".to_owned(),
        engine: "google".to_owned(),
        provenance: Provenance::Measured,
    }
}
