use crate::ToSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

crate::wire_enum! {
    /// What a caller can read: one name per kind of finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "kebab-case")]
    // In the order in which the service lists them.
    pub enum ResultType {
        /// Positions of the project in organic results.
        Rankings = "rankings",
        /// Whole search pages and what changed on them.
        Serp = "serp",
        /// How often answers of AI engines name and cite the project.
        AiVisibility = "ai-visibility",
        /// AI visibility over time.
        AiTrends = "ai-trends",
        /// Share of voice.
        Sov = "sov",
        /// Where the series are heading.
        Forecast = "forecast",
        /// Who competes for the same keywords.
        Competitors = "competitors",
        /// What to do next.
        Suggestions = "suggestions",
        /// What changed on the pages.
        ContentChanges = "content-changes",
        /// Links whose target does not work.
        BrokenLinks = "broken-links",
        /// Own pages that compete with each other.
        Cannibalization = "cannibalization",
        /// Loading, responsiveness and stability.
        Vitals = "vitals",
        /// Structured data.
        Schema = "schema",
        /// How retrievable and citable pages are for generative engines.
        GeoScore = "geo-score",
        /// Evidence of experience, expertise, authoritativeness and trust.
        Eeat = "eeat",
        /// Quality of page text.
        Content = "content",
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
