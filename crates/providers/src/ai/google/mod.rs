//! Google's AI Overviews and AI Mode. Google has no API for them; SERP suppliers fetch the pages.

mod blocks;
mod data_for_seo;
mod serp_api;

use super::{AiSupplier, Sections, failover::EngineFailover, guarded};
use crate::{
    search::{SearchSettings, data_for_seo::DataForSeo, serp_api::SerpApi},
    supplier::SupplierContext,
};
use analysis::provenance::Provenance;
use data_for_seo::DataForSeoAnswers;
use domain::ports::ai_answers::{AiEngine, EngineLabel};
use serp_api::SerpApiAnswers;
use setting::{Price, Usd, settings};
use std::sync::Arc;

settings! {
    pub struct GoogleSettings {
        /// Whether AI Overviews are fetched.
        pub overview: bool = true,
        /// Whether AI Mode is fetched.
        pub mode: bool = true,
        /// Maximum US dollars for an AI Mode answer at DataForSEO.
        pub mode_price: Price = Usd(0.004),
    }
}

/// Uses the credentials of `search`.
pub(super) const fn overview<'a>() -> AiSupplier<'a> {
    AiSupplier {
        name: "googleAiOverview",
        section: "ai.google",
        needs: "",
        is_free: false,
        is_set: |(ai, search)| ai.google.overview && has_credentials(search),
        build: |sections, ctx| build_engine(GoogleAnswer::Overview, sections, ctx),
    }
}

pub(super) const fn mode<'a>() -> AiSupplier<'a> {
    AiSupplier {
        name: "googleAiMode",
        is_set: |(ai, search)| ai.google.mode && has_credentials(search),
        build: |sections, ctx| build_engine(GoogleAnswer::Mode, sections, ctx),
        ..overview()
    }
}

fn has_credentials(search: &SearchSettings) -> bool {
    search.serp_api.api_key.is_some() || search.data_for_seo.is_set()
}

/// SerpApi is queried first; DataForSEO is the fallback.
fn build_engine(
    answer: GoogleAnswer,
    (ai, search): &Sections<'_>,
    ctx: &SupplierContext,
) -> Option<Arc<dyn AiEngine>> {
    let serp_api = SerpApi::new(&search.serp_api, ctx)
        .map(|client| guarded(SerpApiAnswers::new(client, answer), ctx));
    let price = ai.google.mode_price.micros();
    let data_for_seo = DataForSeo::new(&search.data_for_seo, ctx)
        .map(|client| guarded(DataForSeoAnswers::new(client, answer, price), ctx));
    match (serp_api, data_for_seo) {
        (Some(first), Some(second)) => Some(Arc::new(EngineFailover::new(vec![first, second]))),
        (first, second) => first.or(second),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoogleAnswer {
    Overview,
    Mode,
}

impl GoogleAnswer {
    /// All suppliers feed one series.
    fn label(self) -> EngineLabel {
        let (name, title) = match self {
            Self::Overview => ("googleAiOverview", "Google AI Overview"),
            Self::Mode => ("googleAiMode", "Google AI Mode"),
        };
        EngineLabel {
            name: name.to_owned(),
            title: title.to_owned(),
            provider: "web search".to_owned(),
            model: None,
            provenance: Provenance::Measured,
            has_sources: true,
            forces_retrieval: true,
        }
    }
}
