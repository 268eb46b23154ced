//! Paging: each row that stays is seen exactly once, in a total order, on both databases alike.

use super::examples::*;
use analysis::findings::rankings::RankState;
use domain::{
    keyword::{Keyword, LatestRank},
    page::{Direction, PageCursor, PageRequest, SortValue},
    ports::{
        jobs::{JobFilter, JobSort},
        keywords::{KeywordFilter, KeywordSort},
        projects::{ProjectFilter, ProjectSort},
        storage::StorageError,
    },
    project::{Priority, Project},
    text::Label,
};
use harness::{databases::TestStorage, on_every_storage};

use Direction::{Ascending, Descending};

on_every_storage![
    projects_are_paged_in_every_order,
    keywords_are_paged_in_every_order,
    jobs_are_paged_by_age,
    rows_added_between_pages_cause_no_gap_or_repeat,
    a_position_of_another_order_is_an_error,
    a_page_ends_at_its_byte_budget,
];

async fn walked_projects(db: &TestStorage, sort: ProjectSort, direction: Direction) -> Vec<i64> {
    let mut request = PageRequest {
        sort,
        direction,
        after: None,
        limit: 2,
        counted: false,
        bytes: None,
    };
    let mut ids = vec![];
    loop {
        let page = read!(db, r => r.projects().list(ANN, &ProjectFilter::default(), &request).await.unwrap());
        ids.extend(page.items.iter().map(|it| it.id.0));
        assert!(page.items.len() <= 2);
        request.after = page.next;
        if request.after.is_none() {
            return ids;
        }
    }
}

async fn projects_are_paged_in_every_order(db: TestStorage) {
    two_accounts(&db).await;
    let named = |id, name, priority, analysed: Option<i64>| Project {
        name: Label::parse(name).unwrap(),
        meta: domain::project::ProjectMeta {
            priority,
            ..Default::default()
        },
        last_analysis_at: analysed.map(after),
        ..project(ANN, id)
    };
    change!(db, tx => for it in [
        named(12, "b", Priority::High, None),
        named(13, "Álva", Priority::Low, Some(5)),
        named(14, "B", Priority::High, Some(9)),
        named(15, "Zoo", Priority::Low, None),
        named(16, "_a", Priority::Critical, Some(5)),
    ] {
        tx.projects().add(&it).await.unwrap();
    });
    // 11 is "Shop", normal, not analyzed; all were created at the same time.
    for (sort, rising) in [
        (ProjectSort::CreatedAt, [11, 12, 13, 14, 15, 16]),
        (ProjectSort::Name, [16, 12, 14, 11, 15, 13]),
        (ProjectSort::Domain, [11, 12, 13, 14, 15, 16]),
        (ProjectSort::Priority, [13, 15, 11, 12, 14, 16]),
    ] {
        assert_eq!(
            walked_projects(&db, sort, Ascending).await,
            rising,
            "{sort:?}"
        );
        let falling: Vec<i64> = rising.into_iter().rev().collect();
        assert_eq!(
            walked_projects(&db, sort, Descending).await,
            falling,
            "{sort:?}"
        );
    }
    let sort = ProjectSort::LastAnalysisAt;
    assert_eq!(
        walked_projects(&db, sort, Ascending).await,
        [13, 16, 14, 11, 12, 15]
    );
    assert_eq!(
        walked_projects(&db, sort, Descending).await,
        [14, 16, 13, 15, 12, 11]
    );
}

async fn keywords_are_paged_in_every_order(db: TestStorage) {
    two_accounts(&db).await;
    let at = |id, text, position: Option<u32>| Keyword {
        latest: position.map(|position| LatestRank {
            position: Some(position),
            url: None,
            measured_at: now(),
            state: RankState::Ranked,
        }),
        ..keyword(ANN, id, text)
    };
    change!(db, tx => tx.keywords().add(&[
        at(1, "b", Some(3)),
        at(2, "ä", None),
        at(3, "A", Some(3)),
        at(4, "z", Some(1)),
        at(5, "鯨", None),
    ]).await.unwrap());
    for (sort, direction, expected) in [
        (KeywordSort::Text, Ascending, [3, 1, 4, 2, 5]),
        (KeywordSort::Text, Descending, [5, 2, 4, 1, 3]),
        (KeywordSort::Position, Ascending, [4, 1, 3, 2, 5]),
        (KeywordSort::Position, Descending, [3, 1, 4, 5, 2]),
        (KeywordSort::CreatedAt, Descending, [5, 4, 3, 2, 1]),
    ] {
        let mut request = PageRequest {
            sort,
            direction,
            after: None,
            limit: 1,
            counted: false,
            bytes: None,
        };
        let mut ids = vec![];
        for _ in 0..5 {
            let page = read!(db, r => r.keywords().list(ANN, SHOP, &KeywordFilter::default(), &request).await.unwrap());
            ids.push(page.items[0].id.0);
            request.after = page.next;
        }
        assert_eq!(
            (ids.as_slice(), request.after),
            (expected.as_slice(), None),
            "{sort:?} {direction:?}"
        );
    }
}

async fn jobs_are_paged_by_age(db: TestStorage) {
    two_accounts(&db).await;
    for id in 1..=5 {
        add_job(
            &db,
            &domain::job::Job {
                created_at: after(id / 2),
                ..job(ANN, id)
            },
        )
        .await;
    }
    let mut request = PageRequest {
        sort: JobSort::CreatedAt,
        direction: Descending,
        after: None,
        limit: 2,
        counted: false,
        bytes: None,
    };
    let mut ids = vec![];
    loop {
        let page =
            read!(db, r => r.jobs().list(ANN, &JobFilter::default(), &request).await.unwrap());
        ids.extend(page.items.iter().map(|it| it.id.0));
        request.after = page.next;
        if request.after.is_none() {
            break;
        }
    }
    assert_eq!(ids, [5, 4, 3, 2, 1]);
}

async fn rows_added_between_pages_cause_no_gap_or_repeat(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.keywords().add(&[keyword(ANN, 10, "b"), keyword(ANN, 20, "d"), keyword(ANN, 30, "f")]).await.unwrap());
    let mut request = PageRequest {
        sort: KeywordSort::Text,
        direction: Ascending,
        after: None,
        limit: 2,
        counted: false,
        bytes: None,
    };
    let first = read!(db, r => r.keywords().list(ANN, SHOP, &KeywordFilter::default(), &request).await.unwrap());
    change!(db, tx => tx.keywords().add(&[keyword(ANN, 11, "a"), keyword(ANN, 12, "c"), keyword(ANN, 13, "e")]).await.unwrap());
    request.after = first.next;
    let second = read!(db, r => r.keywords().list(ANN, SHOP, &KeywordFilter::default(), &request).await.unwrap());
    let ids = |items: &[Keyword]| items.iter().map(|it| it.id.0).collect::<Vec<_>>();
    assert_eq!(
        (ids(&first.items), ids(&second.items)),
        (vec![10, 20], vec![13, 30])
    );
    assert_eq!(second.next, None);
}

async fn a_position_of_another_order_is_an_error(db: TestStorage) {
    two_accounts(&db).await;
    let wrong = PageCursor {
        value: SortValue::Text("x".into()),
        id: 1,
    };
    let request = PageRequest {
        sort: ProjectSort::Priority,
        direction: Ascending,
        after: Some(wrong),
        limit: 2,
        counted: false,
        bytes: None,
    };
    let mut reader = db.storage.read().await.unwrap();
    let outcome = reader
        .projects()
        .list(ANN, &ProjectFilter::default(), &request)
        .await;
    assert!(matches!(outcome, Err(StorageError::Unavailable(_))));
}

async fn a_page_ends_at_its_byte_budget(db: TestStorage) {
    two_accounts(&db).await;
    let texts = ["a", "b", &"c".repeat(90), "d", "e"];
    let added: Vec<Keyword> = { (1..).zip(texts) }
        .map(|(id, text)| keyword(ANN, id, text))
        .collect();
    change!(db, tx => tx.keywords().add(&added).await.unwrap());
    let walked = async |limit, bytes| {
        let mut request = PageRequest {
            sort: KeywordSort::CreatedAt,
            direction: Ascending,
            after: None,
            limit,
            counted: true,
            bytes: Some(bytes),
        };
        let mut pages = vec![];
        loop {
            let page = read!(db, r => r.keywords().list(ANN, SHOP, &KeywordFilter::default(), &request).await.unwrap());
            assert_eq!(
                page.total.map(|it| it.rows),
                Some(5),
                "all of them are counted"
            );
            pages.push(page.items.iter().map(|it| it.id.0).collect::<Vec<_>>());
            request.after = page.next;
            if request.after.is_none() {
                return pages;
            }
        }
    };
    // A row that is larger than a page is a separate page.
    assert_eq!(walked(10, 60).await, [vec![1, 2], vec![3], vec![4, 5]]);
    assert_eq!(walked(1, 60).await, [[1], [2], [3], [4], [5]]);
    assert_eq!(walked(10, 1).await, [[1], [2], [3], [4], [5]]);
    assert_eq!(walked(5, 1_000).await, [[1, 2, 3, 4, 5]]);
}
