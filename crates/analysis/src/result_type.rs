use crate::ToSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a caller can read: one name per kind of finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ResultType {
    /// Positions of the project in organic results.
    Rankings,
    /// Whole search pages and what changed on them.
    Serp,
    /// How often answers of AI engines name and cite the project.
    AiVisibility,
    /// AI visibility over time.
    AiTrends,
    /// Share of voice.
    Sov,
    /// Where the series are heading.
    Forecast,
    /// Who competes for the same keywords.
    Competitors,
    /// What to do next.
    Suggestions,
    /// What changed on the pages.
    ContentChanges,
    /// Links whose target does not work.
    BrokenLinks,
    /// Own pages that compete with each other.
    Cannibalization,
    /// Loading, responsiveness and stability.
    Vitals,
    /// Structured data.
    Schema,
    /// How retrievable and citable pages are for generative engines.
    GeoScore,
    /// Evidence of experience, expertise, authoritativeness and trust.
    Eeat,
    /// Quality of page text.
    Content,
}

impl ResultType {
    /// All of them, in the order in which the service lists them.
    pub const ALL: [Self; 16] = [
        Self::Rankings,
        Self::Serp,
        Self::AiVisibility,
        Self::AiTrends,
        Self::Sov,
        Self::Forecast,
        Self::Competitors,
        Self::Suggestions,
        Self::ContentChanges,
        Self::BrokenLinks,
        Self::Cannibalization,
        Self::Vitals,
        Self::Schema,
        Self::GeoScore,
        Self::Eeat,
        Self::Content,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Rankings => "rankings",
            Self::Serp => "serp",
            Self::AiVisibility => "ai-visibility",
            Self::AiTrends => "ai-trends",
            Self::Sov => "sov",
            Self::Forecast => "forecast",
            Self::Competitors => "competitors",
            Self::Suggestions => "suggestions",
            Self::ContentChanges => "content-changes",
            Self::BrokenLinks => "broken-links",
            Self::Cannibalization => "cannibalization",
            Self::Vitals => "vitals",
            Self::Schema => "schema",
            Self::GeoScore => "geo-score",
            Self::Eeat => "eeat",
            Self::Content => "content",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl fmt::Display for ResultType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_found_by_its_name_and_serialises_to_it() {
        for result_type in ResultType::ALL {
            assert_eq!(ResultType::named(result_type.name()), Some(result_type));
            let json = serde_json::to_string(&result_type).unwrap();
            assert_eq!(json, format!("\"{result_type}\""));
        }
    }
}
