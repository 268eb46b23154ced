//! The issue catalog against sites with one fault each.

use super::memory_crawl::audit;
use crate::fault_sites::{VitalsFault, edge_cases, fault_site, faultless};
use analysis::findings::issues::IssueCode;
use std::collections::{BTreeMap, BTreeSet};

const ORIGIN: &str = "https://example.com";

#[test]
fn a_faultless_site_has_no_issue() {
    let found = audit(&faultless(ORIGIN), None).issues;
    assert_eq!(found, BTreeMap::new());
}

#[test]
fn each_fault_site_has_exactly_its_code() {
    let mut wrong = Vec::new();
    for code in IssueCode::ALL {
        let fault = fault_site(ORIGIN, code);
        let found = audit(&fault.site, fault.vitals).issues;
        let kinds: BTreeSet<IssueCode> = found.values().flatten().map(|it| it.code).collect();
        if kinds != BTreeSet::from([code]) {
            wrong.push(format!("{code:?}: {found:#?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} codes\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn edge_cases_have_exactly_their_codes() {
    for case in edge_cases(ORIGIN) {
        let found = audit(&case.site, None).issues;
        let kinds: BTreeSet<IssueCode> = found.values().flatten().map(|it| it.code).collect();
        let expected: BTreeSet<IssueCode> = case.codes.iter().copied().collect();
        assert_eq!(kinds, expected, "{}: {found:#?}", case.name);
        // A page counts once, however many others it duplicates.
        let duplicates = [IssueCode::TitleDuplicate, IssueCode::H1Duplicate];
        let of_others = found.values().flatten();
        let counts = of_others
            .filter(|it| duplicates.contains(&it.code))
            .map(|it| it.count);
        assert!(counts.max().is_none_or(|it| it == 1), "{}", case.name);
    }
}

#[test]
fn poor_and_mediocre_vitals_differ_in_severity() {
    use analysis::findings::issues::Severity;
    let fault = fault_site(ORIGIN, IssueCode::LcpPoor);
    let found = audit(&fault.site, Some(VitalsFault::Lcp)).issues;
    let severities: BTreeSet<Severity> = found.values().flatten().map(|it| it.severity).collect();
    assert_eq!(severities, BTreeSet::from([Severity::Error]));
}

#[test]
fn records_have_site_wide_facts_of_their_pages() {
    let faultless = audit(&faultless(ORIGIN), None).records;
    let glaze = &faultless["https://example.com/guides/glaze"];
    assert_eq!(
        (
            glaze.links.inlinks,
            glaze.links.unique_inlinks,
            glaze.links.depth
        ),
        (4, 4, 1)
    );
    assert_eq!(
        (glaze.links.unique_internal, glaze.links.external),
        (Some(4), Some(0))
    );
    // All pages link to each other, so scores are equal.
    assert!((glaze.links.internal_score.unwrap() - 1.0).abs() < 1e-9);
    assert!(glaze.indexable && glaze.thin == Some(false) && !glaze.links.orphan);
    assert_eq!(
        (glaze.images.count, glaze.images.without_alt),
        (Some(1), Some(0))
    );
    assert!(glaze.content_score.unwrap() > 60.0, "{glaze:#?}");
    let twice = fault_site(ORIGIN, IssueCode::DuplicateExact);
    let twins = audit(&twice.site, None).records;
    let (glaze, clay) = (
        &twins["https://example.com/guides/glaze"],
        "https://example.com/guides/clay",
    );
    assert_eq!(glaze.uniqueness.exact_duplicates, [clay]);
    assert_eq!(glaze.uniqueness.cluster_id, Some(1));
    assert_eq!(
        glaze.uniqueness.nearest.as_ref().map(|it| it.url.as_str()),
        Some(clay)
    );
    assert!(glaze.content_score < faultless["https://example.com/guides/glaze"].content_score);
    let named = audit(&fault_site(ORIGIN, IssueCode::TitleDuplicate).site, None).records;
    assert_eq!(
        named[clay].title.duplicate_of,
        ["https://example.com/guides/glaze"]
    );
    let alone = audit(&fault_site(ORIGIN, IssueCode::Orphan).site, None).records;
    assert!(alone["https://example.com/guides/alone"].links.orphan);
}
