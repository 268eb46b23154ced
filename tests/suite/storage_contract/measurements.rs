//! Measurements, staged records and journals.

use super::examples::*;
use analysis::{
    document::Document,
    findings::rankings::{BestPosition, RankPoint, RankState},
    observation::search_page::FeatureCoverage,
    provenance::Provenance,
    result_type::ResultType,
};
use chrono::{NaiveDate, TimeDelta};
use domain::{
    ids::{JobId, KeywordId},
    job::Job,
    results::{AsOf, JournalEntry, KeywordMeasurement, PreviousSerp, SearchSource, StagedFinding},
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    a_history_covers_37_days_and_the_point_before,
    a_history_excludes_the_current_job,
    a_failed_measurement_does_not_hide_the_last_good_one,
    a_job_measures_a_keyword_once,
    an_older_page_never_replaces_a_newer_one,
    staging_the_same_ordinal_replaces_the_record,
    the_last_of_equal_ordinals_in_one_call_counts,
    staged_records_are_paged_in_order,
    a_journal_is_paged_in_order,
    discarding_affects_one_job_only,
];

/// The only search source of these tests.
pub fn google() -> SearchSource {
    SearchSource {
        engine: "google".into(),
        provenance: Provenance::Measured,
    }
}

pub fn as_of(day: NaiveDate, job: JobId) -> AsOf {
    AsOf {
        day,
        job,
        source: google(),
    }
}

pub fn point(days_before: i64, state: RankState) -> RankPoint {
    let position = (state == RankState::Ranked).then_some(u32::try_from(days_before + 1).unwrap());
    RankPoint {
        measured_at: now() - TimeDelta::days(days_before) + tick(),
        state,
        position,
        absolute_position: position.map(|it| it + 2),
        depth_checked: 100,
        url: position.map(|_| "https://shop.example.com/ž".into()),
    }
}

pub fn serp(text: &str) -> PreviousSerp {
    PreviousSerp {
        urls: vec![text.into()],
        features: vec![],
        feature_coverage: FeatureCoverage::Partial,
    }
}

pub fn measurement(
    keyword: i64,
    job: i64,
    days_before: u32,
    state: RankState,
) -> KeywordMeasurement {
    let point = point(days_before.into(), state);
    KeywordMeasurement {
        keyword: KeywordId(keyword),
        job: JobId(job),
        day: day(days_before.into()),
        source: google(),
        own: vec![],
        best: Some(BestPosition {
            position: days_before + 1,
            at: point.measured_at,
        }),
        worst: Some(100 + days_before),
        serp: (state != RankState::Error).then(|| serp(&format!("{job}"))),
        point,
    }
}

pub async fn measured(db: &TestStorage, measurements: &[KeywordMeasurement]) {
    change!(db, tx => tx.measurements().add(ANN, SHOP, measurements).await.unwrap());
}

pub async fn at_work(db: &TestStorage) {
    two_accounts_at_work(db).await;
    change!(db, tx => tx.keywords().add(&[keyword(ANN, 22, "b"), keyword(ANN, 23, "c")]).await.unwrap());
}

async fn a_history_covers_37_days_and_the_point_before(db: TestStorage) {
    use RankState::{Error, NotRanked, Ranked};
    at_work(&db).await;
    measured(
        &db,
        &[
            measurement(21, 1, 38, Ranked),
            measurement(21, 2, 37, Ranked),
            measurement(21, 3, 1, NotRanked),
            measurement(22, 1, 50, Ranked),
            measurement(22, 2, 39, Ranked),
            measurement(22, 3, 38, Error),
        ],
    )
    .await;
    let keyword_ids = [23, 22, 21].map(KeywordId);
    let histories = read!(db, r => r.measurements().histories(ANN, SHOP, &keyword_ids, &as_of(day(0), JobId(9))).await.unwrap());
    assert_eq!(histories.len(), 3);
    assert!(histories[0].points.is_empty() && histories[0].serp.is_none());
    assert_eq!(histories[1].points, [point(39, Ranked)]);
    assert_eq!(histories[1].best.unwrap().position, 40);
    assert_eq!(histories[1].worst, Some(139));
    assert_eq!(histories[1].serp, Some(serp("2")));
    assert_eq!(
        histories[2].points,
        [point(1, NotRanked), point(37, Ranked)]
    );
    let best = BestPosition {
        position: 2,
        at: point(1, NotRanked).measured_at,
    };
    assert_eq!(
        (histories[2].best, histories[2].worst),
        (Some(best), Some(101))
    );
    assert_eq!(histories[2].serp, Some(serp("3")));
}

async fn a_history_excludes_the_current_job(db: TestStorage) {
    at_work(&db).await;
    measured(
        &db,
        &[
            measurement(21, 1, 2, RankState::Ranked),
            measurement(21, 2, 0, RankState::Ranked),
        ],
    )
    .await;
    let keyword_ids = [KeywordId(21)];
    read!(db, r => {
        let own = r.measurements().histories(ANN, SHOP, &keyword_ids, &as_of(day(0), JobId(2))).await.unwrap();
        assert_eq!(own[0].points, [point(2, RankState::Ranked)]);
        assert_eq!(own[0].serp, None);
        let others = r.measurements().histories(ANN, SHOP, &keyword_ids, &as_of(day(0), JobId(3))).await.unwrap();
        assert_eq!(others[0].points.len(), 2);
        let earlier = r.measurements().histories(ANN, SHOP, &keyword_ids, &as_of(day(1), JobId(3))).await.unwrap();
        assert_eq!(earlier[0].points, [point(2, RankState::Ranked)]);
    });
}

async fn a_failed_measurement_does_not_hide_the_last_good_one(db: TestStorage) {
    at_work(&db).await;
    measured(
        &db,
        &[
            measurement(21, 1, 60, RankState::Ranked),
            measurement(21, 2, 3, RankState::Error),
        ],
    )
    .await;
    let history = read!(db, r => r.measurements().histories(ANN, SHOP, &[KeywordId(21)], &as_of(day(0), JobId(9))).await.unwrap());
    assert_eq!(
        history[0].points,
        [point(3, RankState::Error), point(60, RankState::Ranked)]
    );
    assert_eq!(history[0].serp, Some(serp("1")));
}

async fn a_job_measures_a_keyword_once(db: TestStorage) {
    at_work(&db).await;
    measured(&db, &[measurement(21, 1, 0, RankState::Ranked)]).await;
    let mut again = measurement(21, 1, 0, RankState::NotRanked);
    again.serp = Some(serp("again"));
    again.point.measured_at += TimeDelta::seconds(5);
    measured(&db, &[again, measurement(22, 1, 0, RankState::Ranked)]).await;
    read!(db, r => {
        let counts = r.measurements().counts(ANN, SHOP, JobId(1)).await.unwrap();
        assert_eq!(counts, [(KeywordId(21), 1), (KeywordId(22), 1)]);
        let history = r.measurements().histories(ANN, SHOP, &[KeywordId(21)], &as_of(day(0), JobId(9))).await.unwrap();
        assert_eq!(history[0].points, [point(0, RankState::Ranked)]);
        assert_eq!(history[0].serp, Some(serp("1")));
    });
}

async fn an_older_page_never_replaces_a_newer_one(db: TestStorage) {
    at_work(&db).await;
    measured(
        &db,
        &[
            measurement(21, 2, 1, RankState::Ranked),
            measurement(22, 2, 1, RankState::Ranked),
        ],
    )
    .await;
    measured(
        &db,
        &[
            measurement(21, 1, 5, RankState::Ranked),
            measurement(22, 3, 0, RankState::Error),
        ],
    )
    .await;
    let keyword_ids = [21, 22].map(KeywordId);
    let histories = read!(db, r => r.measurements().histories(ANN, SHOP, &keyword_ids, &as_of(day(0), JobId(9))).await.unwrap());
    assert_eq!(
        (&histories[0].serp, &histories[1].serp),
        (&Some(serp("2")), &Some(serp("2")))
    );
}

fn staged(ordinal: i64, result_type: ResultType, keyword: Option<i64>) -> StagedFinding {
    StagedFinding {
        result_type,
        ordinal,
        keyword: keyword.map(KeywordId),
        url: None,
        sort_value: Some(1.5),
        measured_at: now() + tick(),
        record: Document::from_stored(format!("{{\"n\": {ordinal},  \"ž\":1.0}}")),
    }
}

async fn staging_the_same_ordinal_replaces_the_record(db: TestStorage) {
    at_work(&db).await;
    let changed = StagedFinding {
        sort_value: None,
        url: Some("https://a/".into()),
        ..staged(1, ResultType::Rankings, Some(22))
    };
    change!(db, tx => tx.measurements().stage(ANN, JobId(31), &[staged(1, ResultType::Rankings, Some(21)), staged(1, ResultType::Serp, None)]).await.unwrap());
    change!(db, tx => tx.measurements().stage(ANN, JobId(31), std::slice::from_ref(&changed)).await.unwrap());
    read!(db, r => {
        let found = r.measurements().staged(ANN, JobId(31), ResultType::Rankings, None, 10).await.unwrap();
        assert_eq!(found, [changed]);
        let found = r.measurements().staged(ANN, JobId(31), ResultType::Serp, None, 10).await.unwrap();
        assert_eq!(found, [staged(1, ResultType::Serp, None)]);
        let keywords = r.measurements().staged_keywords(ANN, JobId(31), ResultType::Rankings).await.unwrap();
        assert_eq!(keywords, [KeywordId(22)]);
        let keywords = r.measurements().staged_keywords(ANN, JobId(31), ResultType::Serp).await.unwrap();
        assert_eq!(keywords, []);
    });
}

async fn the_last_of_equal_ordinals_in_one_call_counts(db: TestStorage) {
    at_work(&db).await;
    let twice = [
        staged(1, ResultType::Serp, Some(21)),
        staged(1, ResultType::Serp, Some(22)),
    ];
    change!(db, tx => tx.measurements().stage(ANN, JobId(31), &twice).await.unwrap());
    let found = read!(db, r => r.measurements().staged(ANN, JobId(31), ResultType::Serp, None, 9).await.unwrap());
    assert_eq!(found, [twice[1].clone()]);
}

async fn staged_records_are_paged_in_order(db: TestStorage) {
    at_work(&db).await;
    let many: Vec<StagedFinding> = [7, 2, 5]
        .map(|it| staged(it, ResultType::Serp, None))
        .into();
    change!(db, tx => tx.measurements().stage(ANN, JobId(31), &many).await.unwrap());
    read!(db, r => {
        let first = r.measurements().staged(ANN, JobId(31), ResultType::Serp, None, 2).await.unwrap();
        assert_eq!(first.iter().map(|it| it.ordinal).collect::<Vec<_>>(), [2, 5]);
        let rest = r.measurements().staged(ANN, JobId(31), ResultType::Serp, Some(5), 2).await.unwrap();
        assert_eq!(rest, [many[0].clone()]);
    });
}

fn entry(sequence: i64) -> JournalEntry {
    JournalEntry {
        sequence,
        body: vec![0, 255, u8::try_from(sequence).unwrap()],
    }
}

async fn a_journal_is_paged_in_order(db: TestStorage) {
    at_work(&db).await;
    change!(db, tx => tx.measurements().append_journal(ANN, JobId(31), &[3, 1, 2].map(entry)).await.unwrap());
    read!(db, r => {
        let first = r.measurements().read_journal(ANN, JobId(31), None, 2).await.unwrap();
        assert_eq!(first, [entry(1), entry(2)]);
        let rest = r.measurements().read_journal(ANN, JobId(31), Some(2), 2).await.unwrap();
        assert_eq!(rest, [entry(3)]);
    });
}

async fn discarding_affects_one_job_only(db: TestStorage) {
    at_work(&db).await;
    add_job(
        &db,
        &Job {
            id: JobId(32),
            ..job(ANN, 32)
        },
    )
    .await;
    change!(db, tx => for id in [31, 32].map(JobId) {
        tx.measurements().append_journal(ANN, id, &[entry(1)]).await.unwrap();
        tx.measurements().stage(ANN, id, &[staged(1, ResultType::Serp, None)]).await.unwrap();
    });
    change!(db, tx => tx.measurements().discard(ANN, JobId(31)).await.unwrap());
    read!(db, r => for (id, left) in [(31, 0), (32, 1)] {
        let recorded = r.measurements().read_journal(ANN, JobId(id), None, 9).await.unwrap();
        let staged = r.measurements().staged(ANN, JobId(id), ResultType::Serp, None, 9).await.unwrap();
        assert_eq!((recorded.len(), staged.len()), (left, left), "{id}");
    });
}
