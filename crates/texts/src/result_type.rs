//! Result types, and the analysis that computes each of them.

use crate::ToSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

crate::wire_enum! {
    /// What a caller can read: one name per kind of finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "kebab-case")]
    // In the order of the API.
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
        /// Links to targets that do not work.
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

crate::wire_enum! {
    /// Kinds of analyses.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum AnalysisKind {
        /// Search pages of the project's keywords.
        RankCheck = "rankCheck",
        AiVisibility = "aiVisibility",
        SiteAudit = "siteAudit",
        WebVitals = "webVitals",
        Full = "full",
    }
}

/// The analysis behind each result type, in the order in which an analysis lists its results.
const SOURCES: [(ResultType, AnalysisKind); ResultType::ALL.len()] = [
    (ResultType::Rankings, AnalysisKind::RankCheck),
    (ResultType::Serp, AnalysisKind::RankCheck),
    (ResultType::Sov, AnalysisKind::RankCheck),
    (ResultType::Forecast, AnalysisKind::RankCheck),
    (ResultType::Competitors, AnalysisKind::RankCheck),
    (ResultType::Cannibalization, AnalysisKind::RankCheck),
    (ResultType::BrokenLinks, AnalysisKind::SiteAudit),
    (ResultType::Schema, AnalysisKind::SiteAudit),
    (ResultType::Content, AnalysisKind::SiteAudit),
    (ResultType::ContentChanges, AnalysisKind::SiteAudit),
    (ResultType::GeoScore, AnalysisKind::SiteAudit),
    (ResultType::Eeat, AnalysisKind::SiteAudit),
    (ResultType::Vitals, AnalysisKind::WebVitals),
    (ResultType::AiVisibility, AnalysisKind::AiVisibility),
    (ResultType::AiTrends, AnalysisKind::AiVisibility),
    (ResultType::Suggestions, AnalysisKind::RankCheck),
];

impl AnalysisKind {
    /// Kinds that this version can run.
    pub const IMPLEMENTED: [Self; 4] = [
        Self::RankCheck,
        Self::AiVisibility,
        Self::SiteAudit,
        Self::WebVitals,
    ];

    /// Kinds that usually take seconds; long ones yield their slot like any other.
    pub const SHORT: [Self; 1] = [Self::RankCheck];

    pub const fn is_short(self) -> bool {
        matches!(self, Self::RankCheck)
    }

    pub fn is_implemented(self) -> bool {
        Self::IMPLEMENTED.contains(&self)
    }

    /// Result types that this version computes. Suggestions follow from all results, so every analysis updates them.
    pub fn results(self) -> Vec<ResultType> {
        if !self.is_implemented() {
            return Vec::new();
        }
        let is_its_own = |of: ResultType, kind: Self| kind == self || of == ResultType::Suggestions;
        { SOURCES.into_iter() }
            .filter_map(|(of, kind)| is_its_own(of, kind).then_some(of))
            .collect()
    }

    /// The analysis that computes a result type, whether or not this version can run it.
    ///
    /// # Panics
    /// Never; tested for every type.
    pub fn for_result(result_type: ResultType) -> Self {
        let found = SOURCES.iter().find(|(of, _)| *of == result_type);
        found.expect("every type has a source").1
    }

    pub fn is_computed(result_type: ResultType) -> bool {
        Self::for_result(result_type).is_implemented()
    }

    /// The unit of its progress.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::RankCheck => "keywords",
            Self::AiVisibility => "answers",
            // Pages and other link targets.
            Self::SiteAudit => "urls",
            Self::WebVitals => "pages",
            Self::Full => "analyses",
        }
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

    #[test]
    fn a_kinds_results_come_from_that_kind() {
        for kind in AnalysisKind::ALL {
            assert_eq!(AnalysisKind::named(kind.name()), Some(kind));
            assert!(
                kind.results()
                    .iter()
                    .filter(|result| **result != ResultType::Suggestions)
                    .all(|result| AnalysisKind::for_result(*result) == kind)
            );
            assert_eq!(kind.is_implemented(), !kind.results().is_empty());
        }
        assert_eq!(AnalysisKind::named("everything"), None);
    }

    #[test]
    fn every_result_type_is_computed() {
        for result in ResultType::ALL {
            assert!(AnalysisKind::is_computed(result), "{result:?}");
        }
    }

    #[test]
    fn short_kinds_are_those_that_are_listed() {
        for kind in AnalysisKind::ALL {
            assert_eq!(kind.is_short(), AnalysisKind::SHORT.contains(&kind));
        }
        assert!(AnalysisKind::SHORT.iter().all(|it| it.is_implemented()));
    }

    #[test]
    fn progress_counts_what_a_kind_works_through() {
        let units = AnalysisKind::ALL.map(AnalysisKind::unit);
        assert_eq!(units, ["keywords", "answers", "urls", "pages", "analyses"]);
    }
}
