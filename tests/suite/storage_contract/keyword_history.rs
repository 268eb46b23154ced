//! Rank histories of one source, own positions, and the search page of a month ago.

use super::{examples::*, measurements::*};
use analysis::{
    document::Document,
    findings::{
        keyword_market::{Measurement, TrackedKeyword},
        rankings::RankState,
        serp::{SerpInput, snapshot},
    },
    observation::search_page::{
        Block, BlockContent, Device, FeatureCoverage, OrganicResult, SearchPage,
    },
    provenance::Provenance,
    result_type::ResultType,
    url_rules::SiteScope,
};
use domain::{
    ids::{AccountId, JobId, KeywordId},
    results::{
        AsOf, KeywordMeasurement, OwnPlace, OwnSnapshot, RankHistoryPoint, SearchSource,
        StagedFinding,
    },
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    another_engine_or_a_simulated_market_is_another_series,
    rank_histories_list_measurements_oldest_first,
    own_positions_come_from_successful_measurements,
    the_serp_of_a_month_ago_is_of_the_nearest_run,
];

async fn another_engine_or_a_simulated_market_is_another_series(db: TestStorage) {
    at_work(&db).await;
    let bing = SearchSource {
        engine: "bing".into(),
        ..google()
    };
    let sandbox = SearchSource {
        provenance: Provenance::Simulated,
        ..google()
    };
    let of = |source: &SearchSource, job, days: u32| KeywordMeasurement {
        source: source.clone(),
        ..measurement(21, job, days, RankState::Ranked)
    };
    measured(
        &db,
        &[of(&google(), 1, 3), of(&bing, 2, 2), of(&sandbox, 3, 1)],
    )
    .await;
    let keyword_ids = [KeywordId(21)];
    for (source, days, page) in [
        (google(), 3_u32, None),
        (bing, 2, None),
        (sandbox, 1, Some(serp("3"))),
    ] {
        let as_of = AsOf {
            source,
            ..as_of(day(0), JobId(9))
        };
        read!(db, r => {
            let history = r.measurements().histories(ANN, SHOP, &keyword_ids, &as_of).await.unwrap();
            assert_eq!(history[0].points, [point(days.into(), RankState::Ranked)]);
            // Only the newest page of all is kept.
            assert_eq!(history[0].serp, page);
            let ranks = r.measurements().rank_histories(ANN, SHOP, &keyword_ids, day(40), &as_of).await.unwrap();
            assert_eq!(ranks[0].iter().map(|it| it.day).collect::<Vec<_>>(), [day(days.into())]);
            let own = r.measurements().own_places(ANN, SHOP, &keyword_ids, day(40), &as_of).await.unwrap();
            assert_eq!(own[0].len(), 1);
        });
    }
}

async fn rank_histories_list_measurements_oldest_first(db: TestStorage) {
    use RankState::{Error, NotRanked, Ranked};
    at_work(&db).await;
    measured(
        &db,
        &[
            measurement(21, 4, 0, Ranked),
            measurement(21, 1, 9, Ranked),
            measurement(21, 2, 8, NotRanked),
            measurement(22, 2, 8, Error),
            measurement(21, 3, 7, Error),
        ],
    )
    .await;
    let keyword_ids = [23, 22, 21].map(KeywordId);
    let histories = read!(db, r => r.measurements().rank_histories(ANN, SHOP, &keyword_ids, day(8), &as_of(day(0), JobId(4))).await.unwrap());
    let seen = |days: i64, state| {
        let point = point(days, state);
        RankHistoryPoint {
            day: day(days.unsigned_abs()),
            measured_at: point.measured_at,
            state,
            position: point.position,
            depth_checked: 100,
        }
    };
    assert_eq!(histories[0], []);
    assert_eq!(histories[1], [seen(8, Error)]);
    assert_eq!(
        histories[2],
        [seen(8, NotRanked), seen(7, Error), seen(0, Ranked)]
    );
    let until = read!(db, r => r.measurements().rank_histories(ANN, SHOP, &keyword_ids, day(9), &as_of(day(8), JobId(4))).await.unwrap());
    assert_eq!(until[2], [seen(9, Ranked), seen(8, NotRanked)]);
    let strangers = read!(db, r => r.measurements().rank_histories(AccountId(99), SHOP, &keyword_ids, day(9), &as_of(day(0), JobId(4))).await.unwrap());
    assert_eq!(strangers, [vec![], vec![], vec![]]);
}

async fn own_positions_come_from_successful_measurements(db: TestStorage) {
    use RankState::{Error, NotRanked, Ranked};
    at_work(&db).await;
    let places = vec![
        OwnPlace {
            url: "https://shop.example.com/ž".into(),
            position: 2,
            expected_ctr: Some(0.157),
        },
        OwnPlace {
            url: "https://shop.example.com/b".into(),
            position: 7,
            expected_ctr: None,
        },
    ];
    let ranked = KeywordMeasurement {
        own: places.clone(),
        ..measurement(21, 1, 2, Ranked)
    };
    let others = [
        measurement(21, 2, 1, NotRanked),
        measurement(21, 3, 0, Error),
    ];
    measured(&db, &[&[ranked], &others[..]].concat()).await;
    let keyword_ids = [KeywordId(21)];
    let own = read!(db, r => r.measurements().own_places(ANN, SHOP, &keyword_ids, day(2), &as_of(day(0), JobId(3))).await.unwrap());
    let seen = |days, places| OwnSnapshot {
        at: point(days, Ranked).measured_at,
        depth_checked: 100,
        places,
    };
    assert_eq!(own[0], [seen(2, places), seen(1, vec![])]);
}

/// A search page with one result.
fn page(url: &str) -> SearchPage {
    SearchPage {
        engine: "google".into(),
        provider: "serper".into(),
        provenance: Provenance::Measured,
        fetched_at: now(),
        calls: 1,
        total_results_estimate: None,
        feature_coverage: FeatureCoverage::Partial,
        blocks: vec![Block {
            absolute_position: None,
            page: 1,
            content: BlockContent::Organic(OrganicResult {
                position: 1,
                url: url.into(),
                ..OrganicResult::default()
            }),
        }],
        ai_overview: None,
        related: vec![],
        warnings: vec![],
    }
}

fn search_page(keyword: i64, url: &str) -> StagedFinding {
    let tracked = TrackedKeyword {
        project_id: SHOP.0,
        keyword_id: keyword,
        keyword: "a".into(),
        country: "us".into(),
        location: None,
        language: "en".into(),
        device: Device::Desktop,
        search_volume: None,
    };
    let record = snapshot(&SerpInput {
        keyword: &tracked,
        site: &SiteScope::of("shop.example.com"),
        measurement: Measurement::Seen(&page(url)),
        competitors: None,
        previous: None,
        month_ago: None,
        prominence: None,
    });
    StagedFinding {
        result_type: ResultType::Serp,
        ordinal: keyword,
        keyword: Some(KeywordId(keyword)),
        url: None,
        sort_value: None,
        measured_at: now(),
        record: Document::of(&record),
    }
}

async fn the_serp_of_a_month_ago_is_of_the_nearest_run(db: TestStorage) {
    at_work(&db).await;
    // Keyword 21 was measured 38, 33, 29 and 22 days ago, keyword 22 only 24 days ago.
    for (id, days, keywords) in [
        (41, 38, vec![21]),
        (42, 33, vec![21]),
        (43, 29, vec![21]),
        (44, 24, vec![22]),
        (45, 22, vec![21, 22]),
    ] {
        add_job(
            &db,
            &domain::job::Job {
                id: JobId(id),
                ..job(ANN, id)
            },
        )
        .await;
        let points = keywords
            .iter()
            .map(|it| measurement(*it, id, days, RankState::Ranked));
        measured(&db, &points.collect::<Vec<_>>()).await;
        let pages = keywords
            .iter()
            .map(|it| search_page(*it, &format!("https://a.example/{id}")));
        let pages: Vec<StagedFinding> = pages.collect();
        change!(db, tx => {
            tx.measurements().stage(ANN, JobId(id), &pages).await.unwrap();
            tx.results().publish(ANN, SHOP, JobId(id), &[], &[]).await.unwrap();
        });
    }
    let keyword_ids = [22, 23, 21].map(KeywordId);
    let histories = read!(db, r => r.measurements().histories(ANN, SHOP, &keyword_ids, &as_of(day(0), JobId(9))).await.unwrap());
    let urls = |at: usize| histories[at].month_ago.as_ref().map(|it| it.urls.clone());
    assert_eq!(urls(0), Some(vec!["a.example/44".to_owned()]));
    assert_eq!(urls(1), None);
    assert_eq!(urls(2), Some(vec!["a.example/43".to_owned()]));
}
