//! What can be analysed, and which results it brings.

use analysis::result_type::ResultType;

analysis::wire_enum! {
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

/// What each result type comes from, in the order in which an analysis names its results.
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
    /// Those this version can run.
    pub const BUILT: [Self; 4] = [
        Self::RankCheck,
        Self::AiVisibility,
        Self::SiteAudit,
        Self::WebVitals,
    ];

    /// Those that take seconds as a rule. A large one takes longer, and gives its slot back to others after a turn
    /// like any other ([`super::slots`]).
    pub const SHORT: [Self; 1] = [Self::RankCheck];

    pub const fn is_short(self) -> bool {
        matches!(self, Self::RankCheck)
    }

    pub fn is_built(self) -> bool {
        Self::BUILT.contains(&self)
    }

    /// The result types that this version's runs of it bring. Suggestions follow from all results, so
    /// that every analysis makes them anew.
    pub fn results(self) -> Vec<ResultType> {
        if !self.is_built() {
            return Vec::new();
        }
        let is_its_own = |of: ResultType, kind: Self| kind == self || of == ResultType::Suggestions;
        { SOURCES.into_iter() }
            .filter_map(|(of, kind)| is_its_own(of, kind).then_some(of))
            .collect()
    }

    /// The analysis that a result type will come from, whether or not it is built yet.
    ///
    /// # Panics
    /// Never: a test finds one for every type.
    pub fn behind(result_type: ResultType) -> Self {
        let found = SOURCES.iter().find(|(of, _)| *of == result_type);
        found.expect("every type has a source").1
    }

    pub fn computes(result_type: ResultType) -> bool {
        Self::behind(result_type).is_built()
    }

    /// What its progress counts.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::RankCheck => "keywords",
            Self::AiVisibility => "answers",
            // Pages, and the targets of their links that are none.
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
    fn what_a_kind_brings_comes_from_that_kind() {
        for kind in AnalysisKind::ALL {
            assert_eq!(AnalysisKind::named(kind.name()), Some(kind));
            assert!(
                kind.results()
                    .iter()
                    .filter(|result| **result != ResultType::Suggestions)
                    .all(|result| AnalysisKind::behind(*result) == kind)
            );
            assert_eq!(kind.is_built(), !kind.results().is_empty());
        }
        assert_eq!(AnalysisKind::named("everything"), None);
    }

    #[test]
    fn every_result_is_computed_by_what_is_behind_it() {
        for result in ResultType::ALL {
            assert!(AnalysisKind::computes(result), "{result:?}");
        }
    }

    #[test]
    fn short_kinds_are_those_that_are_listed() {
        for kind in AnalysisKind::ALL {
            assert_eq!(kind.is_short(), AnalysisKind::SHORT.contains(&kind));
        }
        assert!(AnalysisKind::SHORT.iter().all(|it| it.is_built()));
    }

    #[test]
    fn progress_counts_what_a_kind_works_through() {
        let units = AnalysisKind::ALL.map(AnalysisKind::unit);
        assert_eq!(units, ["keywords", "answers", "urls", "pages", "analyses"]);
    }
}
