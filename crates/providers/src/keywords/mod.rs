mod data_for_seo;
mod figures;

use crate::resilience::ResilienceSettings;
use crate::sandbox::keywords::SandboxKeywords;
use crate::search::SearchSettings;
use crate::search::data_for_seo::DataForSeo;
use crate::supplier::{Supplier, SupplierContext};
use data_for_seo::Labs;
use domain::ports::{clock::Clock, keyword_data::KeywordData, randomness::Randomness};
use setting::{Price, Usd, settings};
use std::{sync::Arc, time::Duration};

settings! {
    /// Uses DataForSEO if `search.data_for_seo` has credentials, else the sandbox. The switch and caps of `search`
    /// apply.
    pub struct KeywordResearchSettings {
        /// Maximum US dollars for a call at DataForSEO; a search takes two.
        pub price_per_call: Price = Usd(0.02),
        /// Short time limits: people wait for these calls.
        #[serde(skip)]
        pub resilience: ResilienceSettings = ResilienceSettings {
            call_timeout: Duration::from_secs(12),
            max_retries: 1,
            max_retry_after: Duration::from_secs(5),
            ..ResilienceSettings::default()
        },
    }
}

/// The module's own section, and the one with credentials, switch and caps.
pub type Sections<'a> = (&'a KeywordResearchSettings, &'a SearchSettings);

pub const fn suppliers<'a>() -> [Supplier<Sections<'a>, dyn KeywordData>; 1] {
    [Supplier {
        name: "DataForSEO",
        section: "keyword_research",
        needs: "search.data_for_seo.login and password",
        is_free: false,
        is_set: |(_, search)| search.data_for_seo.is_set(),
        build: |(it, search), ctx| {
            let client = DataForSeo::new(&search.data_for_seo, ctx)?;
            Some(Arc::new(Labs::new(client, it.price_per_call.micros(), ctx)))
        },
    }]
}

/// The configured supplier with its guard, else the sandbox.
pub fn configured(
    sections: Sections<'_>,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Arc<dyn KeywordData> {
    let (own, search) = sections;
    let ctx = SupplierContext {
        resilience: own.resilience.clone(),
        clock: Arc::clone(clock),
        randomness: Arc::clone(randomness),
        spending: search.spending(),
    };
    { Supplier::build_enabled(&suppliers(), &sections, &ctx).pop() }
        .unwrap_or_else(|| Arc::new(SandboxKeywords::new(search.sandbox.clone(), ctx.clock)))
}
