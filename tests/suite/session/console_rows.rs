//! Search Console rows as JSON.

use harness::{
    app::TestApp, browsers::Browser, callers::id, databases::TestDatabase, on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    imported_rows_are_read_as_sums,
    sums_are_paged_by_impressions_descending,
    query_rows_are_returned_if_no_page_rows_were_imported,
    an_invalid_row_is_located_and_nothing_is_imported,
    an_invalid_period_is_refused,
    an_archive_in_the_body_is_refused_without_unpacking,
];

async fn project(browser: &Browser) -> String {
    let body = json!({ "domain": "shop.example.com" });
    let created = browser.post("/api/projects", body).await.created();
    format!("/api/projects/{}/search-console", id(&created))
}

fn row(
    date: &str,
    query: &str,
    page: &str,
    (clicks, impressions, position): (u64, u64, f64),
) -> Value {
    json!({
        "date": date,
        "query": query,
        "page": format!("https://shop.example.com/{page}"),
        "clicks": clicks,
        "impressions": impressions,
        "position": position,
    })
}

async fn imported_rows_are_read_as_sums(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let path = project(&browser).await;
    let nothing = browser.get(&format!("{path}/rows")).await.ok();
    assert_eq!(
        (
            &nothing["items"],
            &nothing["cut"],
            &nothing["from"],
            &nothing["days"]
        ),
        (&json!([]), &Value::Null, &Value::Null, &json!(0))
    );
    let rows = [
        row("2026-09-15", "rank tracker", "a", (3, 10, 2.0)),
        row("2026-09-16", "rank tracker", "a", (1, 30, 4.0)),
        row("2026-09-16", "rank tracker", "b", (0, 10, 9.5)),
        row("2026-09-17", "seo audit", "b", (2, 8, 1.0)),
    ];
    let body = json!({ "name": "from our warehouse", "rows": rows });
    let imported = browser.post(&path, body).await.created();
    assert_eq!(
        (
            &imported["rows"],
            &imported["replaced"],
            imported["spans"].as_array().unwrap().len()
        ),
        (&json!(4), &json!(0), 3)
    );
    let state = browser.get(&path).await.ok();
    assert_eq!(state["imported"][0]["cut"], "queryPage");
    assert_eq!(state["imported"][0]["label"], "from our warehouse");

    let read = browser.get(&format!("{path}/rows")).await.ok();
    assert_eq!(
        (&read["cut"], &read["from"], &read["to"], &read["days"]),
        (
            &json!("queryPage"),
            &json!("2026-09-15"),
            &json!("2026-09-17"),
            &json!(3)
        )
    );
    assert_eq!(
        read["items"],
        json!([
            { "query": "rank tracker", "page": "https://shop.example.com/a", "clicks": 4, "impressions": 40, "ctr": 0.1, "position": 3.5 },
            { "query": "rank tracker", "page": "https://shop.example.com/b", "clicks": 0, "impressions": 10, "ctr": 0.0, "position": 9.5 },
            { "query": "seo audit", "page": "https://shop.example.com/b", "clicks": 2, "impressions": 8, "ctr": 0.25, "position": 1.0 },
        ])
    );
    let part = browser
        .get(&format!("{path}/rows?from=2026-09-16&to=2026-09-16"))
        .await
        .ok();
    assert_eq!(
        (&part["days"], &part["items"][0]["impressions"]),
        (&json!(1), &json!(30))
    );
    let elsewhere = browser
        .get(&format!("{path}/rows?from=2026-01-01&to=2026-01-31"))
        .await
        .ok();
    assert_eq!(
        (&elsewhere["items"], &elsewhere["days"]),
        (&json!([]), &json!(0))
    );

    // A repeated day replaces its rows; country and device are further dimensions.
    let again = json!({ "rows": [row("2026-09-16", "rank tracker", "a", (5, 50, 2.0))] });
    let again = browser.post(&path, again).await.created();
    assert_eq!((&again["rows"], &again["replaced"]), (&json!(1), &json!(2)));
    let mut by_market = row("2026-09-16", "rank tracker", "a", (100, 1_000, 1.0));
    (by_market["country"], by_market["device"]) = (json!("deu"), json!("mobile"));
    browser
        .post(&path, json!({ "rows": [by_market] }))
        .await
        .created();
    let whole = browser
        .get(&format!("{path}/rows?from=2026-09-01&to=2026-09-20"))
        .await
        .ok();
    assert_eq!(
        (&whole["cut"], &whole["items"][0]["impressions"]),
        (&json!("queryPage"), &json!(60)),
        "cuts are never added up"
    );
}

async fn sums_are_paged_by_impressions_descending(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let path = project(&browser).await;
    let rows: Vec<Value> = (0..25)
        .map(|n| row("2026-09-16", &format!("q{n}"), "a", (0, 5 + n / 10, 1.0)))
        .collect();
    browser.post(&path, json!({ "rows": rows })).await.created();
    let first = format!("{path}/rows?from=2026-09-16&to=2026-09-16&limit=4");
    let (mut seen, mut cursor) = (vec![], String::new());
    loop {
        let page = browser.get(&format!("{first}{cursor}")).await.ok();
        for item in page["items"].as_array().unwrap() {
            let query = item["query"].as_str().unwrap().to_owned();
            seen.push((item["impressions"].as_u64().unwrap(), query));
        }
        let Some(next) = page["nextCursor"].as_str() else {
            break;
        };
        cursor = format!("&cursor={next}");
    }
    assert!(
        seen.iter()
            .zip(seen.iter().skip(1))
            .all(|(one, next)| one.0 >= next.0)
    );
    let mut queries: Vec<&String> = seen.iter().map(|it| &it.1).collect();
    queries.sort();
    queries.dedup();
    assert_eq!((queries.len(), seen.len()), (25, 25));
    let other = format!("{path}/rows?from=2026-09-15&to=2026-09-16&limit=4{cursor}");
    assert_eq!(browser.get(&other).await.errors()[0].1, "invalid-cursor");
}

async fn query_rows_are_returned_if_no_page_rows_were_imported(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let path = project(&browser).await;
    let export = "Query,Clicks,Impressions,CTR,Position\nrank tracker,3,100,3%,4.5\n";
    let file = json!({ "content": export, "from": "2026-08-20", "to": "2026-09-16" });
    browser.post(&path, file).await.created();
    let read = browser.get(&format!("{path}/rows")).await.ok();
    assert_eq!((&read["cut"], &read["days"]), (&json!("query"), &json!(28)));
    assert_eq!(
        read["items"],
        json!([{ "query": "rank tracker", "page": null, "clicks": 3, "impressions": 100, "ctr": 0.03, "position": 4.5 }])
    );
    let rows = json!({ "rows": [row("2026-09-16", "seo", "a", (0, 1, 1.0))] });
    browser.post(&path, rows).await.created();
    let read = browser.get(&format!("{path}/rows")).await.ok();
    assert_eq!(read["items"][0]["page"], "https://shop.example.com/a");
}

async fn an_invalid_row_is_located_and_nothing_is_imported(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let path = project(&browser).await;
    let good = || row("2026-09-16", "rank tracker", "a", (1, 2, 1.0));
    let errors = async |rows: Vec<Value>| {
        let answer = browser.post(&path, json!({ "rows": rows })).await;
        answer.errors()
    };
    let error = |place: &str, code: &str| (place.to_owned(), code.to_owned());
    for (name, value, code) in [
        ("date", json!("16.09.2026"), "invalid-value"),
        ("date", Value::Null, "required"),
        ("clicks", json!(3), "invalid-value"),
        ("clicks", json!(-1), "invalid-value"),
        ("clicks", json!(0.5), "invalid-value"),
        ("impressions", Value::Null, "required"),
        ("position", json!(0), "invalid-value"),
        ("page", json!("/a"), "invalid-value"),
        ("query", json!(" "), "invalid-value"),
        ("country", json!("Germany"), "invalid-value"),
        ("device", json!("watch"), "invalid-value"),
        ("ctr", json!(0.5), "unknown-field"),
    ] {
        let mut wrong = good();
        wrong[name] = value.clone();
        wrong["query"] = if name == "query" {
            value.clone()
        } else {
            json!("other")
        };
        let found = errors(vec![good(), wrong]).await;
        assert_eq!(
            found[0],
            error(&format!("/rows/1/{name}"), code),
            "{name}: {value}"
        );
    }
    let mut twice = good();
    twice["query"] = json!("Rank  Tracker");
    let repeated = errors(vec![
        row("2026-09-15", "x", "a", (0, 1, 1.0)),
        good(),
        twice,
    ])
    .await;
    assert_eq!(repeated, [error("/rows/2", "repeated")]);
    assert_eq!(errors(vec![]).await, [error("/rows", "too-few")]);
    let ahead = row("2026-09-22", "x", "a", (0, 1, 1.0));
    assert_eq!(errors(vec![ahead]).await, [error("/rows", "refused")]);
    let mut foreign = good();
    foreign["page"] = json!("https://other.example.org/");
    assert_eq!(errors(vec![foreign]).await, [error("/rows", "refused")]);
    let both = json!({ "rows": [good()], "content": "Query,Clicks\n" });
    assert_eq!(
        browser.post(&path, both).await.errors(),
        [error("/content", "unknown-field")]
    );
    assert_eq!(browser.get(&path).await.ok()["imported"], json!([]));
}

async fn an_invalid_period_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let rows = format!("{}/rows", project(&browser).await);
    for (query, name, code) in [
        ("from=2026-09-16&to=2026-09-15", "to", "invalid-value"),
        ("from=yesterday", "from", "invalid-value"),
        ("from=2026-09-1", "from", "invalid-value"),
        ("from=2020-01-01", "to", "too-many"),
        ("sort=clicks", "sort", "unknown-parameter"),
        ("limit=0", "limit", "invalid-value"),
    ] {
        let errors = browser.get(&format!("{rows}?{query}")).await.errors();
        assert_eq!(errors, [(name.to_owned(), code.to_owned())], "{query}");
    }
}

async fn an_archive_in_the_body_is_refused_without_unpacking(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let path = project(&browser).await;
    for content in ["PK\u{3}\u{4}\u{14}\0\0\0", "PK\u{5}\u{6}"] {
        let body = json!({ "content": content, "name": "Performance.zip" });
        let refused = browser.post(&path, body).await;
        assert_eq!(
            refused.errors(),
            [("/content".to_owned(), "unreadable".to_owned())]
        );
        let message = refused.json()["errors"][0]["message"].to_string();
        for part in ["archive", "CSV", "sightline search-console import"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
