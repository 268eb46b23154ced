//! Sources of vitals over HTTP: Chrome's user experience report, and PageSpeed Insights. There is no sandbox: made-up
//! speed would be taken for the page's. Without a key the answer says what is missing.

mod crux;
mod failover;
mod google;
mod page_speed;
mod settings;
mod unconfigured;

pub use settings::{GoogleApiSettings, VitalsSettings};

use crate::{http_client::client, resilience::Guard};
use crux::Crux;
use domain::ports::{
    clock::Clock,
    page_speed::{FieldVitals, LabVitals, OPERATION},
    randomness::Randomness,
};
use failover::Failover;
use page_speed::PageSpeed;
use std::sync::Arc;
use unconfigured::Unconfigured;

pub struct VitalsSources {
    /// Who knows what visitors saw; somebody who says what is missing, when nobody does.
    pub field: Arc<dyn FieldVitals>,
    /// A lab of somebody else's, for machines without a browser.
    pub lab: Option<Arc<dyn LabVitals>>,
}

/// The sources that the settings name, each guarded, the later standing in for the earlier.
pub fn configured(
    settings: VitalsSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> VitalsSources {
    let mut sources: Vec<Arc<dyn FieldVitals>> = Vec::new();
    if let Some(crux) = settings.crux {
        let http = client(settings.crux_resilience.connect_timeout);
        let guard = Guard::new(settings.crux_resilience, Arc::clone(randomness));
        let guard = guard.named("crux", OPERATION);
        sources.push(Arc::new(Crux::new(crux, http, guard, Arc::clone(clock))));
    }
    let mut lab: Option<Arc<dyn LabVitals>> = None;
    if let Some(page_speed) = settings.page_speed {
        let http = client(settings.page_speed_resilience.connect_timeout);
        let guard = Guard::new(settings.page_speed_resilience, Arc::clone(randomness));
        let guard = guard.named("pageSpeed", OPERATION);
        let source = Arc::new(PageSpeed::new(page_speed, http, guard, Arc::clone(clock)));
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
