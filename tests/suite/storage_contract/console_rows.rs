//! Rows of Search Console.

use super::examples::*;
use analysis::ctr::PositionClicks;
use domain::{
    ids::{ConsoleSpanId, ProjectId},
    page::{Direction, PageRequest},
    search_console::{
        ConsoleCountry, ConsoleDevice, DimensionSet, ImportInfo, Origin, RowSet, RowSubject,
        RowSum, SearchRow, Span, StoredSpan,
    },
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    rows_are_summed_over_imports,
    an_import_of_the_same_days_replaces_the_old_one,
    many_rows_are_stored_in_batches,
    rows_with_most_impressions_come_first,
    sums_are_paged_without_duplicates,
    clicks_of_pages_are_summed_by_day,
    old_imports_are_deleted_in_batches,
    rows_are_isolated_by_account,
];

const MARKET: DimensionSet = DimensionSet::by_market(RowSubject::QueryAndPage);

fn row(query: &str, page: &str, clicks: u64, impressions: u64, position: f64) -> SearchRow {
    SearchRow {
        query: Some(query.to_owned()),
        page: Some(format!("https://shop11.example.com/{page}")),
        country: ConsoleCountry::parse("us"),
        device: Some(ConsoleDevice::Desktop),
        clicks,
        impressions,
        position: Some(position),
    }
}

fn of_day(before: u64, rows: Vec<SearchRow>) -> RowSet {
    RowSet {
        dimensions: MARKET,
        span: Span::day(day(before)),
        rows,
    }
}

fn import_info(origin: Origin) -> ImportInfo {
    ImportInfo {
        origin,
        label: "sc-domain:example.com".to_owned(),
        at: now(),
    }
}

/// Stores these under ids from `first` on; returns how many rows they replace.
async fn store(db: &TestStorage, first: i64, sets: Vec<RowSet>) -> u64 {
    let ids: Vec<ConsoleSpanId> = (first..).map(ConsoleSpanId).take(sets.len()).collect();
    change!(db, tx => tx.console_rows().replace(ANN, SHOP, &ids, &sets, &import_info(Origin::Api)).await.unwrap())
}

async fn spans(db: &TestStorage) -> Vec<StoredSpan> {
    read!(db, r => r.console_rows().spans(ANN, SHOP, day(400)).await.unwrap())
}

fn ids(spans: &[StoredSpan]) -> Vec<ConsoleSpanId> {
    spans.iter().map(|it| it.id).collect()
}

async fn rows_are_summed_over_imports(db: TestStorage) {
    two_accounts(&db).await;
    let sets = vec![
        of_day(
            3,
            vec![
                row("Rust SEO", "a", 3, 10, 2.0),
                row("rust seo", "b", 0, 10, 8.4),
            ],
        ),
        of_day(
            2,
            vec![
                row("Rust SEO", "a", 1, 30, 4.0),
                row("other", "a", 5, 9, 1.2),
            ],
        ),
        of_day(1, vec![row("rust seo", "a", 100, 100, 1.0)]),
    ];
    assert_eq!(store(&db, 100, sets).await, 0);
    let stored = spans(&db).await;
    assert_eq!(
        stored[0],
        StoredSpan {
            id: ConsoleSpanId(100),
            dimensions: MARKET,
            span: Span::day(day(3)),
            rows: 2,
            origin: Origin::Api,
            label: "sc-domain:example.com".to_owned(),
            imported_at: now(),
        }
    );
    // The newest day is left out: only named spans are summed up.
    let two = &ids(&stored)[..2];
    let texts = ["rust seo".to_owned(), "nothing".to_owned()];
    let mut sums =
        read!(db, r => r.console_rows().sums_for_queries(ANN, two, &texts).await.unwrap());
    sums.sort_by_key(|it| it.page.clone());
    let sum = |query: &str, page: &str, clicks, impressions, weighted_position| RowSum {
        query: Some(query.to_owned()),
        page: Some(format!("https://shop11.example.com/{page}")),
        country: ConsoleCountry::parse("usa"),
        device: Some(ConsoleDevice::Desktop),
        clicks,
        impressions,
        weighted_position,
    };
    assert_eq!(
        sums,
        [
            sum("Rust SEO", "a", 4, 40, 140.0),
            sum("rust seo", "b", 0, 10, 84.0)
        ]
    );
    assert_eq!(sums[0].position(), Some(3.5));
    let places = read!(db, r => r.console_rows().by_position(ANN, two).await.unwrap());
    let place = |position, impressions, clicks| PositionClicks {
        position,
        impressions,
        clicks,
    };
    assert_eq!(
        places,
        [
            place(1, 9, 5),
            place(2, 10, 3),
            place(4, 30, 1),
            place(8, 10, 0)
        ]
    );
    let none = read!(db, r => r.console_rows().by_position(ANN, &[]).await.unwrap());
    assert!(none.is_empty());
}

async fn an_import_of_the_same_days_replaces_the_old_one(db: TestStorage) {
    two_accounts(&db).await;
    let period = |cut, rows| RowSet {
        dimensions: cut,
        span: Span::between(day(30), day(3)).unwrap(),
        rows,
    };
    let query = |text: &str| SearchRow {
        page: None,
        country: None,
        device: None,
        ..row(text, "", 1, 10, 3.0)
    };
    let queries = DimensionSet::aggregated(RowSubject::Query);
    let first = vec![
        period(queries, vec![query("a"), query("b")]),
        of_day(3, vec![row("a", "a", 1, 1, 1.0)]),
        of_day(2, vec![row("a", "a", 2, 2, 1.0)]),
    ];
    assert_eq!(store(&db, 100, first).await, 0);
    // Another cut or other days are something else.
    let again = vec![
        period(queries, vec![query("c")]),
        of_day(3, vec![row("a", "a", 7, 9, 1.0)]),
        RowSet {
            span: Span::between(day(30), day(2)).unwrap(),
            ..period(queries, vec![query("d")])
        },
    ];
    assert_eq!(store(&db, 200, again).await, 3);
    let stored = spans(&db).await;
    let kept: Vec<(i64, u64)> = stored.iter().map(|it| (it.id.0, it.rows)).collect();
    assert_eq!(kept.len(), 4);
    for one in [(200, 1), (201, 1), (202, 1), (102, 1)] {
        assert!(kept.contains(&one), "{one:?} in {kept:?}");
    }
    let texts = ["a".to_owned()];
    let days = ids(&stored);
    let sums = read!(db, r => r.console_rows().sums_for_queries(ANN, &days, &texts).await.unwrap());
    let clicks: u64 = sums.iter().map(|it| it.clicks).sum();
    assert_eq!(clicks, 9, "7 in the place of 1, and 2");
}

async fn many_rows_are_stored_in_batches(db: TestStorage) {
    two_accounts(&db).await;
    let many = (0..12_345).map(|n| row(&format!("query {n}"), "a", n % 3, 10 + n % 7, 5.0));
    assert_eq!(store(&db, 100, vec![of_day(2, many.collect())]).await, 0);
    let stored = spans(&db).await;
    assert_eq!(stored[0].rows, 12_345);
    let texts: Vec<String> = (0..2_500).map(|n| format!("query {n}")).collect();
    let of = ids(&stored);
    let sums = read!(db, r => r.console_rows().sums_for_queries(ANN, &of, &texts).await.unwrap());
    assert_eq!(sums.len(), 2_500);
    assert_eq!(store(&db, 200, vec![of_day(2, vec![])]).await, 12_345);
    assert_eq!(spans(&db).await[0].rows, 0);
}

async fn rows_with_most_impressions_come_first(db: TestStorage) {
    two_accounts(&db).await;
    let mobile = SearchRow {
        device: Some(ConsoleDevice::Mobile),
        ..row("b", "a", 1, 60, 5.0)
    };
    let sets = vec![
        of_day(
            3,
            vec![
                row("a", "a", 1, 100, 2.0),
                row("b", "a", 1, 50, 3.0),
                mobile,
            ],
        ),
        of_day(2, vec![row("c", "a", 0, 70, 2.0)]),
    ];
    store(&db, 100, sets).await;
    let of = ids(&spans(&db).await);
    let top = read!(db, r => r.console_rows().top_by_impressions(ANN, &of, 2).await.unwrap());
    let fields: Vec<_> = top
        .iter()
        .map(|it| {
            (
                it.query.as_deref().unwrap(),
                it.clicks,
                it.impressions,
                it.device,
            )
        })
        .collect();
    assert_eq!(fields, [("b", 2, 110, None), ("a", 1, 100, None)]);
}

async fn sums_are_paged_without_duplicates(db: TestStorage) {
    two_accounts(&db).await;
    let mut of_a_day = vec![
        row("Rust SEO", "a", 3, 10, 2.0),
        row("rust seo", "b", 0, 10, 8.0),
    ];
    // Many rows with equal impressions, and a query in two spellings.
    of_a_day.extend((0..7).map(|n| row("same", &format!("{n}"), 1, 5, 1.0)));
    of_a_day.extend((0..7).map(|n| row(&format!("q{n}"), "same", 1, 5, 1.0)));
    let next_day = vec![row("rust seo", "a", 1, 30, 4.0)];
    store(&db, 100, vec![of_day(2, of_a_day), of_day(1, next_day)]).await;
    let spans = ids(&spans(&db).await);
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let request = PageRequest {
            sort: (),
            direction: Direction::Descending,
            after,
            limit: 3,
            counted: false,
            bytes: None,
        };
        let page = read!(db, r => r.console_rows().list_by_impressions(ANN, &spans, &request).await.unwrap());
        assert!(page.items.len() <= 3);
        seen.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let first = &seen[0];
    // Which spelling is returned depends on how the database sorts.
    assert_eq!(first.query.as_ref().unwrap().to_lowercase(), "rust seo");
    assert_eq!((first.clicks, first.impressions), (4, 40));
    assert!((first.position().unwrap() - 3.5).abs() < 1e-12);
    assert_eq!(
        seen[1].page.as_deref(),
        Some("https://shop11.example.com/b")
    );
    let shown: Vec<u64> = seen.iter().map(|it| it.impressions).collect();
    assert_eq!(shown, [[40, 10].as_slice(), &[5; 14]].concat());
    let mut each: Vec<_> = { seen.iter() }.map(|it| (&it.query, &it.page)).collect();
    each.sort();
    each.dedup();
    assert_eq!(each.len(), seen.len());
    let request = PageRequest {
        sort: (),
        direction: Direction::Descending,
        after: None,
        limit: 3,
        counted: false,
        bytes: None,
    };
    let theirs =
        read!(db, r => r.console_rows().list_by_impressions(BOB, &spans, &request).await.unwrap());
    assert!(theirs.items.is_empty());
}

async fn clicks_of_pages_are_summed_by_day(db: TestStorage) {
    two_accounts(&db).await;
    let page = |page: &str, clicks| SearchRow {
        query: None,
        country: None,
        device: None,
        ..row("", page, clicks, 50, 2.0)
    };
    let of_pages = |before, rows| RowSet {
        dimensions: DimensionSet::aggregated(RowSubject::Page),
        ..of_day(before, rows)
    };
    let sets = vec![
        of_pages(3, vec![page("a", 5), page("b", 1)]),
        of_pages(2, vec![page("a", 0)]),
    ];
    store(&db, 100, sets).await;
    let of = ids(&spans(&db).await);
    let url = "https://shop11.example.com/a".to_owned();
    let urls = [url.clone(), "https://shop11.example.com/nowhere".to_owned()];
    let mut days = read!(db, r => r.console_rows().page_days(ANN, &of, &urls).await.unwrap());
    days.sort_by_key(|it| it.day);
    let columns = days
        .iter()
        .map(|it| (it.page.as_str(), it.day, it.clicks, it.impressions));
    assert_eq!(
        columns.collect::<Vec<_>>(),
        [(url.as_str(), day(3), 5, 50), (&url, day(2), 0, 50)]
    );
}

async fn old_imports_are_deleted_in_batches(db: TestStorage) {
    two_accounts(&db).await;
    let sets = (1..=9).map(|n| of_day(n, vec![row("a", "a", 1, 10, 3.0)]));
    store(&db, 100, sets.collect()).await;
    let forget = async |limit| change!(db, tx => tx.console_rows().purge_before(ANN, day(4), limit).await.unwrap());
    assert_eq!(
        (forget(3).await, forget(3).await, forget(3).await),
        (3, 2, 0)
    );
    let left: Vec<_> = spans(&db).await.iter().map(|it| it.span.last).collect();
    assert_eq!(left, [day(4), day(3), day(2), day(1)]);
    let theirs = change!(db, tx => tx.console_rows().purge_before(BOB, day(0), 9).await.unwrap());
    assert_eq!(theirs, 0);
}

async fn rows_are_isolated_by_account(db: TestStorage) {
    two_accounts(&db).await;
    store(&db, 100, vec![of_day(2, vec![row("a", "a", 1, 10, 3.0)])]).await;
    let of = ids(&spans(&db).await);
    let (texts, urls) = (
        ["a".to_owned()],
        ["https://shop11.example.com/a".to_owned()],
    );
    read!(db, r => {
        let rows = r.console_rows();
        assert!(rows.spans(BOB, SHOP, day(400)).await.unwrap().is_empty());
        assert!(rows.spans(ANN, ProjectId(12), day(400)).await.unwrap().is_empty());
        assert!(rows.sums_for_queries(BOB, &of, &texts).await.unwrap().is_empty());
        assert!(rows.by_position(BOB, &of).await.unwrap().is_empty());
        assert!(rows.top_by_impressions(BOB, &of, 9).await.unwrap().is_empty());
        assert!(rows.page_days(BOB, &of, &urls).await.unwrap().is_empty());
    });
    // The other's import of the same days leaves this one alone.
    let theirs = [of_day(2, vec![row("a", "a", 9, 10, 3.0)])];
    let replaced = change!(db, tx => tx.console_rows().replace(BOB, SHOP, &[ConsoleSpanId(100)], &theirs, &import_info(Origin::Export)).await.unwrap());
    assert_eq!((replaced, spans(&db).await.len()), (0, 1));
}
