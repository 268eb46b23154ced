//! Published results.

use super::examples::*;
use analysis::{document::Document, provenance::Provenance, result_type::ResultType};
use chrono::{DateTime, Utc};
use domain::{
    ids::{JobId, KeywordId, ProjectId},
    job::{Job, JobState},
    page::{Direction, PageRequest},
    results::{
        CARRIED_OVER_ORDINAL, CarriedKind, Coverage, Finding, FindingQuery, FindingSort,
        JournalEntry, ResultHead, StagedFinding,
    },
};
use harness::{databases::TestStorage, on_every_storage};

use Direction::{Ascending, Descending};

on_every_storage![
    unmeasured_records_are_carried_over_without_history,
    a_carried_document_is_read_and_replaced,
    publishing_makes_all_results_visible_at_once,
    records_copied_ahead_are_invisible_until_published,
    a_new_run_moves_the_heads_and_keeps_the_history,
    each_head_comes_with_its_first_records,
    records_of_a_run_are_paged_in_every_order,
    records_of_all_runs_are_paged_in_every_order,
    each_filter_selects_matching_records,
    several_projects_of_one_account_are_read_at_once,
    records_about_some_keywords_are_those_of_the_run,
];

pub fn head(job: i64, result_type: ResultType, items: u64) -> ResultHead {
    ResultHead {
        account: ANN,
        project: SHOP,
        result_type,
        job: JobId(job),
        generated_at: after(job) + tick(),
        measured_at: after(job),
        method_version: "rank/1".into(),
        provider: "search".into(),
        provenance: Provenance::Simulated,
        coverage: Coverage {
            requested: 4,
            measured: 2,
            failed: 1,
            skipped: 1,
        },
        item_count: items,
        summary: Document::from_stored("{\"visibility\":  0.10}".into()),
        warnings: vec!["depth-limited".into()],
    }
}

pub fn record(job: i64, ordinal: i64, value: Option<f64>) -> StagedFinding {
    StagedFinding {
        result_type: ResultType::Rankings,
        ordinal,
        keyword: Some(KeywordId(20 + ordinal)),
        url: Some(format!("https://shop.example.com/{ordinal}")),
        sort_value: value,
        measured_at: measured_at(job, ordinal),
        record: Document::from_stored(format!("{{\"job\":{job}, \"n\":{ordinal}}}")),
    }
}

/// Two records of each run are measured in the same moment.
fn measured_at(job: i64, ordinal: i64) -> DateTime<Utc> {
    after(100 * job + ordinal / 2)
}

/// Two runs (31, 32) of four records each: values 2.5, none, 0.1, none.
async fn two_runs(db: &TestStorage) {
    two_accounts_at_work(db).await;
    add_job(db, &job(ANN, 32)).await;
    for id in [31, 32] {
        let values = [Some(2.5), None, Some(0.1), None];
        let records: Vec<StagedFinding> = (0..)
            .zip(values)
            .map(|(ordinal, value)| record(id, ordinal, value))
            .collect();
        change!(db, tx => {
            tx.measurements().stage(ANN, JobId(id), &records).await.unwrap();
            let heads = [head(id, ResultType::Rankings, 4)];
            tx.results().publish(ANN, SHOP, JobId(id), &heads, &[]).await.unwrap();
            tx.jobs().save(&succeeded(id)).await.unwrap();
        });
    }
}

fn succeeded(id: i64) -> Job {
    Job {
        state: JobState::Succeeded,
        finished_at: Some(now()),
        ..job(ANN, id)
    }
}

pub fn query(job: Option<i64>, sort: FindingSort, direction: Direction) -> FindingQuery {
    FindingQuery {
        result_type: ResultType::Rankings,
        job: job.map(JobId),
        keyword: None,
        url: None,
        ordinal: None,
        from: None,
        to: None,
        page: PageRequest {
            sort,
            direction,
            after: None,
            limit: 3,
            counted: false,
            bytes: None,
        },
    }
}

async fn walked(db: &TestStorage, mut query: FindingQuery) -> Vec<(i64, i64)> {
    let mut rows = vec![];
    loop {
        let page = read!(db, r => r.results().findings(ANN, SHOP, &query).await.unwrap());
        rows.extend(page.items.iter().map(|it| (it.job.0, it.ordinal)));
        query.page.after = page.next;
        if query.page.after.is_none() {
            return rows;
        }
    }
}

async fn publishing_makes_all_results_visible_at_once(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let entry = JournalEntry {
        sequence: 1,
        body: vec![1],
    };
    change!(db, tx => {
        tx.measurements().stage(ANN, JobId(31), &[record(31, 0, Some(1.0))]).await.unwrap();
        tx.measurements().append_journal(ANN, JobId(31), &[entry]).await.unwrap();
    });
    let all = query(None, FindingSort::Ordinal, Ascending);
    read!(db, r => {
        assert_eq!(r.results().head(ANN, SHOP, ResultType::Rankings).await.unwrap(), None);
        assert_eq!(r.results().findings(ANN, SHOP, &all).await.unwrap().items, []);
    });
    let published = head(31, ResultType::Rankings, 1);
    change!(db, tx => {
        tx.results().publish(ANN, SHOP, JobId(31), std::slice::from_ref(&published), &[]).await.unwrap();
        tx.jobs().save(&succeeded(31)).await.unwrap();
    });
    read!(db, r => {
        assert_eq!(r.results().head(ANN, SHOP, ResultType::Rankings).await.unwrap(), Some(published));
        let found = r.results().findings(ANN, SHOP, &all).await.unwrap();
        let staged = record(31, 0, Some(1.0));
        let expected = Finding { job: JobId(31), ordinal: 0, sort_value: Some(1.0), measured_at: staged.measured_at, record: staged.record };
        assert_eq!((found.items, found.next), (vec![expected], None));
        assert!(r.measurements().staged(ANN, JobId(31), ResultType::Rankings, None, 9).await.unwrap().is_empty());
        assert!(r.measurements().read_journal(ANN, JobId(31), None, 9).await.unwrap().is_empty());
    });
}

async fn records_copied_ahead_are_invisible_until_published(db: TestStorage) {
    two_runs(&db).await;
    add_job(&db, &job(ANN, 33)).await;
    let records = [0, 1, 2, 3, 4].map(|ordinal| record(33, ordinal, None));
    let link = StagedFinding {
        result_type: ResultType::BrokenLinks,
        ..record(33, 9, None)
    };
    change!(db, tx => {
        tx.measurements().stage(ANN, JobId(33), &records).await.unwrap();
        tx.measurements().stage(ANN, JobId(33), &[link]).await.unwrap();
    });
    let run = (ResultType::Rankings, JobId(33));
    // Copying for another account copies nothing.
    change!(db, tx => {
        assert_eq!(tx.results().copy_staged(BOB, SHOP, run, None, 9).await.unwrap(), None);
    });
    let of_the_run = query(Some(33), FindingSort::Ordinal, Ascending);
    // An attempt that ends without results removes what it copied; the next one copies again.
    for _ in 0..2 {
        let mut after = None;
        for expected in [Some(1), Some(3), Some(4), None] {
            after = change!(db, tx => tx.results().copy_staged(ANN, SHOP, run, after, 2).await.unwrap());
            assert_eq!(after, expected);
        }
        let history = walked(&db, query(None, FindingSort::Ordinal, Ascending)).await;
        assert_eq!(history.len(), 8, "the history of two published runs");
        let head = read!(db, r => r.results().head(ANN, SHOP, ResultType::Rankings).await.unwrap());
        assert_eq!(head.map(|it| it.job), Some(JobId(32)));
        assert_eq!(walked(&db, of_the_run.clone()).await.len(), 5);
        change!(db, tx => {
            tx.results().discard_copied(BOB, SHOP, JobId(33)).await.unwrap();
        });
        assert_eq!(walked(&db, of_the_run.clone()).await.len(), 5);
        change!(db, tx => {
            tx.results().discard_copied(ANN, SHOP, JobId(33)).await.unwrap();
        });
        assert_eq!(walked(&db, of_the_run.clone()).await, []);
    }
    change!(db, tx => {
        let results = tx.results();
        assert_eq!(results.copy_staged(ANN, SHOP, run, None, 9).await.unwrap(), Some(4));
        let heads = [head(33, ResultType::Rankings, 5), head(33, ResultType::BrokenLinks, 1)];
        results.publish(ANN, SHOP, JobId(33), &heads, &[ResultType::Rankings]).await.unwrap();
        tx.jobs().save(&succeeded(33)).await.unwrap();
    });
    let history = walked(&db, query(None, FindingSort::Ordinal, Ascending)).await;
    assert_eq!(history.len(), 13);
    read!(db, r => {
        let heads = r.results().heads(ANN, SHOP, 9).await.unwrap();
        let records: Vec<usize> = heads.iter().map(|(_, records)| records.len()).collect();
        assert_eq!(records, [1, 5], "broken links were copied at the end");
        let left = r.measurements().staged(ANN, JobId(33), ResultType::Rankings, None, 9).await.unwrap();
        assert!(left.is_empty());
    });
}

async fn a_new_run_moves_the_heads_and_keeps_the_history(db: TestStorage) {
    two_runs(&db).await;
    let found = read!(db, r => r.results().head(ANN, SHOP, ResultType::Rankings).await.unwrap());
    assert_eq!(found, Some(head(32, ResultType::Rankings, 4)));
    assert_eq!(
        walked(&db, query(Some(31), FindingSort::Ordinal, Ascending))
            .await
            .len(),
        4
    );
    assert_eq!(
        walked(&db, query(None, FindingSort::Ordinal, Ascending))
            .await
            .len(),
        8
    );
}

async fn each_head_comes_with_its_first_records(db: TestStorage) {
    two_runs(&db).await;
    add_job(&db, &job(ANN, 33)).await;
    let links: Vec<StagedFinding> = [50, 7, 9]
        .map(|ordinal| StagedFinding {
            result_type: ResultType::BrokenLinks,
            ..record(33, ordinal, None)
        })
        .into();
    change!(db, tx => {
        tx.measurements().stage(ANN, JobId(33), &links).await.unwrap();
        let heads = [head(33, ResultType::BrokenLinks, 3), head(33, ResultType::Serp, 0)];
        tx.results().publish(ANN, SHOP, JobId(33), &heads, &[]).await.unwrap();
    });
    let summary = |it: &(ResultHead, Vec<Finding>)| {
        (
            it.0.result_type,
            it.1.iter()
                .map(|it| (it.job.0, it.ordinal))
                .collect::<Vec<_>>(),
        )
    };
    read!(db, r => {
        let mut heads: Vec<_> = r.results().heads(ANN, SHOP, 2).await.unwrap().iter().map(summary).collect();
        heads.sort();
        assert_eq!(heads, [
            (ResultType::Rankings, vec![(32, 0), (32, 1)]),
            (ResultType::Serp, vec![]),
            (ResultType::BrokenLinks, vec![(33, 7), (33, 9)]),
        ]);
        let bare = r.results().heads(ANN, SHOP, 0).await.unwrap();
        assert!(bare.len() == 3 && bare.iter().all(|it| it.1.is_empty()));
    });
}

async fn records_of_a_run_are_paged_in_every_order(db: TestStorage) {
    two_runs(&db).await;
    for (sort, direction, expected) in [
        (FindingSort::Ordinal, Ascending, [0, 1, 2, 3]),
        (FindingSort::Ordinal, Descending, [3, 2, 1, 0]),
        (FindingSort::Value, Ascending, [2, 0, 1, 3]),
        (FindingSort::Value, Descending, [0, 2, 3, 1]),
        (FindingSort::MeasuredAt, Ascending, [0, 1, 2, 3]),
        (FindingSort::MeasuredAt, Descending, [3, 2, 1, 0]),
    ] {
        let rows = walked(&db, query(Some(31), sort, direction)).await;
        assert_eq!(rows, expected.map(|it| (31, it)), "{sort:?} {direction:?}");
    }
}

async fn records_of_all_runs_are_paged_in_every_order(db: TestStorage) {
    two_runs(&db).await;
    for (sort, rising) in [
        (
            FindingSort::Ordinal,
            [
                (31, 0),
                (32, 0),
                (31, 1),
                (32, 1),
                (31, 2),
                (32, 2),
                (31, 3),
                (32, 3),
            ],
        ),
        (
            FindingSort::MeasuredAt,
            [
                (31, 0),
                (31, 1),
                (31, 2),
                (31, 3),
                (32, 0),
                (32, 1),
                (32, 2),
                (32, 3),
            ],
        ),
    ] {
        assert_eq!(
            walked(&db, query(None, sort, Ascending)).await,
            rising,
            "{sort:?}"
        );
        let falling: Vec<_> = rising.into_iter().rev().collect();
        assert_eq!(
            walked(&db, query(None, sort, Descending)).await,
            falling,
            "{sort:?}"
        );
    }
    let by_value = walked(&db, query(None, FindingSort::Value, Ascending)).await;
    assert_eq!(
        by_value,
        [
            (31, 2),
            (32, 2),
            (31, 0),
            (32, 0),
            (31, 1),
            (31, 3),
            (32, 1),
            (32, 3)
        ]
    );
    let by_value = walked(&db, query(None, FindingSort::Value, Descending)).await;
    assert_eq!(
        by_value,
        [
            (32, 0),
            (31, 0),
            (32, 2),
            (31, 2),
            (32, 3),
            (32, 1),
            (31, 3),
            (31, 1)
        ]
    );
}

async fn each_filter_selects_matching_records(db: TestStorage) {
    two_runs(&db).await;
    let any = || query(None, FindingSort::MeasuredAt, Ascending);
    for (query, expected) in [
        (
            FindingQuery {
                keyword: Some(KeywordId(21)),
                ..any()
            },
            vec![(31, 1), (32, 1)],
        ),
        (
            FindingQuery {
                url: Some("https://shop.example.com/2".into()),
                ..any()
            },
            vec![(31, 2), (32, 2)],
        ),
        (
            FindingQuery {
                url: Some("https://shop.example.com/".into()),
                ..any()
            },
            vec![],
        ),
        (
            FindingQuery {
                ordinal: Some(2),
                ..any()
            },
            vec![(31, 2), (32, 2)],
        ),
        (
            FindingQuery {
                from: Some(measured_at(32, 2)),
                ..any()
            },
            vec![(32, 2), (32, 3)],
        ),
        (
            FindingQuery {
                to: Some(measured_at(31, 2)),
                ..any()
            },
            vec![(31, 0), (31, 1)],
        ),
        (
            FindingQuery {
                job: Some(JobId(32)),
                keyword: Some(KeywordId(23)),
                ..any()
            },
            vec![(32, 3)],
        ),
        (
            FindingQuery {
                result_type: ResultType::Serp,
                ..any()
            },
            vec![],
        ),
    ] {
        assert_eq!(walked(&db, query.clone()).await, expected, "{query:?}");
    }
}

async fn a_carried_document_is_read_and_replaced(db: TestStorage) {
    two_runs(&db).await;
    let left = |text: &str| Document::from_stored(text.to_owned());
    for text in ["{\"run\":1}", "{\"run\":2}"] {
        change!(db, tx => tx.results().save_carried_over(ANN, SHOP, CarriedKind::LinkHistory, &left(text)).await.unwrap());
    }
    read!(db, r => {
        let carried = r.results().carried_over(ANN, SHOP, CarriedKind::LinkHistory).await.unwrap();
        assert_eq!(carried, Some(left("{\"run\":2}")));
        assert_eq!(r.results().carried_over(ANN, SHOP, CarriedKind::PageHistory).await.unwrap(), None);
        assert_eq!(r.results().carried_over(BOB, SHOP, CarriedKind::LinkHistory).await.unwrap(), None);
    });
}

/// The keywords of the records in a run, or in the history.
async fn keywords_of(db: &TestStorage, job: Option<i64>) -> Vec<i64> {
    let rows = walked(db, query(job, FindingSort::Ordinal, Ascending)).await;
    let keyword = |(_, ordinal): (i64, i64)| {
        if ordinal >= CARRIED_OVER_ORDINAL {
            ordinal - CARRIED_OVER_ORDINAL
        } else {
            20 + ordinal
        }
    };
    rows.into_iter().map(keyword).collect()
}

async fn unmeasured_records_are_carried_over_without_history(db: TestStorage) {
    two_runs(&db).await;
    // Of the four keywords of the newest run, 20 does not exist any more.
    change!(db, tx => tx.keywords().add(&[keyword(ANN, 22, "b"), keyword(ANN, 23, "c")]).await.unwrap());
    for (id, measures, carries) in [(33, 21, [22, 23]), (34, 22, [21, 23])] {
        add_job(&db, &job(ANN, id)).await;
        let own = [record(id, measures - 20, Some(1.0))];
        change!(db, tx => tx.measurements().stage(ANN, JobId(id), &own).await.unwrap());
        for expected in [2, 0] {
            let carried = change!(db, tx => tx
                .measurements()
                .stage_carried_over(ANN, SHOP, JobId(id), ResultType::Rankings)
                .await
                .unwrap());
            assert_eq!(carried, expected);
        }
        let measured = read!(db, r => r
            .measurements()
            .staged_keywords(ANN, JobId(id), ResultType::Rankings)
            .await
            .unwrap());
        assert_eq!(measured, [KeywordId(measures)]);
        let heads = [head(id, ResultType::Rankings, 3)];
        change!(db, tx => {
            tx.results().publish(ANN, SHOP, JobId(id), &heads, &[]).await.unwrap();
            tx.jobs().save(&succeeded(id)).await.unwrap();
        });
        let all = [vec![measures], carries.to_vec()].concat();
        assert_eq!(keywords_of(&db, Some(id)).await, all);
    }
    let history = keywords_of(&db, None).await;
    assert_eq!(history.len(), 4 + 4 + 1 + 1, "{history:?}");
}

async fn several_projects_of_one_account_are_read_at_once(db: TestStorage) {
    two_runs(&db).await;
    let left = Document::from_stored("{}".into());
    change!(db, tx => {
        tx.results().save_carried_over(ANN, SHOP, CarriedKind::ProjectSeries, &left).await.unwrap();
    });
    let projects = [SHOP, ProjectId(999)];
    read!(db, r => {
        let both = &[ResultType::Rankings, ResultType::Serp];
        let found = r.results().heads_for_projects(ANN, &projects, both).await.unwrap();
        assert_eq!(found, [head(32, ResultType::Rankings, 4)]);
        let other = r.results().heads_for_projects(ANN, &projects, &[ResultType::Serp]).await.unwrap();
        assert_eq!(other, []);
        assert_eq!(r.results().heads_for_projects(ANN, &[], both).await.unwrap(), []);
        assert_eq!(r.results().heads_for_projects(BOB, &projects, both).await.unwrap(), []);
        let carried = r.results().carried_over_for_projects(ANN, &projects, CarriedKind::ProjectSeries).await.unwrap();
        assert_eq!(carried, [(SHOP, left.clone())]);
        let others = r.results().carried_over_for_projects(BOB, &projects, CarriedKind::ProjectSeries).await.unwrap();
        assert_eq!(others, []);
    });
}

async fn records_about_some_keywords_are_those_of_the_run(db: TestStorage) {
    two_runs(&db).await;
    let keywords = [KeywordId(20), KeywordId(23), KeywordId(999)];
    read!(db, r => {
        let run = (ResultType::Rankings, JobId(31));
        let found = r.results().find_by_keywords(ANN, SHOP, run, &keywords).await.unwrap();
        let mut found: Vec<(i64, i64)> = found.iter().map(|it| (it.job.0, it.ordinal)).collect();
        found.sort_unstable();
        assert_eq!(found, [(31, 0), (31, 3)]);
        let others = r.results().find_by_keywords(BOB, SHOP, run, &keywords).await.unwrap();
        assert_eq!(others, []);
    });
}
