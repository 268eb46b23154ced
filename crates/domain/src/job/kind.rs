//! What can be analysed: named beside the result types that it brings.

pub use analysis::result_type::AnalysisKind;

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::result_type::ResultType;

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
