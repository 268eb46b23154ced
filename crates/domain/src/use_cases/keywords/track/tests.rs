//! Track keywords: the decisions, against mocked ports.

use super::*;
use crate::{
    account::{AccountLimits, AccountUsage},
    market::Market,
    patch::Change,
    ports::clock::Clock,
    project::Status,
    stored_data::StoredData,
    test_support::{
        ACCOUNT, FakeStorage, FakeTransaction, FrozenClock, a_keyword, a_project, an_account, core,
    },
};
use std::sync::Arc;

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

fn holding(account: Account, known: Vec<Keyword>) -> impl FnOnce(&mut FakeTransaction) {
    move |work| {
        work.accounts
            .expect_lock()
            .return_once(|_| Ok(Some(account)));
        work.projects
            .expect_lock()
            .return_once(|_, _| Ok(Some(a_project())));
        work.keywords
            .expect_with_texts()
            .return_once(|_, _, _, _| Ok(known));
        { work.stored_data.expect_of_account() }.returning(|_| Ok(StoredData::default()));
    }
}

async fn track(
    storage: &Arc<FakeStorage>,
    new: &NewKeywords,
) -> Result<TrackedKeywords, TrackKeywordsError> {
    core(storage.clone())
        .track_keywords(ACCOUNT, a_project().id, new, None)
        .await
}

#[tokio::test]
async fn a_full_allowance_stores_nothing() {
    let full = Account {
        limits: AccountLimits {
            keywords: 2,
            ..AccountLimits::default()
        },
        usage: AccountUsage {
            keywords: 1,
            ..AccountUsage::default()
        },
        ..an_account()
    };
    let storage = Arc::new(FakeStorage::default());
    storage.expect(|work| {
        holding(full, vec![])(work);
        work.keywords.expect_add().never();
    });
    let outcome = track(&storage, &new(&["rust", "actix"], None)).await;
    assert!(matches!(outcome, Err(TrackKeywordsError::Allowance(_))));
    assert_eq!(storage.commits(), 0);
}

#[tokio::test]
async fn repeats_are_folded_and_known_keywords_left_or_brought_back() {
    let gone = a_keyword("actix").patched(
        KeywordPatch {
            status: Change::Set(Status::Deactivated),
            ..KeywordPatch::default()
        },
        FrozenClock::default().now(),
    );
    let storage = Arc::new(FakeStorage::default());
    storage.expect(|work| {
        holding(an_account(), vec![a_keyword("rust"), gone])(work);
        work.keywords
            .expect_add()
            .withf(|it| it.len() == 1)
            .once()
            .returning(|_| Ok(()));
        work.keywords
            .expect_save_all()
            .withf(|it| it.len() == 1)
            .once()
            .returning(|_| Ok(()));
        work.accounts
            .expect_save_usage()
            .withf(|_, usage| usage.keywords == 2 && usage.ai_tracked == 2)
            .once()
            .returning(|_, _| Ok(()));
        work.projects
            .expect_save()
            .withf(|it| it.keyword_count == 2)
            .once()
            .returning(|_| Ok(()));
    });
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
    assert!(tracked.reactivated[0].takes_ai_place());
    assert_eq!((tracked.keyword_allowance.used, storage.commits()), (2, 1));
}

#[tokio::test]
async fn a_deactivated_project_takes_no_keywords() {
    let storage = Arc::new(FakeStorage::default());
    storage.expect(|work| {
        work.accounts
            .expect_lock()
            .return_once(|_| Ok(Some(an_account())));
        work.projects
            .expect_lock()
            .return_once(|_, _| Ok(Some(a_project().deactivated(FrozenClock::default().now()))));
    });
    let outcome = track(&storage, &new(&["rust"], None)).await;
    assert!(matches!(
        outcome,
        Err(TrackKeywordsError::ProjectDeactivated)
    ));
}

#[tokio::test]
async fn keywords_that_come_together_keep_their_order() {
    let storage = Arc::new(FakeStorage::default());
    storage.expect(|work| {
        holding(an_account(), vec![])(work);
        work.keywords.expect_add().returning(|_| Ok(()));
        work.keywords.expect_save_all().returning(|_| Ok(()));
        work.accounts.expect_save_usage().returning(|_, _| Ok(()));
        work.projects.expect_save().returning(|_| Ok(()));
    });
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
}
