//! What was measured of keywords in a month: September, of which 21 days are over.

use super::{examples::*, measurements::*};
use analysis::{
    findings::{ai_visibility::LeftOut, ai_visibility::PromptTally, rankings::RankState},
    provenance::Provenance,
};
use chrono::{NaiveDate, TimeDelta};
use domain::{
    ids::{AccountId, JobId, KeywordId},
    kept_answers::KeywordTallies,
    keyword_month::{CalendarMonth, MonthRanks},
    results::{KeywordMeasurement, SearchSource},
};
use harness::{databases::TestStorage, on_every_storage};
use std::collections::BTreeMap;

on_every_storage![
    a_month_reports_days_positions_and_best,
    the_start_of_a_month_may_lie_in_the_week_before,
    sources_are_separate_series,
    the_last_measurement_of_a_day_counts,
    tallies_are_those_of_the_month_and_keywords,
    months_are_isolated_by_account,
];

fn month() -> CalendarMonth {
    CalendarMonth::of(day(0)).unwrap()
}

/// How many days ago a day of September was.
fn ago(day_of_month: u32) -> u32 {
    21 - day_of_month
}

async fn month_ranks(
    db: &TestStorage,
    account: AccountId,
    month: CalendarMonth,
) -> Vec<MonthRanks> {
    let keyword_ids = [21, 22, 23].map(KeywordId);
    let mut found =
        read!(db, r => r.keyword_months().ranks(account, SHOP, &keyword_ids, month).await.unwrap());
    found.sort_by_key(|it| (it.keyword, it.source.engine.clone()));
    found
}

async fn a_month_reports_days_positions_and_best(db: TestStorage) {
    use RankState::{Error, NotRanked, Ranked};
    assert_eq!(month().to_string(), "2026-09");
    at_work(&db).await;
    // A position is its age in days plus one.
    measured(
        &db,
        &[
            measurement(21, 1, ago(1), Ranked),
            measurement(21, 2, ago(9), Ranked),
            measurement(21, 3, ago(14), NotRanked),
            measurement(21, 4, ago(20), Error),
            measurement(22, 4, ago(20), Error),
            // Not of the month, though better than any of it.
            measurement(21, 9, 60, Ranked),
        ],
    )
    .await;
    let found = month_ranks(&db, ANN, month()).await;
    assert_eq!(found.len(), 1, "a failed measurement is none: {found:?}");
    let ranks = &found[0];
    assert_eq!((ranks.keyword, &ranks.source), (KeywordId(21), &google()));
    assert_eq!((ranks.days, ranks.best), (3, Some(ago(9) + 1)));
    assert_eq!(ranks.start.position, Some(ago(1) + 1));
    assert_eq!(
        ranks.start.url.as_deref(),
        Some("https://shop.example.com/ž")
    );
    let last = point(ago(14).into(), NotRanked);
    assert_eq!(
        (ranks.last.measured_at, ranks.last.position, &ranks.last.url),
        (last.measured_at, None, &None)
    );
    let july = CalendarMonth::parse("2026-07").unwrap();
    let found = month_ranks(&db, ANN, july).await;
    assert_eq!((found.len(), found[0].days), (1, 1));
    let before = CalendarMonth::parse("2026-06").unwrap();
    assert!(month_ranks(&db, ANN, before).await.is_empty());
}

async fn the_start_of_a_month_may_lie_in_the_week_before(db: TestStorage) {
    use RankState::{Error, Ranked};
    at_work(&db).await;
    measured(
        &db,
        &[
            // Six days before, and on its fourth day.
            measurement(21, 1, ago(1) + 6, Ranked),
            measurement(21, 2, ago(4), Ranked),
            // Eight days before is too old.
            measurement(22, 1, ago(1) + 8, Ranked),
            measurement(22, 2, ago(4), Ranked),
            measurement(22, 3, ago(5), Ranked),
            // A failed measurement is not a start.
            measurement(23, 1, ago(1) + 3, Ranked),
            measurement(23, 2, ago(1), Error),
            measurement(23, 3, ago(4), Ranked),
        ],
    )
    .await;
    let found = month_ranks(&db, ANN, month()).await;
    let starts: Vec<(i64, Option<u32>, u32)> = { found.iter() }
        .map(|it| (it.keyword.0, it.start.position, it.days))
        .collect();
    assert_eq!(
        starts,
        [
            (21, Some(ago(1) + 7), 1),
            (22, Some(ago(4) + 1), 2),
            (23, Some(ago(1) + 4), 1)
        ]
    );
}

async fn sources_are_separate_series(db: TestStorage) {
    at_work(&db).await;
    let sandbox = SearchSource {
        engine: "sandbox".into(),
        provenance: Provenance::Simulated,
    };
    let simulated = |job, days| KeywordMeasurement {
        source: sandbox.clone(),
        ..measurement(21, job, days, RankState::Ranked)
    };
    measured(
        &db,
        &[
            measurement(21, 1, ago(3), RankState::Ranked),
            measurement(21, 2, ago(5), RankState::Ranked),
            simulated(3, ago(1) + 2),
            simulated(4, ago(5)),
        ],
    )
    .await;
    let found = month_ranks(&db, ANN, month()).await;
    let sources: Vec<(&SearchSource, u32, Option<u32>)> = { found.iter() }
        .map(|it| (&it.source, it.days, it.start.position))
        .collect();
    let (seen, simulated_start) = (Some(ago(3) + 1), Some(ago(1) + 3));
    assert_eq!(
        sources,
        [(&google(), 2, seen), (&sandbox, 1, simulated_start)]
    );
}

async fn the_last_measurement_of_a_day_counts(db: TestStorage) {
    at_work(&db).await;
    let mut later = measurement(21, 2, ago(5), RankState::Ranked);
    later.point.measured_at += TimeDelta::hours(1);
    later.point.position = Some(50);
    measured(&db, &[later, measurement(21, 3, ago(5), RankState::Ranked)]).await;
    let found = month_ranks(&db, ANN, month()).await;
    assert_eq!((found[0].days, found[0].best), (1, Some(ago(5) + 1)));
    assert_eq!(found[0].last.position, Some(50));
    assert_eq!(found[0].start, found[0].last);
}

fn tallies(day: NaiveDate, engine: &str, keyword: i64) -> KeywordTallies {
    KeywordTallies {
        job: JobId(31),
        day,
        keyword: KeywordId(keyword),
        engine: engine.to_owned(),
        tallies: vec![PromptTally {
            day,
            engine: engine.to_owned(),
            model: Some("m-1".to_owned()),
            template_version: 1,
            detector_version: "1".to_owned(),
            provenance: Provenance::Measured,
            prompt_id: "p".to_owned(),
            keyword_id: Some(keyword),
            is_branded: false,
            answers: 5,
            mentions: 2,
            sourced: 0,
            citations: 0,
            evaluated: 0,
            recommendations: 0,
            namings: 0,
            shared: 0,
            share_sum: 0.0,
            felt: 0,
            sentiment_sum: 0.0,
            left_out: LeftOut::default(),
            cited_domains: BTreeMap::new(),
        }],
    }
}

async fn tallies_are_those_of_the_month_and_keywords(db: TestStorage) {
    at_work(&db).await;
    let (first, last) = (month().first(), month().last());
    let inside = [
        tallies(first, "chatgpt", 21),
        tallies(first, "gemini", 21),
        tallies(last, "chatgpt", 22),
    ];
    let outside = [
        tallies(first.pred_opt().unwrap(), "chatgpt", 21),
        tallies(last.succ_opt().unwrap(), "chatgpt", 22),
        tallies(first, "chatgpt", 24),
    ];
    let all = [inside.to_vec(), outside.to_vec()].concat();
    change!(db, tx => tx.answers().save_tallies(ANN, SHOP, &all).await.unwrap());
    let keyword_ids = [21, 22, 23].map(KeywordId);
    let mut found =
        read!(db, r => r.keyword_months().tallies(ANN, SHOP, &keyword_ids, month()).await.unwrap());
    found.sort_by_key(|it| (it.day, it.engine.clone()));
    assert_eq!(found, inside);
    let theirs =
        read!(db, r => r.keyword_months().tallies(BOB, SHOP, &keyword_ids, month()).await.unwrap());
    assert!(theirs.is_empty());
}

async fn months_are_isolated_by_account(db: TestStorage) {
    at_work(&db).await;
    measured(&db, &[measurement(21, 1, 1, RankState::Ranked)]).await;
    assert_eq!(month_ranks(&db, ANN, month()).await.len(), 1);
    assert!(month_ranks(&db, BOB, month()).await.is_empty());
    let keyword_ids = [KeywordId(21)];
    read!(db, r => {
        let known = domain::keyword::Keyword { search_volume: Some(90), ..keyword(ANN, 25, "known") };
        change!(db, tx => tx.keywords().add(&[known]).await.unwrap());
        let none = r.keyword_months().search_volumes(ANN, SHOP, &keyword_ids).await.unwrap();
        assert!(none.is_empty(), "a volume that was not researched is unknown");
        let keyword_ids = [KeywordId(21), KeywordId(25)];
        let known = r.keyword_months().search_volumes(ANN, SHOP, &keyword_ids).await.unwrap();
        assert_eq!(known.into_iter().collect::<Vec<_>>(), [(KeywordId(25), 90)]);
        let theirs = r.keyword_months().search_volumes(BOB, SHOP, &keyword_ids).await.unwrap();
        assert!(theirs.is_empty());
    });
}
