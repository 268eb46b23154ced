//! States of suggestions from run to run.

use super::mutations::{falling, link};
use super::project::*;
use super::*;
use crate::result_type::ResultType;
use chrono::TimeDelta;
use std::collections::BTreeSet;

fn none() -> BTreeSet<String> {
    BTreeSet::new()
}

fn broken() -> Project {
    let mut project = Project::clean();
    project
        .links
        .push(link(1, "https://example.com/gone", "notFound", true));
    project
}

fn day(days: i64) -> chrono::DateTime<chrono::Utc> {
    now() + TimeDelta::days(days)
}

#[test]
fn a_fault_goes_from_open_to_fixed_to_regressed() {
    let open = broken().suggestions();
    assert_eq!((open.len(), open[0].state), (1, State::Open));
    // Without a link record it is unknown whether links were checked.
    let unknown = Project::clean()
        .a_day_later()
        .suggestions_at(day(1), &open, &none());
    assert_eq!(
        (unknown.len(), unknown[0].state, unknown[0].last_seen_at),
        (1, State::Open, now())
    );
    let mut mended = Project::clean().a_day_later();
    mended.complete = vec![ResultType::BrokenLinks];
    let fixed = mended.suggestions_at(day(1), &open, &none());
    assert_eq!(
        (fixed[0].state, fixed[0].fixed_at),
        (State::Fixed, Some(day(1)))
    );
    assert_eq!(
        (fixed[0].first_seen_at, fixed[0].last_seen_at),
        (now(), now())
    );
    let back = broken().suggestions_at(day(2), &fixed, &none());
    assert_eq!(
        (back.len(), back[0].state, back[0].fixed_at),
        (1, State::Regressed, None)
    );
    assert_eq!(
        (back[0].first_seen_at, back[0].last_seen_at),
        (now(), day(2))
    );
    assert_eq!(back[0].suggestion_id, open[0].suggestion_id);
    // It stays regressed.
    let still = broken().suggestions_at(day(3), &back, &none());
    assert_eq!(still[0].state, State::Regressed);
    let summary = SuggestionsSummary::of(&still);
    assert_eq!((summary.open, summary.regressed), (1, 1));
}

#[test]
fn fixed_suggestions_are_dropped_after_a_year() {
    let open = broken().suggestions();
    let mut mended = Project::clean().a_day_later();
    mended.complete = vec![ResultType::BrokenLinks];
    let fixed = mended.suggestions_at(day(1), &open, &none());
    let kept = Project::default().suggestions_at(day(366), &fixed, &none());
    assert_eq!(kept.len(), 1);
    let gone = Project::default().suggestions_at(day(367), &fixed, &none());
    assert_eq!(gone, []);
}

#[test]
fn a_suggestion_can_be_ignored_and_reopened() {
    let open = broken().suggestions();
    let ignore = BTreeSet::from([open[0].suggestion_id.clone()]);
    let ignored = broken().suggestions_at(day(1), &open, &ignore);
    assert_eq!(
        (ignored[0].state, ignored[0].is_open()),
        (State::Ignored, false)
    );
    // Also if not remeasured.
    let unseen = Project::default().suggestions_at(day(2), &open, &ignore);
    assert_eq!(unseen[0].state, State::Ignored);
    let taken_up = Project::default().suggestions_at(day(2), &ignored, &none());
    assert_eq!(taken_up[0].state, State::Open);
    assert_eq!(
        broken().suggestions_at(day(2), &ignored, &none())[0].state,
        State::Open
    );
}

#[test]
fn striking_distance_stays_until_the_target_is_reached() {
    let mut project = Project::clean();
    project.rankings[4] = ranking(5, Some(8));
    let open = project.suggestions();
    let later = |position| {
        let mut project = Project::clean();
        project.rankings[4] = ranking(5, position);
        let project = project.a_day_later();
        let all = project.suggestions_at(day(1), &open, &none());
        assert_eq!(all.len(), 1, "{position:?}");
        (all[0].suggestion_id == open[0].suggestion_id).then_some(all[0].state)
    };
    assert_eq!(later(Some(35)), Some(State::Open));
    assert_eq!(later(None), Some(State::Open));
    assert_eq!(later(Some(4)), Some(State::Open));
    assert_eq!(later(Some(3)), Some(State::Fixed));
}

#[test]
fn decay_is_fixed_only_with_a_new_history() {
    let mut project = Project::clean();
    project.histories.insert(1, falling());
    let open = project.suggestions();
    assert_eq!(open[0].rule_id, "contentDecay");
    let unseen = Project::clean().a_day_later();
    assert_eq!(
        unseen.suggestions_at(day(1), &open, &none())[0].state,
        State::Open
    );
    let mut seen = Project::clean().a_day_later();
    let mut points = falling();
    for it in &mut points {
        it.position = Some(3);
    }
    seen.histories.insert(1, points);
    assert_eq!(
        seen.suggestions_at(day(1), &open, &none())[0].state,
        State::Fixed
    );
}

#[test]
fn too_few_impressions_do_not_fix_a_ctr_gap() {
    let mut project = Project::clean();
    project.rows[0] = row(1, 20, 2_000, 2.0);
    let open = project.suggestions();
    let state = |row: ConsoleRow| {
        let mut project = Project::clean();
        project.rows[0] = row;
        project.a_day_later().suggestions_at(day(1), &open, &none())[0].state
    };
    assert_eq!(state(row(1, 4, 40, 2.0)), State::Open);
    // No longer below half, but still significantly below the expected rate.
    assert_eq!(state(row(1, 200, 2_000, 2.0)), State::Open);
    assert_eq!(state(row(1, 330, 2_000, 2.0)), State::Fixed);
}

#[test]
fn a_keyword_missing_from_a_truncated_list_is_not_fixed() {
    let gap = |count: u64, listed: bool| {
        let mut project = Project::clean();
        project.rankings.push(ranking(9, Some(45)));
        let mut json = serde_json::to_value(&project.competitors[0]).unwrap();
        let keyword = serde_json::json!({"keywordId": 9, "keyword": "cups 9", "theirPosition": 3, "ourPosition": 45, "potentialClicks": 200.0});
        json["gapKeywords"] = if listed {
            serde_json::json!([keyword])
        } else {
            serde_json::json!([])
        };
        json["gapKeywordCount"] = count.into();
        project.competitors[0] = serde_json::from_value(json).unwrap();
        project
    };
    let open = gap(1, true).suggestions();
    let cut = gap(80, false)
        .a_day_later()
        .suggestions_at(day(1), &open, &none());
    assert_eq!(cut[0].state, State::Open);
    let whole = gap(0, false)
        .a_day_later()
        .suggestions_at(day(1), &open, &none());
    assert_eq!(whole[0].state, State::Fixed);
}

#[test]
fn a_superseded_suggestion_keeps_first_seen_at() {
    let mut project = Project::clean();
    project.rankings[1] = ranking(2, Some(8));
    project.rows.clear();
    let alone = project.suggestions();
    assert_eq!(alone[0].rule_id, "strikingDistance");
    project.contests[0] = contest(2, 70.0, "redirect301");
    let later = project.clone().a_day_later();
    let merged = later.suggestions_at(day(1), &alone, &none());
    assert_eq!(merged.len(), 1);
    assert_eq!(merged[0].supersedes[0].first_seen_at, now());
    project.contests[0] = contest(2, 5.0, "none");
    let later = project.a_day_later();
    let again = later.suggestions_at(day(2), &merged, &none());
    let striking = again
        .iter()
        .find(|it| it.rule_id == "strikingDistance")
        .unwrap();
    assert_eq!(
        (striking.state, striking.first_seen_at),
        (State::Open, now())
    );
}
