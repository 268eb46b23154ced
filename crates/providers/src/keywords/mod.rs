mod data_for_seo;
mod figures;
mod settings;

pub use settings::KeywordSettings;

use crate::{
    http_client::client, paying::SpendingRules, resilience::Guard,
    sandbox::keywords::SandboxKeywords, search::data_for_seo::DataForSeo,
};
use data_for_seo::Labs;
use domain::ports::{clock::Clock, keyword_data::KeywordData, randomness::Randomness};
use std::sync::Arc;

/// The supplier that the settings name, guarded; else the sandbox, which never stands in for a real one.
pub fn configured(
    settings: KeywordSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Arc<dyn KeywordData> {
    let clock = || Arc::clone(clock);
    let Some(credentials) = settings.data_for_seo else {
        return Arc::new(SandboxKeywords::new(settings.sandbox, clock()));
    };
    let http = client(settings.resilience.connect_timeout);
    let spending = SpendingRules {
        paid_calls: settings.paid_calls,
        most_per_call: settings.most_per_call,
    };
    Arc::new(Labs::new(
        DataForSeo::new(credentials, http, clock()),
        Guard::new(settings.resilience, Arc::clone(randomness)).named("dataForSeo", "keywords"),
        clock(),
        spending,
        settings.price_per_call,
    ))
}
