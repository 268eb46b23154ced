//! Google's AI overviews and AI Mode. Google has no interface for either, so services that fetch its pages are asked.

mod blocks;
pub(super) mod data_for_seo;
pub(super) mod serp_api;

use analysis::provenance::Provenance;
use domain::ports::ai_answers::EngineLabel;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoogleAnswer {
    Overview,
    Mode,
}

impl GoogleAnswer {
    /// One series, whichever service fetched it.
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
