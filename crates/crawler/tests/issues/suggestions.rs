//! Suggestions for sites with one fault each: exactly that fault gets one.

use super::memory_crawl::audit;
use crate::fault_sites::{SiteSpec, VitalsFault, fault_site, faultless};
use analysis::findings::{
    issues::IssueCode,
    suggestions::{
        ConsoleRow, ImportedSource, Searches, SuggestionContext, SuggestionRecord, resolves, rules,
    },
};
use std::collections::BTreeSet;

const ORIGIN: &str = "https://example.com";

/// Suggestions for a site of which the `visited` pages have visitors.
fn suggested(
    site: &SiteSpec,
    vitals: Option<VitalsFault>,
    visited: &[&str],
) -> Vec<SuggestionRecord> {
    let records = audit(site, vitals).records;
    let ignored = BTreeSet::new();
    let mut searches = Searches::new(SuggestionContext {
        project_id: 1,
        at: "2025-06-20T00:00:00Z".parse().unwrap(),
        own_curve: None,
        previous: &[],
        ignored: &ignored,
        other_values: &[],
    });
    for url in visited {
        searches.add_console_row(&ConsoleRow {
            source: ImportedSource::SearchConsole,
            keyword_id: None,
            keyword: "cups".to_owned(),
            url: (*url).to_owned(),
            from: "2025-05-20".parse().unwrap(),
            to: "2025-06-16".parse().unwrap(),
            clicks: 90,
            impressions: 400,
            position: 1.0,
            measured_at: "2025-06-19T00:00:00Z".parse().unwrap(),
        });
    }
    let mut findings = searches.finish();
    for it in records.values() {
        findings.add_content(it);
    }
    let all = findings.suggestions();
    let documents: Vec<serde_json::Value> = { records.values() }
        .map(|it| serde_json::to_value(it).unwrap())
        .collect();
    for evidence in all.iter().flat_map(|it| &it.evidence) {
        let is_content = serde_json::to_value(evidence.result_type).unwrap() == "content";
        assert!(
            !is_content || documents.iter().any(|it| resolves(evidence, it)),
            "{evidence:?}"
        );
    }
    all
}

fn rules_of(all: &[SuggestionRecord]) -> BTreeSet<&str> {
    all.iter().map(|it| it.rule_id.as_str()).collect()
}

#[test]
fn a_faultless_site_has_no_suggestions() {
    let all = suggested(
        &faultless(ORIGIN),
        None,
        &["https://example.com/guides/glaze"],
    );
    assert_eq!(rules_of(&all), BTreeSet::new());
}

#[test]
fn each_fault_triggers_exactly_its_rule() {
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for rule in rules() {
        // Vitals have their own records.
        let code = IssueCode::named(rule.id).filter(|_| rule.variant.is_empty());
        let Some(code) = code else {
            continue;
        };
        let fault = fault_site(ORIGIN, code);
        let all = suggested(&fault.site, fault.vitals, &[]);
        tried += 1;
        if rules_of(&all) != BTreeSet::from([rule.id]) {
            wrong.push(format!("{}: {:?}", rule.id, rules_of(&all)));
        }
    }
    assert!(wrong.is_empty(), "of {tried}\n{}", wrong.join("\n"));
    assert!(tried > 60, "{tried}");
}

#[test]
fn faults_without_a_rule_have_no_suggestion() {
    for code in IssueCode::ALL {
        if rules().iter().any(|it| it.id == code.as_str()) {
            continue;
        }
        let fault = fault_site(ORIGIN, code);
        let all = suggested(&fault.site, fault.vitals, &[]);
        assert_eq!(rules_of(&all), BTreeSet::new(), "{code:?}");
    }
}

#[test]
fn noindex_and_orphan_pages_with_traffic_are_suggested() {
    let hidden = fault_site(ORIGIN, IssueCode::Noindex).site;
    let all = suggested(&hidden, None, &["https://example.com/guides/glaze"]);
    assert_eq!(rules_of(&all), BTreeSet::from(["noindexWithTraffic"]));
    let alone = fault_site(ORIGIN, IssueCode::Orphan).site;
    let all = suggested(&alone, None, &["https://example.com/guides/alone"]);
    assert_eq!(rules_of(&all), BTreeSet::from(["orphanWithTraffic"]));
}
