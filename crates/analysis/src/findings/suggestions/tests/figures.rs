//! Figures of suggestions, computed by hand.

use super::mutations::{issue, link};
use super::project::*;
use super::*;
use crate::findings::issues::IssueCode;
use std::collections::BTreeSet;

fn only(project: &Project, rule: &str) -> SuggestionRecord {
    let all = project.suggestions();
    let mut of_rule = all.into_iter().filter(|it| it.rule_id == rule);
    of_rule.next().unwrap_or_else(|| panic!("no {rule}"))
}

#[test]
fn striking_distance_gain_is_that_of_position_three() {
    let mut project = Project::clean();
    project.rankings[4] = ranking(5, Some(8));
    let it = only(&project, "strikingDistance");
    // 1,000 searches: .032 at 8, .072 at √(8·3) ≈ 5, .110 at 3, .285 at 1.
    let gain = it.expected_gain.as_ref().unwrap();
    assert!((gain.low - 40.0).abs() < 1e-6, "{gain:?}");
    assert!((gain.mid - 78.0).abs() < 1e-6 && (gain.high - 253.0).abs() < 1e-6);
    assert!((it.reach - 253.0).abs() < 1e-6);
    assert_eq!(it.reach_basis, ReachBasis::PotentialClicks);
    // reach · 1 · .5 ÷ 5; as the only value it is the median, or 1.
    assert!((it.value() - 25.3).abs() < 1e-6);
    assert!((it.priority_score - 63.212_055_882_855_77).abs() < 1e-6);
    assert_eq!(
        (it.affected_urls.as_slice(), it.affected_count),
        ([url(5)].as_slice(), 1)
    );
    assert_eq!(it.keyword_ids, [5]);
    assert!(
        it.steps[0].contains("position 8") && it.steps[0].contains("78"),
        "{:?}",
        it.steps
    );
}

#[test]
fn without_volumes_gain_and_reach_are_shares() {
    let mut project = Project::clean();
    project.rankings[4] = ranking(5, Some(8));
    for it in &mut project.rankings {
        (it.search_volume, it.estimated_clicks, it.potential_clicks) = (None, None, None);
    }
    project.rows.clear();
    let it = only(&project, "strikingDistance");
    let gain = it.expected_gain.as_ref().unwrap();
    assert_eq!(gain.metric, GainMetric::ClickShare);
    assert!(
        (gain.mid - 0.078).abs() < 1e-6 && (gain.high - 0.253).abs() < 1e-6,
        "{gain:?}"
    );
    assert_eq!(it.reach_basis, ReachBasis::ShareOfKeywords);
    assert!((it.reach - 12.5).abs() < 1e-9);
}

#[test]
fn only_the_best_quarter_of_keywords_is_suggested() {
    let mut project = Project::clean();
    for (at, position) in [(0, 4), (1, 9), (2, 12), (3, 15), (4, 19)] {
        project.rankings[at] = ranking(i64::try_from(at).unwrap() + 1, Some(position));
    }
    let reported: BTreeSet<i64> = { project.suggestions().into_iter() }
        .filter(|it| it.rule_id == "strikingDistance")
        .flat_map(|it| it.keyword_ids)
        .collect();
    // Lower positions gain more; the upper quarter of five, including the quartile, is two.
    assert_eq!(reported, BTreeSet::from([4, 5]));
}

#[test]
fn ctr_gap_counts_missing_clicks_with_an_interval() {
    let mut project = Project::clean();
    // Position 1.5 expects (.285 + .157)/2 = .221; the keyword's page has the plain layout.
    project.rows[2] = row(3, 100, 2_800, 1.5);
    let it = only(&project, "ctrGap");
    let gain = it.expected_gain.as_ref().unwrap();
    assert_eq!(gain.range, GainRange::Interval95);
    // 3,000 impressions a month; 100/2800 = .035714, Wilson .029452 to .043249 (statsmodels 0.15.0).
    assert!(
        (gain.mid - 3_000.0 * (0.221 - 100.0 / 2_800.0)).abs() < 1e-6,
        "{gain:?}"
    );
    assert!(
        (gain.low - 3_000.0 * (0.221 - WILSON.1)).abs() < 0.01,
        "{gain:?}"
    );
    assert!(
        (gain.high - 3_000.0 * (0.221 - WILSON.0)).abs() < 0.01,
        "{gain:?}"
    );
    // No gap at half of the expected rate, or with 499 impressions.
    project.rows[2] = row(3, 310, 2_800, 1.5);
    assert!(!project.rules().contains("ctrGap"));
    project.rows[2] = row(3, 5, 499, 1.5);
    assert!(!project.rules().contains("ctrGap"));
}

/// `statsmodels` 0.15.0 `proportion_confint(100, 2800, method="wilson")`.
const WILSON: (f64, f64) = (0.029_451_972_516, 0.043_248_806_688);

#[test]
fn reach_is_the_larger_of_clicks_and_page_share() {
    let mut project = Project::clean();
    project.rankings.clear();
    project.rows.clear();
    let of = |project: &Project| {
        let it = only(project, "h1Missing");
        (it.reach, it.reach_basis, it.effort)
    };
    project.contents[0].issues.push(issue(IssueCode::H1Missing));
    let (reach, basis, effort) = of(&project);
    assert_eq!(basis, ReachBasis::ShareOfPages);
    assert!((reach - 12.5).abs() < 1e-9 && (effort - 1.0).abs() < 1e-9);
    project.contents[1].issues.push(issue(IssueCode::H1Missing));
    let (reach, _, effort) = of(&project);
    // Several pages are a template.
    assert!((reach - 25.0).abs() < 1e-9 && (effort - 2.0).abs() < 1e-9);
    project.rankings.push(ranking(1, Some(1)));
    let (reach, basis, _) = of(&project);
    assert_eq!(basis, ReachBasis::Clicks);
    assert!((reach - 285.0).abs() < 1e-9);
}

#[test]
fn fifty_pages_are_listed_and_all_are_counted() {
    let mut project = Project::clean();
    for page in 0..120 {
        project
            .links
            .push(link(page, "https://example.com/gone", "notFound", true));
        project
            .links
            .push(link(page, "https://example.com/lost", "notFound", true));
    }
    let it = only(&project, "brokenInternalLinks");
    assert_eq!((it.affected_urls.len(), it.affected_count), (50, 120));
    assert!(it.evidence.len() <= 50);
    assert!(
        it.steps.last().unwrap().contains("more pages"),
        "{:?}",
        it.steps
    );
    // Pages with search traffic come first.
    assert_eq!(it.affected_urls[0], url(1));
}

#[test]
fn field_data_takes_precedence_over_lab_data() {
    let mut project = Project::clean();
    project.vitals = vec![
        vitals(1, "field", 2_000.0),
        vitals(1, "lab", 5_000.0),
        vitals(2, "lab", 5_000.0),
    ];
    let it = only(&project, "lcpPoor");
    assert_eq!(
        (it.variant.as_deref(), it.affected_urls.as_slice()),
        (Some("lab"), [url(2)].as_slice())
    );
    assert!((it.confidence - 0.5).abs() < 1e-12);
    project.vitals = vec![vitals(1, "field", 3_000.0)];
    assert_eq!(only(&project, "lcpPoor").severity, Severity::Warning);
    project.vitals = vec![vitals(1, "field", 4_001.0)];
    assert_eq!(only(&project, "lcpPoor").severity, Severity::Error);
}

#[test]
fn the_heavier_of_two_contradictions_supersedes() {
    let mut project = Project::clean();
    project.rankings[1] = ranking(2, Some(8));
    project.rows.clear();
    project.contests[0] = contest(2, 70.0, "redirect301");
    let all = project.suggestions();
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!(all[0].rule_id, "cannibalization");
    assert_eq!(all[0].variant.as_deref(), Some("redirect301"));
    assert_eq!(all[0].supersedes.len(), 1);
    assert_eq!(all[0].supersedes[0].rule_id, "strikingDistance");
    // `differentiate` removes no page.
    project.contests[0] = contest(2, 70.0, "differentiate");
    assert_eq!(project.suggestions().len(), 2);
}

#[test]
fn a_suggestion_has_all_documented_fields() {
    let mut project = Project::clean();
    project.rankings[4] = ranking(5, Some(8));
    let json = serde_json::to_value(only(&project, "strikingDistance")).unwrap();
    let fields: BTreeSet<&str> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    for field in [
        "type",
        "projectId",
        "keywordId",
        "url",
        "measuredAt",
        "status",
        "provenance",
        "methodVersion",
        "sampleSize",
        "warnings",
        "suggestionId",
        "ruleId",
        "category",
        "severity",
        "title",
        "rationale",
        "evidence",
        "affectedUrls",
        "affectedCount",
        "keywordIds",
        "reach",
        "impact",
        "confidence",
        "effort",
        "priorityScore",
        "expectedGain",
        "steps",
        "docs",
        "firstSeenAt",
        "lastSeenAt",
        "state",
    ] {
        assert!(fields.contains(field), "{field}");
    }
    assert_eq!(json["type"], "suggestions");
    assert_eq!(json["severity"], "opportunity");
    let evidence = &json["evidence"][0];
    assert_eq!(
        (&evidence["resultType"], &evidence["recordRef"]["keywordId"]),
        (&"rankings".into(), &5.into())
    );
    let back: SuggestionRecord = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(back).unwrap(), json);
    let summary = SuggestionsSummary::of(&project.suggestions());
    assert_eq!(
        (summary.open, summary.fixed, summary.first.len()),
        (1, 0, 1)
    );
    assert_eq!(summary.by_category.get(&Category::Keywords), Some(&1));
}
