//! Tracking keywords: the stored outcome.

use super::*;
use crate::market::Market;
use crate::test_support::fixtures::{account, keyword, project};
use crate::test_support::{ACCOUNT, MemoryStorage, a_project, core};

fn new(texts: &[&str], ai_tracked: Option<bool>) -> NewKeywords {
    let texts = texts
        .iter()
        .map(|it| KeywordText::parse(it).unwrap())
        .collect();
    NewKeywords {
        texts,
        ai_tracked,
        market: Market::default(),
        tags: vec![],
    }
}

async fn track(
    storage: &MemoryStorage,
    new: &NewKeywords,
) -> Result<TrackedKeywords, TrackKeywordsError> {
    core(storage.port())
        .track_keywords(ACCOUNT, a_project().id, new, None)
        .await
}

#[tokio::test]
async fn a_full_allowance_stores_nothing() {
    let storage = MemoryStorage::default()
        .with(account().using(0, 1, 0).limited(|it| it.keywords = 2))
        .with(project());
    let before = storage.state();
    let outcome = track(&storage, &new(&["rust", "actix"], None)).await;
    assert!(matches!(outcome, Err(TrackKeywordsError::Allowance(_))));
    assert_eq!(storage.state(), before);
    assert_eq!(storage.commits(), 0);
}

#[tokio::test]
async fn repeats_are_folded_and_known_keywords_reactivated() {
    let storage = MemoryStorage::default()
        .with(account())
        .with(project())
        .with(keyword(21, "rust"))
        .with(keyword(22, "actix").deactivated());
    let tracked = track(
        &storage,
        &new(&["Rust", "actix", "diesel", "rust "], Some(true)),
    )
    .await
    .unwrap();
    assert_eq!(
        (
            tracked.created.len(),
            tracked.existing.len(),
            tracked.reactivated.len(),
            tracked.repeated
        ),
        (1, 1, 1, 1)
    );
    assert!(
        !tracked.existing[0].ai_tracked,
        "what is tracked already stays as it is"
    );
    assert!(tracked.reactivated[0].uses_ai_quota());
    assert_eq!((tracked.keyword_allowance.used, storage.commits()), (2, 1));
    let state = storage.state();
    let stored = state.keywords.values();
    let stored: Vec<(&str, bool, bool)> = stored
        .map(|it| (it.text.as_str(), it.is_active(), it.ai_tracked))
        .collect();
    let expected = [
        ("rust", true, false),
        ("actix", true, true),
        ("diesel", true, true),
    ];
    assert_eq!(stored, expected);
    let usage = state.accounts[&ACCOUNT].usage;
    assert_eq!((usage.keywords, usage.ai_tracked), (2, 2));
    let project = &state.projects[&(ACCOUNT, a_project().id)];
    assert_eq!(project.keyword_count, 2);
}

#[tokio::test]
async fn a_deactivated_project_takes_no_keywords() {
    let storage = MemoryStorage::default()
        .with(account())
        .with(project().deactivated());
    let before = storage.state();
    let outcome = track(&storage, &new(&["rust"], None)).await;
    assert!(matches!(
        outcome,
        Err(TrackKeywordsError::ProjectDeactivated)
    ));
    assert_eq!(storage.state(), before);
}

#[tokio::test]
async fn keywords_of_one_request_keep_their_order() {
    let storage = MemoryStorage::default().with(account()).with(project());
    let tracked = track(&storage, &new(&["c", "a", "d", "b"], None))
        .await
        .unwrap();
    let texts: Vec<&str> = tracked
        .created
        .iter()
        .map(|it| it.text.normalized())
        .collect();
    assert_eq!(texts, ["c", "a", "d", "b"]);
    assert!(tracked.created.is_sorted_by_key(|it| it.id));
    let state = storage.state();
    let stored: Vec<&str> = { state.keywords.values() }
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(
        stored,
        ["c", "a", "d", "b"],
        "also in the order of their ids"
    );
}
