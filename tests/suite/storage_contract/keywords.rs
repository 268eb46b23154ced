//! Keywords.

use super::examples::*;
use analysis::{
    findings::rankings::RankState, observation::search_page::Device, provenance::Provenance,
    search_intent::Intent,
};
use domain::{
    ai_models::ModelSettings,
    ids::KeywordId,
    keyword::{Keyword, KeywordChoice, LatestRank},
    keyword_metrics::KeywordMetrics,
    market::{Country, Market},
    page::{Direction, PageRequest},
    ports::{
        keywords::{KeywordCounts, KeywordFilter, KeywordSort},
        storage::StorageError,
    },
    project::Status,
    text::Tag,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    the_usual_market_is_that_of_most_active_keywords,
    a_keyword_is_read_back_as_written,
    a_thousand_keywords_are_added_at_once_and_saved_at_once,
    a_text_is_unique_in_its_market_and_project,
    keywords_are_found_by_their_texts_in_one_market,
    saving_keeps_the_latest_rank_and_volume,
    latest_ranks_are_set_for_one_account,
    saving_does_not_create_keywords,
    only_active_keywords_are_counted,
    batches_return_chosen_active_keywords_in_order,
    each_filter_selects_matching_keywords,
];

async fn the_usual_market_is_that_of_most_active_keywords(db: TestStorage) {
    two_accounts(&db).await;
    let usual = async || read!(db, r => r.keywords().usual_market(ANN, SHOP).await.unwrap());
    assert_eq!(usual().await, None);
    let of = |id, country, status| Keyword {
        market: market(country, None),
        status,
        ..keyword(ANN, id, &format!("shoes {id}"))
    };
    let (active, gone) = (Status::Active, Status::Deactivated);
    let all = [
        of(21, "us", active),
        of(22, "de", active),
        of(23, "de", active),
        of(24, "us", gone),
        of(25, "us", gone),
    ];
    change!(db, tx => tx.keywords().add(&all).await.unwrap());
    assert_eq!(usual().await, Some(market("de", None)));
}

fn rich() -> Keyword {
    Keyword {
        market: market("de", Some("Köln")),
        ai_tracked: true,
        target_url: Some("https://shop.example.com/ž?a=b".into()),
        tags: vec![Tag::parse("brand").unwrap()],
        search_volume: Some(1_300),
        metrics: Some(KeywordMetrics {
            search_volume: Some(1_300),
            difficulty: Some(62),
            cpc: None,
            intent: Some(Intent::Commercial),
            provider: "supplier".to_owned(),
            provenance: Provenance::Estimated,
            researched_at: after(2) + tick(),
        }),
        latest: Some(rank(7)),
        row_version: 3,
        updated_at: after(4) + tick(),
        ..keyword(ANN, 22, "Große Ščuka 鯨")
    }
}

fn market(country: &str, location: Option<&str>) -> Market {
    Market {
        country: Country::parse(country).unwrap(),
        device: Device::Mobile,
        location: location.map(|it| Market::location(it).unwrap()),
        ..Market::default()
    }
}

fn rank(position: u32) -> LatestRank {
    LatestRank {
        position: Some(position),
        url: Some("https://shop.example.com/".into()),
        measured_at: after(60) + tick(),
        state: RankState::Ranked,
    }
}

async fn found(db: &TestStorage, id: i64) -> Option<Keyword> {
    read!(db, r => r.keywords().find(ANN, KeywordId(id)).await.unwrap())
}

async fn a_keyword_is_read_back_as_written(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.keywords().add(&[rich(), keyword(ANN, 23, "plain")]).await.unwrap());
    assert_eq!(found(&db, 22).await, Some(rich()));
    assert_eq!(found(&db, 23).await, Some(keyword(ANN, 23, "plain")));
}

async fn a_thousand_keywords_are_added_at_once_and_saved_at_once(db: TestStorage) {
    two_accounts(&db).await;
    let mut many: Vec<Keyword> = (0..4_000)
        .map(|n| keyword(ANN, 1_000 + n, &format!("keyword {n}")))
        .collect();
    change!(db, tx => tx.keywords().add(&many).await.unwrap());
    for it in &mut many {
        it.ai_tracked = true;
        it.row_version += 1;
    }
    change!(db, tx => tx.keywords().save_all(&many).await.unwrap());
    let counts = read!(db, r => r.keywords().counts(ANN, SHOP).await.unwrap());
    assert_eq!(
        counts,
        KeywordCounts {
            active: 4_000,
            ai_tracked: 4_000
        }
    );
    assert_eq!(found(&db, 4_999).await.as_ref(), many.last());
}

async fn a_text_is_unique_in_its_market_and_project(db: TestStorage) {
    two_accounts(&db).await;
    let base = Keyword {
        market: market("us", None),
        ..keyword(ANN, 21, "Rust SEO")
    };
    change!(db, tx => tx.keywords().add(&[
        base.clone(),
        Keyword { id: KeywordId(22), market: market("de", None), ..base.clone() },
        Keyword { id: KeywordId(23), market: market("us", Some("Austin")), ..base.clone() },
    ]).await.unwrap());
    let again = Keyword {
        market: market("us", None),
        ..keyword(ANN, 24, "rust  seo")
    };
    let mut tx = db.storage.write().await.unwrap();
    let outcome = tx.keywords().add(&[again]).await;
    assert!(
        matches!(outcome, Err(StorageError::Conflict { constraint }) if constraint == "keywords_text_in_market")
    );
    drop(tx);
    let mut tx = db.storage.write().await.unwrap();
    let outcome = tx.keywords().add(&[keyword(ANN, 21, "other")]).await;
    assert!(matches!(outcome, Err(StorageError::IdTaken)));
    drop(tx);
    let moved = Keyword {
        id: KeywordId(22),
        ..base
    };
    let mut tx = db.storage.write().await.unwrap();
    let outcome = tx.keywords().save_all(&[moved]).await;
    assert!(matches!(outcome, Err(StorageError::Conflict { .. })));
}

async fn keywords_are_found_by_their_texts_in_one_market(db: TestStorage) {
    two_accounts(&db).await;
    let gone = Keyword {
        status: Status::Deactivated,
        ..keyword(ANN, 22, "b")
    };
    change!(db, tx => tx.keywords().add(&[
        keyword(ANN, 21, "A"),
        gone.clone(),
        Keyword { market: market("de", None), ..keyword(ANN, 23, "a") },
    ]).await.unwrap());
    let texts: Vec<String> = ["a", "b", "c"].map(String::from).into();
    let found = read!(db, r => r.keywords().with_texts(ANN, SHOP, &Market::default(), &texts).await.unwrap());
    assert_eq!(found, [keyword(ANN, 21, "A"), gone]);
}

async fn saving_keeps_the_latest_rank_and_volume(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.keywords().add(&[rich()]).await.unwrap());
    let changed = Keyword {
        latest: None,
        search_volume: None,
        ai_tracked: false,
        target_url: None,
        ..rich()
    };
    change!(db, tx => tx.keywords().save_all(&[rich(), changed]).await.unwrap());
    let expected = Keyword {
        ai_tracked: false,
        target_url: None,
        ..rich()
    };
    assert_eq!(found(&db, 22).await, Some(expected));
}

async fn latest_ranks_are_set_for_one_account(db: TestStorage) {
    two_accounts_at_work(&db).await;
    change!(db, tx => tx.keywords().save_latest(ANN, &[(KeywordId(21), rank(3))]).await.unwrap());
    assert_eq!(found(&db, 21).await.unwrap().latest, Some(rank(3)));
    let lost = LatestRank {
        position: None,
        url: None,
        state: RankState::NotRanked,
        ..rank(3)
    };
    change!(db, tx => tx.keywords().save_latest(ANN, &[(KeywordId(21), lost.clone())]).await.unwrap());
    assert_eq!(found(&db, 21).await.unwrap().latest, Some(lost));
    let other = read!(db, r => r.keywords().find(BOB, KeywordId(21)).await.unwrap());
    assert_eq!(other.unwrap().latest, None);
}

async fn saving_does_not_create_keywords(db: TestStorage) {
    two_accounts_at_work(&db).await;
    change!(db, tx => tx.keywords().save_all(&[keyword(ANN, 99, "ghost"), keyword(ANN, 21, "real")]).await.unwrap());
    assert_eq!(found(&db, 99).await, None);
    assert_eq!(found(&db, 21).await, Some(keyword(ANN, 21, "real")));
}

async fn only_active_keywords_are_counted(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.keywords().add(&[
        keyword(ANN, 21, "a"),
        Keyword { ai_tracked: true, ..keyword(ANN, 22, "b") },
        Keyword { ai_tracked: true, status: Status::Deactivated, ..keyword(ANN, 23, "c") },
    ]).await.unwrap());
    read!(db, r => {
        let counts = r.keywords().counts(ANN, SHOP).await.unwrap();
        assert_eq!(counts, KeywordCounts { active: 2, ai_tracked: 1 });
        let named = [21, 22, 23, 24, 21].map(KeywordId);
        assert_eq!(r.keywords().count_active_named(ANN, SHOP, &named).await.unwrap(), 2);
        assert_eq!(r.keywords().count_active_named(ANN, SHOP, &[]).await.unwrap(), 0);
        let found = r.keywords().count_ai_tracked_and_models(ANN, SHOP, &named).await.unwrap();
        assert_eq!(found, (1, vec![]), "no model was set");
    });
    let models = ["chatgpt", "gemini"].map(ModelSettings::default_for);
    change!(db, tx => for it in models.iter().rev() {
        tx.ai_models().set(ANN, it).await.unwrap();
        tx.ai_models().set(BOB, it).await.unwrap();
    });
    for (named, number) in [(vec![22, 24], 1), (vec![], 0)] {
        let named: Vec<KeywordId> = named.into_iter().map(KeywordId).collect();
        let found = read!(db, r => r.keywords().count_ai_tracked_and_models(ANN, SHOP, &named).await.unwrap());
        assert_eq!(found, (number, models.to_vec()));
    }
}

async fn batches_return_chosen_active_keywords_in_order(db: TestStorage) {
    two_accounts(&db).await;
    let mut all: Vec<Keyword> = (1..=9).map(|n| keyword(ANN, n, &format!("k{n}"))).collect();
    all[4].status = Status::Deactivated;
    change!(db, tx => tx.keywords().add(&all).await.unwrap());
    let named = KeywordChoice::Named([9, 2, 5, 7, 3, 77].map(KeywordId).into());
    for (choice, expected) in [
        (
            KeywordChoice::All,
            vec![vec![1, 2, 3], vec![4, 6, 7], vec![8, 9]],
        ),
        (named, vec![vec![2, 3, 7], vec![9]]),
        (KeywordChoice::Named(vec![]), vec![]),
    ] {
        let mut after = None;
        let mut batches = vec![];
        loop {
            let batch = read!(db, r => r.keywords().active_batch(ANN, SHOP, &choice, after, 3).await.unwrap());
            let Some(last) = batch.last() else { break };
            after = Some(last.id);
            batches.push(batch.iter().map(|it| it.id.0).collect::<Vec<_>>());
        }
        assert_eq!(batches, expected);
    }
}

async fn each_filter_selects_matching_keywords(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.keywords().add(&[
        rich(),
        keyword(ANN, 21, "100% rust"),
        Keyword { status: Status::Deactivated, ..keyword(ANN, 23, "rust_seo") },
    ]).await.unwrap());
    let text = |it: &str| Some(it.to_owned());
    let any = KeywordFilter::default;
    for (filter, expected) in [
        (any(), vec![21, 22, 23]),
        (
            KeywordFilter {
                status: Some(Status::Deactivated),
                ..any()
            },
            vec![23],
        ),
        (
            KeywordFilter {
                ai_tracked: Some(true),
                ..any()
            },
            vec![22],
        ),
        (
            KeywordFilter {
                tag: text("brand"),
                ..any()
            },
            vec![22],
        ),
        (
            KeywordFilter {
                search: text("rust"),
                ..any()
            },
            vec![21, 23],
        ),
        (
            KeywordFilter {
                search: text("0% r"),
                ..any()
            },
            vec![21],
        ),
        (
            KeywordFilter {
                search: text("t_s"),
                ..any()
            },
            vec![23],
        ),
        (
            KeywordFilter {
                search: text("ščuka"),
                ..any()
            },
            vec![22],
        ),
    ] {
        let request = PageRequest {
            sort: KeywordSort::CreatedAt,
            direction: Direction::Ascending,
            after: None,
            limit: 10,
            counted: false,
            bytes: None,
        };
        let page = read!(db, r => r.keywords().list(ANN, SHOP, &filter, &request).await.unwrap());
        let ids: Vec<i64> = page.items.iter().map(|it| it.id.0).collect();
        assert_eq!(ids, expected, "{filter:?}");
    }
}
