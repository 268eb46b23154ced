//! For every code of the catalogue: a site with exactly that fault has exactly that issue, and a
//! faultless one has none. Sites are read from memory, pages by the crawler's own reader.

mod memory_crawl;

use analysis::{
    fault_sites::{VitalsFault, fault_site, faultless},
    findings::issues::IssueCode,
};
use memory_crawl::codes;
use std::collections::{BTreeMap, BTreeSet};

const ORIGIN: &str = "https://example.com";

#[test]
fn a_faultless_site_has_no_issue() {
    let found = codes(&faultless(ORIGIN), None);
    assert_eq!(found, BTreeMap::new());
}

#[test]
fn every_code_appears_alone_on_the_site_with_that_fault() {
    let mut wrong = Vec::new();
    for &code in IssueCode::ALL {
        let fault = fault_site(ORIGIN, code);
        let found = codes(&fault.site, fault.vitals);
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
fn poor_and_middling_values_differ_in_severity() {
    use analysis::findings::issues::Severity;
    let fault = fault_site(ORIGIN, IssueCode::LcpPoor);
    let found = codes(&fault.site, Some(VitalsFault::Lcp));
    let severities: BTreeSet<Severity> = found.values().flatten().map(|it| it.severity).collect();
    assert_eq!(severities, BTreeSet::from([Severity::Error]));
}
