//! Vitals over HTTP: CrUX and PageSpeed Insights. There is no sandbox: simulated speed would mislead.

mod crux;
mod failover;
mod google;
mod page_speed;
mod unconfigured;

pub use crux::CruxSettings;
pub use page_speed::PageSpeedSettings;

use crate::http_client::client;
use crate::resilience::{Guard, ResilienceSettings};
use crux::Crux;
use domain::ports::clock::Clock;
use domain::ports::page_speed::{FieldVitals, LabVitals, OPERATION};
use domain::ports::randomness::Randomness;
use failover::Failover;
use google::GoogleApi;
use page_speed::PageSpeed;
use setting::{Secret, WebAddress};
use std::sync::Arc;
use unconfigured::Unconfigured;

/// Names, for operators alone.
const CRUX: &str = "CrUX";
const PAGE_SPEED: &str = "PageSpeed Insights";
/// All names by which the sources are known.
pub const SUPPLIER_NAMES: [&str; 3] = [CRUX, "Chrome UX Report", "PageSpeed"];

/// What an operator does who has no source of field data.
pub const FIELD_REMEDY: &str = "Create a Google Cloud API key, allow it the Chrome UX Report API (or the PageSpeed Insights API), and set vitals.crux.api_key (or vitals.page_speed.api_key); both are free of charge.";

/// Labels that accounts see.
const FIELD_DATA: &str = "field data";
const REMOTE_LAB: &str = "remote lab";

/// Names of the configured sources, in query order.
pub fn suppliers(
    crux: &CruxSettings,
    page_speed: &PageSpeedSettings,
) -> impl Iterator<Item = &'static str> {
    let crux = crux.api_key.as_ref().map(|_| CRUX);
    let page_speed = page_speed.api_key.as_ref().map(|_| PAGE_SPEED);
    crux.into_iter().chain(page_speed)
}

pub struct VitalsSources {
    /// Field data; without a source it reports what is missing.
    pub field: Arc<dyn FieldVitals>,
    /// An external lab, for machines without a browser.
    pub lab: Option<Arc<dyn LabVitals>>,
}

/// The configured sources with guards, later ones as fallback.
pub fn configured(
    crux: &CruxSettings,
    page_speed: &PageSpeedSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> VitalsSources {
    let api = |key: &Option<Secret>, base_url: &WebAddress| {
        let (key, base_url) = (key.clone()?, base_url.clone());
        Some(GoogleApi { base_url, key })
    };
    let guarded = |resilience: &ResilienceSettings, name| {
        let guard = Guard::new(resilience.clone(), Arc::clone(randomness));
        (
            client(resilience.connect_timeout),
            guard.with_target(name, OPERATION),
        )
    };
    let mut sources: Vec<Arc<dyn FieldVitals>> = Vec::new();
    if let Some(api) = api(&crux.api_key, &crux.base_url) {
        let (http, guard) = guarded(&crux.resilience, "crux");
        sources.push(Arc::new(Crux::new(api, http, guard, Arc::clone(clock))));
    }
    let mut lab: Option<Arc<dyn LabVitals>> = None;
    if let Some(api) = api(&page_speed.api_key, &page_speed.base_url) {
        let (http, guard) = guarded(&page_speed.resilience, "pageSpeed");
        let source = Arc::new(PageSpeed::new(api, http, guard, Arc::clone(clock)));
        lab = Some(Arc::clone(&source) as Arc<dyn LabVitals>);
        sources.push(source);
    }
    let field: Arc<dyn FieldVitals> = match sources.len() {
        0 => Arc::new(Unconfigured),
        1 => sources.swap_remove(0),
        _ => Arc::new(Failover::new(sources)),
    };
    VitalsSources { field, lab }
}
