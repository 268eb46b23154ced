mod data_for_seo;
mod figures;

use crate::resilience::ResilienceSettings;
use crate::sandbox::keywords::SandboxKeywords;
use crate::search::SearchSettings;
use crate::search::data_for_seo::DataForSeo;
use crate::supplier::{Supplier, Surroundings};
use data_for_seo::Labs;
use domain::ports::{clock::Clock, keyword_data::KeywordData, randomness::Randomness};
use setting::{Price, Usd, settings};
use std::{sync::Arc, time::Duration};

settings! {
    /// Asks DataForSEO where `search.data_for_seo` has credentials, else the sandbox; switch and caps of `search` hold
    /// too.
    pub struct KeywordResearchSettings {
        /// What a call costs at the most, in US dollars; a search takes two. Answers tell what was really billed.
        pub price_per_call: Price = Usd(0.02),
        /// How calls are guarded. People wait for them.
        #[serde(skip)]
        pub resilience: ResilienceSettings = ResilienceSettings {
            call_timeout: Duration::from_secs(12),
            max_retries: 1,
            longest_retry_after: Duration::from_secs(5),
            ..ResilienceSettings::default()
        },
    }
}

/// Its own section, and the one with credentials, switch and caps.
pub type Sections<'a> = (&'a KeywordResearchSettings, &'a SearchSettings);

pub const fn suppliers<'a>() -> [Supplier<Sections<'a>, dyn KeywordData>; 1] {
    [Supplier {
        name: "DataForSEO",
        section: "keyword_research",
        needs: "search.data_for_seo.login and password",
        is_free: false,
        is_set: |(_, search)| search.data_for_seo.is_set(),
        build: |(it, search), around| {
            let client = DataForSeo::new(&search.data_for_seo, around)?;
            Some(Arc::new(Labs::new(
                client,
                it.price_per_call.micros(),
                around,
            )))
        },
    }]
}

/// The supplier that the settings name, guarded; else the sandbox, which never stands in for a real one.
pub fn configured(
    sections: Sections<'_>,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Arc<dyn KeywordData> {
    let (own, search) = sections;
    let around = Surroundings {
        resilience: own.resilience.clone(),
        clock: Arc::clone(clock),
        randomness: Arc::clone(randomness),
        spending: search.spending(),
    };
    { Supplier::built(&suppliers(), &sections, &around).pop() }
        .unwrap_or_else(|| Arc::new(SandboxKeywords::new(search.sandbox.clone(), around.clock)))
}
