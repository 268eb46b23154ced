//! Subjects of suggestions: unique pages and keywords.

use super::project::*;
use super::*;
use chrono::TimeDelta;
use serde_json::json;
use std::collections::BTreeSet;

/// A project with keyword gaps: number, text, own position.
fn lacking(keywords: &[(i64, &str, Option<u32>)]) -> Project {
    let mut project = Project::clean();
    let gaps: Vec<_> = { keywords.iter() }
        .map(|(id, text, own)| {
            json!({"keywordId": id, "keyword": text, "theirPosition": 3, "ourPosition": own, "potentialClicks": 200.0})
        })
        .collect();
    for (id, text, own) in keywords {
        let mut ranking = ranking(*id, *own);
        ranking.market.keyword = (*text).to_owned();
        ranking.envelope.url = own.map(|_| url(1));
        project.rankings.push(ranking);
    }
    let mut competitor = serde_json::to_value(&project.competitors[0]).unwrap();
    competitor["gapKeywordCount"] = gaps.len().into();
    competitor["gapKeywords"] = gaps.into();
    project.competitors[0] = serde_json::from_value(competitor).unwrap();
    project
}

fn gaps(project: &Project) -> Vec<SuggestionRecord> {
    let mut all = project.suggestions();
    all.retain(|it| it.rule_id == "keywordGap");
    all
}

#[test]
fn titles_name_page_and_keyword() {
    let suggestions = gaps(&lacking(&[(9, "blue cups", None)]));
    assert_eq!(suggestions[0].title, "Write about “blue cups”");
    assert_eq!(suggestions[0].keyword.as_deref(), Some("blue cups"));
    let mut project = Project::clean();
    project.rankings[4] = ranking(5, Some(8));
    let suggestions = project.suggestions();
    let path = draft::page_label(&url(5));
    assert_eq!(
        suggestions[0].title,
        format!("Improve a page that is close to the first places: {path} for “cups 5”")
    );
    let mut project = Project::clean();
    project.contents[0].issues = vec![mutations::issue(
        crate::findings::issues::IssueCode::TitleMissing,
    )];
    let suggestions = project.suggestions();
    assert!(
        suggestions[0].title.starts_with("Give pages a title: /"),
        "{}",
        suggestions[0].title
    );
    assert!(
        !suggestions[0].rationale.contains("Rule:"),
        "{}",
        suggestions[0].rationale
    );
}

#[test]
fn each_missing_eeat_signal_has_its_own_title() {
    let mut project = Project::clean();
    let missing = serde_json::json!(["contactPage", "privacyPolicy", "https"]);
    mutations::change(&mut project.eeat[8], "/missing", missing);
    let suggestions = project.suggestions();
    let titles: std::collections::BTreeSet<_> =
        suggestions.iter().map(|it| it.title.as_str()).collect();
    assert_eq!((suggestions.len(), titles.len()), (3, 3), "{titles:?}");
    assert!(titles.contains("Publish a privacy policy and link to it"));
}

#[test]
fn no_new_page_is_suggested_where_one_ranks() {
    for project in [
        lacking(&[(9, "blue cups", Some(45))]),
        // The same keyword in two markets, one of them with a page.
        lacking(&[(9, "blue cups", None), (10, "Blue cups", Some(45))]),
    ] {
        let suggestions = gaps(&project);
        assert_eq!(suggestions.len(), 1);
        let path = draft::page_label(&url(1));
        assert_eq!(
            suggestions[0].title,
            format!("Improve {path} for “blue cups”")
        );
        assert_eq!(suggestions[0].envelope.url, Some(url(1)));
        let mentions_write = |it: &String| it.to_lowercase().contains("write");
        assert!(
            !suggestions[0].steps.iter().any(mentions_write),
            "{:?}",
            suggestions[0].steps
        );
    }
}

#[test]
fn a_page_or_keyword_has_one_suggestion_per_rule() {
    let of_page = gaps(&lacking(&[
        (9, "blue cups", Some(45)),
        (10, "red cups", Some(50)),
    ]));
    assert_eq!(
        (of_page.len(), of_page[0].keyword_ids.as_slice()),
        (1, [9, 10].as_slice())
    );
    assert!((of_page[0].reach - 400.0).abs() < 1e-9);
    let of_keyword = gaps(&lacking(&[
        (9, "blue cups", None),
        (10, "Blue  CUPS", None),
    ]));
    assert_eq!(
        (of_keyword.len(), of_keyword[0].keyword_ids.as_slice()),
        (1, [9, 10].as_slice())
    );
    let two = gaps(&lacking(&[(9, "blue cups", None), (10, "red cups", None)]));
    assert_eq!(two.len(), 2);
}

#[test]
fn a_merged_suggestion_is_not_fixed() {
    let apart = lacking(&[(9, "blue cups", None), (10, "red cups", None)]).suggestions();
    let together = lacking(&[(9, "blue cups", Some(45)), (10, "red cups", Some(50))]).a_day_later();
    let now = together.suggestions_at(now() + TimeDelta::days(1), &apart, &BTreeSet::new());
    let states: Vec<State> = now.iter().map(|it| it.state).collect();
    assert_eq!(states, [State::Open]);
}

#[test]
fn fluctuating_evidence_does_not_regress_within_a_month() {
    let day = |days: i64| now() + TimeDelta::days(days);
    let open = lacking(&[(9, "blue cups", None)]).suggestions();
    let mut gone = lacking(&[(9, "blue cups", None)]).a_day_later();
    gone.competitors[0].gap_keywords.clear();
    gone.competitors[0].gap_keyword_count = 0;
    let fixed = gone.suggestions_at(day(1), &open, &BTreeSet::new());
    assert_eq!(fixed[0].state, State::Fixed);
    let state_after = |days: i64| {
        let again = lacking(&[(9, "blue cups", None)]);
        again.suggestions_at(day(1 + days), &fixed, &BTreeSet::new())[0].state
    };
    assert_eq!(state_after(27), State::Open);
    assert_eq!(state_after(28), State::Regressed);
}
