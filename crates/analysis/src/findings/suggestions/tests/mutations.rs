//! Each fault triggers exactly its rule.

use super::project::*;
use super::*;
use crate::findings::broken_links::BrokenLink;
use crate::findings::content_changes::ChangeRecord;
use crate::findings::issues::{Issue, IssueCode, info};
use crate::findings::rankings::{RankPoint, RankState};
use chrono::{NaiveDate, TimeDelta};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A link from a page to a target.
pub fn link(page: i64, target: &str, verdict: &str, internal: bool) -> BrokenLink {
    let severity = if internal && verdict == "notFound" {
        "error"
    } else {
        "warning"
    };
    read(
        "broken-links",
        Some(&url(page)),
        json!({
            "sourceUrl": url(page), "targetUrl": target, "element": "a", "attribute": "href",
            "position": {"line": 9, "column": 1, "cssPath": "a"}, "isInternal": internal, "placement": "content",
            "verdict": verdict, "outcome": if verdict == "notFound" { "broken" } else { "redirected" },
            "confirmation": "confirmed", "statusCode": 404, "redirectChain": [], "hops": 1, "attempts": 1,
            "firstSeenAt": now(), "occurrences": 1, "sourcePages": 1, "severity": severity,
        }),
    )
}

pub fn issue(code: IssueCode) -> Issue {
    Issue {
        code,
        severity: info(code).severity,
        count: 1,
        detail: None,
    }
}

/// Positions that declined from 3 to 9 over 13 weeks.
pub fn falling() -> Vec<RankPoint> {
    let at = |day: i64| now() - TimeDelta::days(day);
    (0..91)
        .map(|day| RankPoint {
            measured_at: at(day),
            state: RankState::Ranked,
            position: Some(u32::try_from(9 - day / 14).unwrap()),
            absolute_position: None,
            depth_checked: 100,
            url: Some(url(1)),
        })
        .collect()
}

type Mutation = (&'static str, fn(&mut Project));

pub(super) fn change<T: serde::Serialize + serde::de::DeserializeOwned>(
    record: &mut T,
    at: &str,
    value: Value,
) {
    let mut json = serde_json::to_value(&*record).unwrap();
    *json.pointer_mut(at).unwrap() = value;
    *record = serde_json::from_value(json).unwrap();
}

/// With the rule that each triggers.
pub const MUTATIONS: &[Mutation] = &[
    ("strikingDistance", |it| {
        it.rankings[4] = ranking(5, Some(8));
    }),
    ("ctrGap", |it| it.rows[0] = row(1, 20, 2_000, 2.0)),
    ("keywordGap", |it| {
        it.rankings.push(ranking(9, Some(45)));
        let gap = json!([{"keywordId": 9, "keyword": "cups 9", "theirPosition": 3, "ourPosition": 45, "potentialClicks": 200.0}]);
        change(&mut it.competitors[0], "/gapKeywords", gap);
        change(&mut it.competitors[0], "/gapKeywordCount", json!(1));
    }),
    ("cannibalization", |it| {
        it.contests[0] = contest(2, 70.0, "merge");
    }),
    ("contentDecay", |it| {
        it.histories.insert(1, falling());
    }),
    ("contentDecay", |it| {
        let day = |before| now().date_naive() - TimeDelta::days(before);
        let clicks = |before| 10 + u64::try_from(before).unwrap() / 4;
        let all = (0..180).map(|it| DayClicks {
            day: day(it),
            clicks: clicks(it),
        });
        it.clicks.insert(url(1), all.collect());
    }),
    ("noindexWithTraffic", |it| {
        change(&mut it.contents[0], "/noindex", json!(true));
        change(&mut it.contents[0], "/indexable", json!(false));
    }),
    ("orphanWithTraffic", |it| {
        change(&mut it.contents[0], "/links/orphan", json!(true));
    }),
    ("brokenInternalLinks", |it| {
        it.links
            .push(link(1, "https://example.com/gone", "notFound", true));
    }),
    ("brokenExternalLinks", |it| {
        it.links
            .push(link(1, "https://other.example/", "notFound", false));
    }),
    ("redirectFlattening", |it| {
        it.links.push(link(
            1,
            "https://example.com/old",
            "redirectPermanent",
            true,
        ));
    }),
    ("schemaErrors", |it| {
        let issue = json!([{"level": "google", "code": "requiredMissing", "path": "name", "message": "name is missing", "severity": "error"}]);
        change(&mut it.schemas[0], "/entities/0/issues", issue);
    }),
    ("schemaErrors", |it| {
        let error = json!([{"message": "expected a comma", "location": {"line": 4, "column": 2}}]);
        change(&mut it.schemas[0], "/parseErrors", error);
    }),
    ("expiringMarkup", |it| {
        change(&mut it.schemas[0], "/expiries/0/until", json!("2026-11-25"));
    }),
    ("lcpPoor", |it| {
        change(&mut it.vitals[0], "/metrics/lcp/p75", json!(4_100.0));
    }),
    ("clsPoor", |it| {
        change(&mut it.vitals[0], "/metrics/cls/p75", json!(0.12));
    }),
    ("inpPoor", |it| {
        change(&mut it.vitals[0], "/metrics/inp/p75", json!(210.0));
    }),
    ("aiAccess", |it| {
        let gate =
            json!([{"code": "aiSearchBlocked", "multiplier": 0.5, "evidence": ["Disallow: /"]}]);
        change(&mut it.geo[0], "/gates", gate);
    }),
    ("eeatSiteSignal", |it| {
        change(&mut it.eeat[8], "/missing", json!(["contactPage"]));
    }),
    ("ymylUntrusted", |it| {
        change(&mut it.eeat[0], "/capped", json!(true));
    }),
    ("aiUnmentioned", |it| it.answers[0] = answers(1, 0)),
    ("aiPageTypeMissing", |it| {
        change(
            &mut it.answers[0],
            "/citedPageTypes/0/pageType",
            json!("product"),
        );
    }),
    ("titleMissing", |it| {
        it.contents[0].issues.push(issue(IssueCode::TitleMissing));
    }),
    ("titleDuplicate", |it| {
        it.contents[0].issues.push(issue(IssueCode::TitleDuplicate));
    }),
    ("descMissing", |it| {
        it.contents[0].issues.push(issue(IssueCode::DescMissing));
    }),
    ("descDuplicate", |it| {
        it.contents[0].issues.push(issue(IssueCode::DescDuplicate));
    }),
    ("h1Missing", |it| {
        it.contents[0].issues.push(issue(IssueCode::H1Missing));
    }),
    ("h1Duplicate", |it| {
        it.contents[0].issues.push(issue(IssueCode::H1Duplicate));
    }),
    ("thinContent", |it| {
        it.contents[0].issues.push(issue(IssueCode::ThinContent));
    }),
    ("duplicateExact", |it| {
        it.contents[0].issues.push(issue(IssueCode::DuplicateExact));
    }),
    ("duplicateNear", |it| {
        it.contents[0].issues.push(issue(IssueCode::DuplicateNear));
    }),
];

#[test]
fn a_project_without_faults_has_no_suggestions() {
    assert_eq!(Project::clean().suggestions(), []);
    assert_eq!(Project::default().suggestions(), []);
}

#[test]
fn one_fault_triggers_exactly_its_rule() {
    for (rule, mutate) in MUTATIONS {
        let mut project = Project::clean();
        mutate(&mut project);
        assert_eq!(
            project.rules(),
            BTreeSet::from([(*rule).to_owned()]),
            "{rule}"
        );
    }
}

#[test]
fn all_faults_trigger_all_rules_without_contradiction() {
    let mut project = Project::clean();
    // A page that is not indexable has no title suggestion.
    for (_, mutate) in MUTATIONS.iter().filter(|it| it.0 != "noindexWithTraffic") {
        mutate(&mut project);
    }
    let wanted: BTreeSet<String> = { MUTATIONS.iter() }
        .map(|it| it.0.to_owned())
        .filter(|it| it != "noindexWithTraffic")
        .collect();
    assert_eq!(project.rules(), wanted);
}

#[test]
fn every_rule_outside_the_catalog_has_a_mutation() {
    let tried: BTreeSet<&str> = MUTATIONS.iter().map(|it| it.0).collect();
    for rule in rules()
        .iter()
        .filter(|it| IssueCode::named(it.id).is_none())
    {
        assert!(tried.contains(rule.id), "{}", rule.id);
    }
}

#[test]
fn unindexable_pages_get_no_content_advice() {
    let mut project = Project::clean();
    project.contents[0]
        .issues
        .push(issue(IssueCode::TitleMissing));
    project.rankings[0] = ranking(1, Some(8));
    project.rows[0] = row(1, 20, 2_000, 2.0);
    project.histories.insert(1, falling());
    project.contests[0] = contest(1, 70.0, "merge");
    assert!(project.rules().len() >= 4, "{:?}", project.rules());
    // Another page is canonical: neither noindex nor listed.
    project.contents[0].indexable = false;
    assert_eq!(project.rules(), BTreeSet::new());
}

#[test]
fn recently_changed_pages_do_not_decay() {
    let mut project = Project::clean();
    project.histories.insert(1, falling());
    assert!(project.rules().contains("contentDecay"));
    let mut dated = project.clone();
    dated.contents[0].freshness.modified = NaiveDate::from_ymd_opt(2026, 8, 1);
    assert_eq!(dated.rules(), BTreeSet::new());
    let changed: ChangeRecord = read(
        "content-changes",
        Some(&url(1)),
        json!({
            "fromAt": now() - TimeDelta::days(40), "toAt": now() - TimeDelta::days(30), "addedWords": 90, "removedWords": 3,
            "fields": [{"name": "mainText", "before": null, "after": null, "magnitude": 0.4, "weight": 0.6}],
            "textDiff": [], "textDiffLeftOut": 0, "volatileBlocks": 0, "flapping": false, "source": "scheduled",
            "owner": "own", "changeFrequency": {"intervals": 3},
        }),
    );
    project.changes.push(changed);
    assert_eq!(project.rules(), BTreeSet::new());
}

#[test]
fn fluctuating_positions_do_not_decay() {
    let mut project = Project::clean();
    let mut points = falling();
    for (at, point) in points.iter_mut().enumerate() {
        point.position = Some(if at % 2 == 0 { 4 } else { 8 });
    }
    project.histories.insert(1, points);
    assert_eq!(project.rules(), BTreeSet::new());
}
