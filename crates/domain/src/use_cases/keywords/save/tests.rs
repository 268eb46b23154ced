use super::*;
use crate::allowance::AllowanceName;
use crate::test_support::fixtures::{Fixture, account, keyword, project};
use crate::test_support::{ACCOUNT, MemoryStorage, a_project, core};
use SaveOutcome::{Added, AlreadyTracked, Reactivated, Refused};

fn wanted(text: &str, ai_tracked: impl Into<Option<bool>>) -> WantedKeyword {
    WantedKeyword {
        text: KeywordText::parse(text).unwrap(),
        ai_tracked: ai_tracked.into(),
    }
}

/// Quota for `keywords` more, `ai` of them AI-tracked.
fn storage(keywords: u32, ai: u32, there: Vec<Fixture<Keyword>>) -> MemoryStorage {
    let account = account().using(1, 10, 5).limited(|it| {
        it.keywords = 10 + keywords;
        it.ai_tracked = 5 + ai;
    });
    let begun = MemoryStorage::default().with(account).with(project());
    there.into_iter().fold(begun, MemoryStorage::with)
}

async fn saved(
    storage: &MemoryStorage,
    wanted: &[WantedKeyword],
    mode: SaveMode,
) -> Result<SavedKeywords, SaveKeywordsError> {
    core(storage.port())
        .save_keywords(
            ACCOUNT,
            a_project().id,
            &WantedKeywords {
                keywords: wanted.to_vec(),
                market: Market::default(),
                tags: vec![],
                found_in: None,
            },
            mode,
            None,
        )
        .await
}

fn names(outcomes: &[SaveOutcome]) -> Vec<&'static str> {
    { outcomes.iter() }
        .map(|it| match it {
            Added(_) => "added",
            AlreadyTracked(_) => "alreadyTracked",
            Reactivated(_) => "reactivated",
            Refused(refusal) => refusal.allowance.name.name(),
        })
        .collect()
}

#[tokio::test]
async fn each_keyword_gets_an_outcome_in_request_order() {
    let there = vec![
        keyword(1, "tracked").ai_tracked(),
        keyword(2, "gone").ai_tracked().deactivated(),
    ];
    let storage = storage(3, 1, there);
    let wanted = [
        wanted("new", None),
        wanted("tracked", true),
        wanted("gone", false),
        wanted("NEW ", true),
        wanted("with ai", true),
        wanted("no ai left", true),
        wanted("no room left", false),
    ];
    let saved = saved(&storage, &wanted, SaveMode::Partial).await.unwrap();
    assert_eq!(
        names(&saved.outcomes),
        [
            "added",
            "alreadyTracked",
            "reactivated",
            "alreadyTracked",
            "added",
            "keywords",
            "keywords"
        ]
    );
    assert_eq!(saved.outcomes[1], AlreadyTracked(KeywordId(1)));
    assert_eq!(saved.outcomes[2], Reactivated(KeywordId(2)));
    let (Added(first), AlreadyTracked(again)) = (saved.outcomes[0], saved.outcomes[3]) else {
        panic!("{:?}", saved.outcomes);
    };
    assert_eq!(first, again);
    let allowances = (saved.keyword_allowance, saved.ai_allowance);
    assert_eq!((allowances.0.used, allowances.0.limit), (13, 13));
    assert_eq!((allowances.1.used, allowances.1.limit), (6, 6));
    assert_eq!(storage.commits(), 1);
    let state = storage.state();
    let stored = state.keywords.values();
    let stored: Vec<(&str, bool, bool)> = stored
        .map(|it| (it.text.as_str(), it.is_active(), it.ai_tracked))
        .collect();
    assert_eq!(
        stored,
        [
            ("tracked", true, true),
            ("gone", true, false),
            ("new", true, false),
            ("with ai", true, true)
        ]
    );
}

#[tokio::test]
async fn a_full_ai_quota_refuses_only_ai_tracked_keywords() {
    let storage = storage(9, 0, vec![]);
    let wanted = [wanted("a", true), wanted("b", false), wanted("a", false)];
    let saved = saved(&storage, &wanted, SaveMode::Partial).await.unwrap();
    assert_eq!(names(&saved.outcomes), ["aiTracked", "added", "added"]);
    assert_eq!(saved.keyword_allowance.used, 12);
}

#[tokio::test]
async fn mode_all_saves_nothing_when_one_keyword_does_not_fit() {
    let storage = storage(1, 0, vec![]);
    let wanted = [wanted("a", None), wanted("b", None), wanted("c", true)];
    let refused = saved(&storage, &wanted, SaveMode::All).await.unwrap_err();
    let SaveKeywordsError::NoRoom(refused) = refused else {
        panic!("{refused}");
    };
    let exceeded: Vec<(usize, AllowanceName)> = { refused.iter() }
        .map(|(place, refusal)| (*place, refusal.allowance.name))
        .collect();
    let full = AllowanceName::Keywords;
    assert_eq!(exceeded, [(1, full), (2, full)]);
    assert_eq!(storage.commits(), 0);
    assert!(storage.state().keywords.is_empty());
}
