//! Properties of any project.

use super::mutations::MUTATIONS;
use super::project::*;
use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A project with some faults, and keywords at any position.
fn projects() -> impl Strategy<Value = Project> {
    let faults = proptest::collection::btree_set(0..MUTATIONS.len(), 0..12);
    let positions = proptest::collection::vec(proptest::option::of(1_u32..60), 8);
    (faults, positions, any::<bool>()).prop_map(|(faults, positions, with_rows)| {
        let mut project = Project::clean();
        for (keyword, position) in (1..).zip(positions) {
            let at = usize::try_from(keyword - 1).unwrap();
            project.rankings[at] = ranking(keyword, position);
        }
        for fault in faults {
            MUTATIONS[fault].1(&mut project);
        }
        if !with_rows {
            project.rows.clear();
        }
        project
    })
}

fn bytes(records: &[SuggestionRecord]) -> String {
    serde_json::to_string(records).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_evidence_resolves_to_a_published_record(project in projects()) {
        let documents = project.documents();
        for suggestion in project.suggestions() {
            prop_assert!(!suggestion.evidence.is_empty() && suggestion.evidence.len() <= 50, "{}", suggestion.rule_id);
            prop_assert!(!suggestion.steps.is_empty() && !suggestion.docs.is_empty());
            prop_assert!(suggestion.affected_urls.len() <= 50);
            for evidence in &suggestion.evidence {
                let found = documents.iter().filter(|it| resolves(evidence, it)).count();
                prop_assert_eq!(found, 1, "{}: {:#?}", suggestion.rule_id, evidence);
            }
        }
    }

    #[test]
    fn suggestions_ignore_the_order_of_records(project in projects()) {
        let mut turned = project.clone();
        turned.rankings.reverse();
        turned.rows.reverse();
        turned.contents.reverse();
        turned.links.reverse();
        turned.schemas.reverse();
        turned.vitals.reverse();
        turned.geo.reverse();
        turned.eeat.reverse();
        turned.contests.reverse();
        turned.competitors.reverse();
        turned.answers.reverse();
        let there = bytes(&project.suggestions());
        prop_assert_eq!(&there, &bytes(&project.suggestions()));
        prop_assert_eq!(&there, &bytes(&turned.suggestions()));
    }

    #[test]
    fn the_order_is_total_and_ids_are_distinct(project in projects()) {
        let all = project.suggestions();
        let ids: BTreeSet<&str> = all.iter().map(|it| it.suggestion_id.as_str()).collect();
        prop_assert_eq!(ids.len(), all.len());
        for pair in all.windows(2) {
            prop_assert_eq!(super::super::publish::order(&pair[0], &pair[1]), std::cmp::Ordering::Less);
            prop_assert!(pair[0].priority_score >= pair[1].priority_score);
        }
        for it in &all {
            prop_assert!((0.0..=100.0).contains(&it.priority_score) && it.reach >= 0.0 && it.reach.is_finite());
            if let Some(gain) = &it.expected_gain {
                prop_assert!(gain.low <= gain.mid + 1e-6 && gain.mid <= gain.high + 1e-6, "{:?}", gain);
            }
        }
    }

    #[test]
    fn superseded_suggestions_have_no_higher_value(project in projects()) {
        let all = project.suggestions();
        let kept: BTreeSet<&str> = all.iter().map(|it| it.suggestion_id.as_str()).collect();
        for other in all.iter().flat_map(|it| &it.supersedes) {
            prop_assert!(!kept.contains(other.suggestion_id.as_str()));
        }
    }

    #[test]
    fn another_fault_removes_no_suggestion(project in projects(), fault in 0..MUTATIONS.len()) {
        // Except for rules that remove pages, or that change the data of others.
        let changes_others = ["cannibalization", "noindexWithTraffic", "strikingDistance", "ctrGap", "keywordGap", "aiUnmentioned"];
        prop_assume!(!changes_others.contains(&MUTATIONS[fault].0));
        prop_assume!(!project.rules().contains("cannibalization"));
        let ids = |project: &Project| -> BTreeMap<String, String> {
            project.suggestions().into_iter().map(|it| (it.suggestion_id, it.rule_id)).collect()
        };
        let before = ids(&project);
        let mut broken = project;
        MUTATIONS[fault].1(&mut broken);
        let after = ids(&broken);
        for (id, rule) in before {
            prop_assert!(rule == MUTATIONS[fault].0 || after.contains_key(&id), "{} takes {} away", MUTATIONS[fault].0, rule);
        }
    }

    #[test]
    fn remeasuring_the_same_changes_nothing(project in projects()) {
        let first = project.suggestions();
        let later = project.clone().a_day_later();
        let at = now() + chrono::TimeDelta::days(1);
        let again = later.suggestions_at(at, &first, &BTreeSet::new());
        let ids = |all: &[SuggestionRecord]| -> BTreeSet<String> { all.iter().map(|it| it.suggestion_id.clone()).collect() };
        prop_assert_eq!(ids(&first), ids(&again));
        for it in &again {
            prop_assert_eq!(it.state, State::Open);
            prop_assert_eq!((it.first_seen_at, it.last_seen_at), (now(), at), "{}", &it.rule_id);
        }
    }

    #[test]
    fn only_remeasured_suggestions_become_fixed(project in projects()) {
        let first = project.suggestions();
        let at = now() + chrono::TimeDelta::days(1);
        let nothing = Project::default().suggestions_at(at, &first, &BTreeSet::new());
        for (was, is) in first.iter().zip(&nothing) {
            prop_assert_eq!((&was.suggestion_id, State::Open, now()), (&is.suggestion_id, is.state, is.last_seen_at));
        }
        let mut mended = Project::clean().a_day_later();
        mended.histories = project.histories.keys().map(|it| (*it, Vec::new())).collect();
        mended.clicks = project.clicks.keys().map(|it| (it.clone(), Vec::new())).collect();
        mended.rankings.push(ranking(9, Some(1)));
        let mut mended = mended.a_day_later();
        mended.complete = vec![crate::result_type::ResultType::BrokenLinks, crate::result_type::ResultType::Cannibalization];
        let after = mended.suggestions_at(at, &first, &BTreeSet::new());
        prop_assert_eq!(after.len(), first.len());
        for it in &after {
            prop_assert_eq!((it.state, it.fixed_at), (State::Fixed, Some(at)), "{:#?}", it);
        }
    }
}
