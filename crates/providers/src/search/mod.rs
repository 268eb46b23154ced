mod assembly;
pub(crate) mod data_for_seo;
mod failover;
mod paged;
mod result_page;
mod searxng;
pub(crate) mod serp_api;
mod serper;
mod settings;
mod single_flight;
pub(crate) mod wire_errors;

pub use settings::{
    DataForSeoSettings, SearchSettings, SearxngSettings, SerpApiSettings, SerperSettings,
};

use crate::{
    http_client::client,
    paying::SpendingRules,
    resilience::{Guard, ResilienceSettings},
    sandbox::Sandbox,
};
use analysis::provenance::Provenance;
use data_for_seo::DataForSeo;
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    search_results::{OPERATION, SearchResults, SupplierLabel},
};
use failover::Failover;
use paged::{Paged, ResultPages};
use searxng::Searxng;
use serp_api::SerpApi;
use serper::Serper;
use single_flight::SingleFlight;
use std::sync::Arc;

/// The suppliers that the settings name, each guarded, later ones standing in for earlier; else the sandbox alone.
pub fn configured(
    settings: SearchSettings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
) -> Arc<dyn SearchResults> {
    let http = || client(settings.resilience.connect_timeout);
    let around = Surroundings {
        resilience: settings.resilience.clone(),
        clock,
        randomness,
        spending: SpendingRules {
            paid_calls: settings.paid_calls,
            most_per_call: settings.most_per_call,
        },
    };
    let clock = || Arc::clone(&around.clock);
    let data_for_seo =
        { settings.data_for_seo }.map(|it| around.guarded(DataForSeo::new(it, http(), clock())));
    let serp_api =
        { settings.serp_api }.map(|it| around.guarded(SerpApi::new(it, http(), clock())));
    let serper = { settings.serper }.map(|it| around.guarded(Serper::new(it, http(), clock())));
    let searxng = { settings.searxng }.map(|it| around.guarded(Searxng::new(it, http(), clock())));
    let in_order = [data_for_seo, serp_api, serper, searxng];
    let mut suppliers: Vec<_> = in_order.into_iter().flatten().collect();
    let supplier = match suppliers.len() {
        0 => return Arc::new(Sandbox::new(settings.sandbox, around.clock)),
        1 => suppliers.swap_remove(0),
        _ => Arc::new(Failover::new(suppliers)),
    };
    Arc::new(SingleFlight::new(supplier))
}

struct Surroundings {
    resilience: ResilienceSettings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    spending: SpendingRules,
}

impl Surroundings {
    fn guarded(&self, pages: impl ResultPages + 'static) -> Arc<dyn SearchResults> {
        let guard = Guard::new(self.resilience.clone(), Arc::clone(&self.randomness))
            .named(pages.name(), OPERATION);
        let clock = Arc::clone(&self.clock);
        Arc::new(Paged::new(pages, guard, clock, self.spending))
    }
}

/// Measured pages of Google: one series, whichever of its suppliers fetched them.
fn of_google() -> SupplierLabel {
    SupplierLabel {
        name: "web search".to_owned(),
        engine: "google".to_owned(),
        provenance: Provenance::Measured,
    }
}
