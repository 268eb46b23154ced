//! Suppliers of search results.

mod failover;
mod paged;
mod searxng;
mod serper;
mod settings;
pub(crate) mod wire_errors;

pub use settings::{SearchSettings, SearxngSettings, SerperSettings};

use crate::{
    http_client::client,
    resilience::{Guard, ResilienceSettings},
    sandbox::Sandbox,
};
use domain::ports::{clock::Clock, randomness::Randomness, search_results::SearchResults};
use failover::Failover;
use paged::{Paged, ResultPages};
use searxng::Searxng;
use serper::Serper;
use std::sync::Arc;

/// The suppliers that the settings name, each guarded, the later ones standing in for the
/// earlier; without any, the sandbox. The sandbox never stands in for a real supplier.
#[must_use]
pub fn configured(
    settings: SearchSettings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
) -> Arc<dyn SearchResults> {
    let http = client(settings.resilience.connect_timeout);
    let around = Surroundings {
        resilience: settings.resilience,
        clock,
        randomness,
    };
    let mut suppliers: Vec<Arc<dyn SearchResults>> = Vec::new();
    if let Some(serper) = settings.serper {
        let clock = Arc::clone(&around.clock);
        suppliers.push(around.guarded(Serper::new(serper, http.clone(), clock)));
    }
    if let Some(searxng) = settings.searxng {
        let clock = Arc::clone(&around.clock);
        suppliers.push(around.guarded(Searxng::new(searxng, http, clock)));
    }
    match suppliers.len() {
        0 => Arc::new(Sandbox::new(settings.sandbox, around.clock)),
        1 => suppliers.swap_remove(0),
        _ => Arc::new(Failover::new(suppliers)),
    }
}

/// What every supplier is surrounded with.
struct Surroundings {
    resilience: ResilienceSettings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
}

impl Surroundings {
    fn guarded(&self, pages: impl ResultPages + 'static) -> Arc<dyn SearchResults> {
        let guard = Guard::new(self.resilience.clone(), Arc::clone(&self.randomness));
        Arc::new(Paged::new(pages, guard, Arc::clone(&self.clock)))
    }
}
