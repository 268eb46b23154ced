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
    pub const fn results(self) -> &'static [ResultType] {
        match self {
            Self::RankCheck => &[
                ResultType::Rankings,
                ResultType::Serp,
                ResultType::Sov,
                ResultType::Forecast,
                ResultType::Competitors,
                ResultType::Cannibalization,
                ResultType::Suggestions,
            ],
            Self::SiteAudit => &[
                ResultType::BrokenLinks,
                ResultType::Schema,
                ResultType::Content,
                ResultType::ContentChanges,
                ResultType::GeoScore,
                ResultType::Eeat,
                ResultType::Suggestions,
            ],
            Self::WebVitals => &[ResultType::Vitals, ResultType::Suggestions],
            Self::AiVisibility => &[
                ResultType::AiVisibility,
                ResultType::AiTrends,
                ResultType::Suggestions,
            ],
            Self::Full => &[],
        }
    }

    /// The analysis that a result type will come from, whether or not it is built yet.
    pub const fn behind(result_type: ResultType) -> Self {
        match result_type {
            ResultType::Rankings
            | ResultType::Serp
            | ResultType::Sov
            | ResultType::Forecast
            | ResultType::Competitors
            | ResultType::Cannibalization
            | ResultType::Suggestions => Self::RankCheck,
            ResultType::AiVisibility | ResultType::AiTrends => Self::AiVisibility,
            ResultType::ContentChanges
            | ResultType::BrokenLinks
            | ResultType::Schema
            | ResultType::GeoScore
            | ResultType::Eeat
            | ResultType::Content => Self::SiteAudit,
            ResultType::Vitals => Self::WebVitals,
        }
    }

    pub fn computes(result_type: ResultType) -> bool {
        Self::behind(result_type).results().contains(&result_type)
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
