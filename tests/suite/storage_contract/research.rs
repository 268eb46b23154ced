//! Keyword research: shared results, running requests, quotas, and searches of users.

use super::examples::*;
use analysis::{
    observation::keyword_research::{
        CompetitionLevel, CostPerClick, IdeaRelation, KeywordFigures, KeywordIdea, MonthlyVolume,
        ReportedIntent, ResearchedKeyword,
    },
    observation::search_page::Feature,
    provenance::Provenance,
    search_intent::Intent,
};
use domain::{
    ids::{AccountId, FlightId, KeywordId, SearchId},
    keyword::KeywordText,
    keyword_metrics::{Cpc, KeywordMetrics},
    keyword_research::{
        Flight, KeptResearch, ResearchSubject, Reservation, Search, SearchSummary, SubjectKey,
    },
    market::{Country, Language},
    money::MicroUsd,
    page::{Direction, PageRequest},
    ports::research::SearchSort,
    project::Status,
};
use harness::{databases::TestStorage, on_every_storage};
use std::collections::{BTreeMap, BTreeSet};

on_every_storage![
    stored_research_is_returned_until_it_expires,
    a_subject_has_one_flight_at_a_time,
    usage_is_counted_by_account_and_month,
    a_repeated_search_moves_to_the_top,
    searches_are_private_to_their_user,
    an_account_finds_its_own_newest_search,
    old_rows_are_deleted_in_batches,
    active_keywords_of_a_market_are_listed,
    volumes_are_stored_in_their_market_only,
];

const KEY: SubjectKey = SubjectKey([7; 32]);

fn subject(keyword: &str) -> ResearchSubject {
    ResearchSubject {
        keyword: KeywordText::parse(keyword).unwrap(),
        country: Country::parse("us").unwrap(),
        language: Language::parse("en").unwrap(),
    }
}

fn kept(volume: u64) -> KeptResearch {
    let figures = KeywordFigures {
        search_volume: Some(volume),
        cpc: Some(CostPerClick {
            amount: Some(1.45),
            low: None,
            high: Some(2.5),
            currency: "USD".to_owned(),
        }),
        competition: Some(0.31),
        competition_level: Some(CompetitionLevel::Low),
        difficulty: Some(41.0),
        referring_domains: None,
        intent: Some(ReportedIntent {
            main: Intent::Commercial,
            secondary: vec![Intent::Transactional],
            confidence: Some(0.7),
        }),
        months: vec![MonthlyVolume {
            year: 2026,
            month: 8,
            volume: None,
        }],
        yearly_change: Some(-0.2),
    };
    let found = ResearchedKeyword {
        provider: "sandbox".to_owned(),
        provenance: Provenance::Simulated,
        fetched_at: now(),
        features: Some(vec![Feature::AiOverview, Feature::Other]),
        ideas: vec![KeywordIdea {
            keyword: "Žluté boty".to_owned(),
            relation: IdeaRelation::AlsoAsk,
            figures: figures.clone(),
        }],
        figures,
    };
    KeptResearch::new(found, now())
}

fn search(account: AccountId, id: i64, keyword: &str) -> Search {
    Search {
        account,
        user: owner(account).id,
        id: SearchId(id),
        subject: subject(keyword),
        key: subject(keyword).key("sandbox"),
        searched_at: after(id),
        kept: kept(1_000),
    }
}

fn request(limit: u32) -> PageRequest<SearchSort> {
    PageRequest {
        sort: SearchSort::SearchedAt,
        direction: Direction::Descending,
        after: None,
        limit,
        counted: true,
        bytes: None,
    }
}

async fn stored_research_is_returned_until_it_expires(db: TestStorage) {
    let (first, second) = (kept(1_000), kept(2_000));
    change!(db, tx => tx.research().keep(KEY, &subject("Red Shoes"), &first).await.unwrap());
    let found = async |at| read!(db, r => r.research().find_kept(KEY, at).await.unwrap());
    assert_eq!(found(now()).await, Some(first.clone()));
    let end = first.expires_at;
    assert_eq!(found(end - tick()).await, Some(first));
    assert_eq!(found(end).await, None);
    change!(db, tx => tx.research().keep(KEY, &subject("Red Shoes"), &second).await.unwrap());
    assert_eq!(found(now()).await, Some(second));
    let other = SubjectKey([8; 32]);
    assert_eq!(
        read!(db, r => r.research().find_kept(other, now()).await.unwrap()),
        None
    );
}

async fn a_subject_has_one_flight_at_a_time(db: TestStorage) {
    let depart = async |id: i64, at| {
        let until = at + Flight::LEASE;
        change!(db, tx => tx.research().begin_flight(KEY, FlightId(id), at, until).await.unwrap())
    };
    let flight = async || read!(db, r => r.research().flight(KEY).await.unwrap());
    let land = async |id: i64, failure: Option<&str>| change!(db, tx => tx.research().end_flight(KEY, FlightId(id), after(1), failure.map(str::to_owned)).await.unwrap());
    assert_eq!(flight().await, None);
    assert!(depart(1, now()).await);
    assert!(!depart(2, now()).await);
    let until = now() + Flight::LEASE;
    let expected = Flight {
        id: FlightId(1),
        until,
        failure: None,
    };
    assert_eq!(flight().await, Some(expected));
    assert!(!land(2, None).await);
    assert!(land(1, Some("supplierTimedOut")).await);
    let failed = Flight {
        id: FlightId(1),
        until: after(1),
        failure: Some("supplierTimedOut".to_owned()),
    };
    assert_eq!(flight().await, Some(failed));
    // A failed flight may be repeated at once, any other when its lease ends.
    assert!(depart(3, after(1)).await);
    assert_eq!(flight().await.unwrap().failure, None);
    let end = after(1) + Flight::LEASE;
    assert!(!depart(4, end - tick()).await);
    assert!(depart(4, end).await);
    assert!(!land(3, None).await);
    assert!(land(4, None).await);
    assert_eq!(flight().await, None);
}

async fn usage_is_counted_by_account_and_month(db: TestStorage) {
    two_accounts(&db).await;
    let september = MONTH - chrono::Months::new(2);
    let usage = async |account, at| {
        let read = read!(db, r => r.research().usage(account, september, at).await.unwrap());
        let locked =
            change!(db, tx => tx.research().lock_usage(account, september, at).await.unwrap());
        assert_eq!(read, locked);
        read
    };
    let reservation = |account, id| Reservation {
        account,
        flight: FlightId(id),
        day: now().date_naive(),
        max_cost: MicroUsd(40_000),
        until: after(120),
    };
    assert_eq!(usage(ANN, now()).await, (0, 0));
    change!(db, tx => {
        for id in [1, 2, 3] {
            tx.research().reserve(&reservation(ANN, id)).await.unwrap();
        }
        tx.research().reserve(&reservation(BOB, 1)).await.unwrap();
    });
    assert_eq!(usage(ANN, now()).await, (0, 3));
    assert_eq!(usage(ANN, after(120) - tick()).await, (0, 3));
    assert_eq!(usage(ANN, after(120)).await, (0, 0));
    change!(db, tx => {
        assert!(tx.research().release(ANN, FlightId(1)).await.unwrap());
        assert!(!tx.research().release(ANN, FlightId(1)).await.unwrap());
        tx.research().count_purchase(ANN, september).await.unwrap();
        tx.research().count_purchase(ANN, september).await.unwrap();
        tx.research().count_purchase(ANN, MONTH).await.unwrap();
    });
    assert_eq!(usage(ANN, now()).await, (2, 2));
    assert_eq!(usage(BOB, now()).await, (0, 1));
    let lapsed = async |at, limit| read!(db, r => r.research().expired_reservations(ANN, at, limit).await.unwrap());
    assert_eq!(lapsed(after(119), 5).await, []);
    let both = [reservation(ANN, 2), reservation(ANN, 3)];
    assert_eq!(lapsed(after(120), 5).await, both);
    assert_eq!(lapsed(after(120), 1).await, both[..1]);
}

async fn a_repeated_search_moves_to_the_top(db: TestStorage) {
    two_accounts(&db).await;
    let first = search(ANN, 1, "Red  Shoes");
    let user = first.user;
    let note = async |search: &Search| change!(db, tx => tx.research().record_search(search).await.unwrap());
    assert_eq!(note(&first).await, SearchId(1));
    let found =
        async |id| read!(db, r => r.research().search(ANN, user, SearchId(id)).await.unwrap());
    assert_eq!(found(1).await, Some(first.clone()));
    // The same answer of the supplier is the same search; another answer is another.
    let again = Search {
        id: SearchId(2),
        searched_at: after(50),
        ..first.clone()
    };
    assert_eq!(note(&again).await, SearchId(1));
    assert_eq!(found(2).await, None);
    let moved = Search {
        id: SearchId(1),
        ..again
    };
    assert_eq!(found(1).await, Some(moved));
    let mut later = search(ANN, 3, "Red  Shoes");
    later.kept.bought_at = after(9);
    assert_eq!(note(&later).await, SearchId(3));
    let page = read!(db, r => r.research().searches(ANN, user, &request(1)).await.unwrap());
    assert_eq!(page.total.unwrap().rows, 2);
    let line = SearchSummary {
        id: SearchId(1),
        subject: first.subject.clone(),
        provider: "sandbox".to_owned(),
        provenance: Provenance::Simulated,
        search_volume: Some(1_000),
        ideas: 1,
        searched_at: after(50),
        bought_at: first.kept.bought_at,
        expires_at: first.kept.expires_at,
    };
    assert_eq!(page.items, [line]);
    let behind = PageRequest {
        after: page.next,
        ..request(1)
    };
    let page = read!(db, r => r.research().searches(ANN, user, &behind).await.unwrap());
    assert_eq!((page.items[0].id, page.next), (SearchId(3), None));
}

async fn searches_are_private_to_their_user(db: TestStorage) {
    two_accounts(&db).await;
    let (anns, bobs) = (search(ANN, 1, "shoes"), search(BOB, 1, "shoes"));
    change!(db, tx => {
        tx.research().record_search(&anns).await.unwrap();
        tx.research().record_search(&bobs).await.unwrap();
    });
    let page = read!(db, r => r.research().searches(ANN, anns.user, &request(9)).await.unwrap());
    assert_eq!(page.items.len(), 1);
    let crossed = read!(db, r => r.research().search(ANN, bobs.user, SearchId(1)).await.unwrap());
    assert_eq!(crossed, None);
    let forget = async |account, user| change!(db, tx => tx.research().delete_search(account, user, SearchId(1)).await.unwrap());
    assert!(!forget(ANN, bobs.user).await);
    assert!(forget(ANN, anns.user).await);
    assert!(!forget(ANN, anns.user).await);
    let bobs_own = read!(db, r => r.research().search(BOB, bobs.user, SearchId(1)).await.unwrap());
    assert_eq!(bobs_own, Some(bobs));
}

async fn old_rows_are_deleted_in_batches(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => for number in 0..5_u8 {
        let key = SubjectKey([number; 32]);
        let mut kept = kept(1_000);
        kept.expires_at = after(i64::from(number));
        tx.research().keep(key, &subject("shoes"), &kept).await.unwrap();
        let (flight, until) = (FlightId(number.into()), after(number.into()));
        tx.research().begin_flight(key, flight, now(), until).await.unwrap();
        let search = search(ANN, i64::from(number) + 1, &format!("shoes {number}"));
        tx.research().record_search(&search).await.unwrap();
    });
    let at = after(3);
    change!(db, tx => {
        assert_eq!(tx.research().purge_kept(at, 3).await.unwrap(), 3);
        assert_eq!(tx.research().purge_kept(at, 3).await.unwrap(), 1);
        assert_eq!(tx.research().purge_kept(at, 3).await.unwrap(), 0);
        assert_eq!(tx.research().purge_flights(at, 2).await.unwrap(), 2);
        assert_eq!(tx.research().purge_flights(at, 2).await.unwrap(), 1);
        assert_eq!(tx.research().purge_flights(at, 2).await.unwrap(), 0);
        assert_eq!(tx.research().purge_searches(ANN, at, 2).await.unwrap(), 2);
        assert_eq!(tx.research().purge_searches(ANN, at, 2).await.unwrap(), 0);
        assert_eq!(tx.research().purge_searches(BOB, after(99), 2).await.unwrap(), 0);
    });
    let last = SubjectKey([4; 32]);
    assert!(read!(db, r => r.research().find_kept(last, now()).await.unwrap()).is_some());
    assert!(read!(db, r => r.research().flight(last).await.unwrap()).is_some());
}

async fn active_keywords_of_a_market_are_listed(db: TestStorage) {
    two_accounts(&db).await;
    let mut gone = keyword(ANN, 22, "old shoes");
    gone.status = Status::Deactivated;
    let mut german = keyword(ANN, 23, "blue shoes");
    german.market.language = Language::parse("de").unwrap();
    change!(db, tx => {
        let all = [keyword(ANN, 21, "Red Shoes"), gone, german];
        tx.keywords().add(&all).await.unwrap();
        tx.keywords().add(&[keyword(BOB, 21, "green shoes")]).await.unwrap();
    });
    let texts: Vec<String> = ["red shoes", "old shoes", "blue shoes", "green shoes"]
        .map(str::to_owned)
        .to_vec();
    let (us, english) = (subject("x").country, subject("x").language);
    let found = read!(db, r => r
        .keywords()
        .active_texts(ANN, SHOP, us, english, &texts)
        .await
        .unwrap());
    assert_eq!(found, BTreeSet::from(["red shoes".to_owned()]));
    let found =
        read!(db, r => r.keywords().active_texts(ANN, SHOP, us, english, &[]).await.unwrap());
    assert_eq!(found, BTreeSet::new());
}

async fn volumes_are_stored_in_their_market_only(db: TestStorage) {
    two_accounts(&db).await;
    let mut german = keyword(ANN, 22, "red shoes");
    german.market.language = Language::parse("de").unwrap();
    change!(db, tx => {
        let all = [keyword(ANN, 21, "Red Shoes"), german, keyword(ANN, 23, "old shoes")];
        tx.keywords().add(&all).await.unwrap();
        tx.keywords().add(&[keyword(BOB, 21, "red shoes")]).await.unwrap();
    });
    let (us, english) = (subject("x").country, subject("x").language);
    let volume = async |account, id| {
        let found = read!(db, r => r.keywords().find(account, KeywordId(id)).await.unwrap());
        found.unwrap().search_volume
    };
    let metrics = |volume, day, provenance| KeywordMetrics {
        search_volume: Some(volume),
        difficulty: Some(41),
        cpc: Some(Cpc {
            micros: 1_250_000,
            currency: "EUR".to_owned(),
        }),
        intent: Some(Intent::Commercial),
        provider: "supplier".to_owned(),
        provenance,
        researched_at: after(day),
    };
    for (day, search_volume) in [(1, 880), (2, 880), (3, 1_000)] {
        let found = metrics(search_volume, day, Provenance::Estimated);
        let known = BTreeMap::from([
            ("red shoes".to_owned(), found.clone()),
            ("new".to_owned(), found.clone()),
        ]);
        change!(db, tx => tx.keywords().note_metrics(ANN, us, english, &known).await.unwrap());
        assert_eq!(volume(ANN, 21).await, Some(search_volume));
        let kept = read!(db, r => r.keywords().find(ANN, KeywordId(21)).await.unwrap());
        assert_eq!(kept.unwrap().metrics, Some(found));
    }
    let older = metrics(7, 0, Provenance::Estimated);
    let simulated = metrics(8, 9, Provenance::Simulated);
    let known = BTreeMap::from([
        ("red shoes".to_owned(), older),
        ("rare shoes".to_owned(), simulated.clone()),
    ]);
    change!(db, tx => {
        tx.keywords().add(&[keyword(ANN, 24, "rare shoes")]).await.unwrap();
        tx.keywords().note_metrics(ANN, us, english, &known).await.unwrap();
    });
    assert_eq!(volume(ANN, 21).await, Some(1_000), "what is newer stays");
    let rare = read!(db, r => r.keywords().find(ANN, KeywordId(24)).await.unwrap()).unwrap();
    assert_eq!(
        (rare.search_volume, rare.metrics),
        (None, Some(simulated)),
        "simulated volumes are kept apart"
    );
    for (account, id) in [(ANN, 22), (ANN, 23), (BOB, 21)] {
        assert_eq!(volume(account, id).await, None, "{account} {id}");
    }
}

async fn an_account_finds_its_own_newest_search(db: TestStorage) {
    two_accounts(&db).await;
    let older = search(ANN, 1, "red shoes");
    let mut newer = search(ANN, 2, "red shoes");
    newer.kept = KeptResearch::new(kept(2_000).found, after(60));
    let key = older.key;
    change!(db, tx => for it in [&newer, &older, &search(ANN, 3, "blue shoes")] {
        tx.research().record_search(it).await.unwrap();
    });
    let own = |account, key, at| {
        let db = &db;
        async move { read!(db, r => r.research().find_own(account, key, at).await.unwrap()) }
    };
    assert_eq!(own(ANN, key, now()).await, Some(newer.kept.clone()));
    assert_eq!(own(BOB, key, now()).await, None);
    assert_eq!(own(ANN, KEY, now()).await, None);
    let end = newer.kept.expires_at;
    assert_eq!(own(ANN, key, end - tick()).await, Some(newer.kept));
    assert_eq!(own(ANN, key, end).await, None);
}
