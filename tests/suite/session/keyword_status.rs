//! One month of a project's keywords, from stored data: September, of which 21 days have passed.

use analysis::{
    findings::{
        ai_visibility::{LeftOut, PromptTally},
        rankings::{RankPoint, RankState},
    },
    provenance::Provenance,
};
use chrono::{Days, NaiveDate, TimeDelta};
use domain::{
    ids::{JobId, KeywordId, ProjectId},
    kept_answers::KeywordTallies,
    keyword::LatestRank,
    ports::clock::Clock,
    results::{KeywordMeasurement, SearchSource},
};
use harness::{
    app::TestApp,
    browsers::Browser,
    callers::{id, ids},
    databases::TestDatabase,
    on_every_database,
    sql_rules::statements_sent,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

on_every_database![
    a_month_is_returned_with_its_sources,
    earlier_months_are_null_and_future_months_are_refused,
    months_are_read_in_pages,
    ten_thousand_keywords_take_as_many_statements_as_three,
];

async fn project(app: &TestApp, keywords: &[&str]) -> (Browser, i64, Vec<i64>) {
    let browser = app.db_member(0).await;
    let body = json!({ "domain": "shop.example.com", "keywords": keywords });
    let created = browser.post("/api/projects", body).await.created();
    let created_keywords = json!({ "items": created["keywords"]["created"] });
    let keywords = ids(&created_keywords);
    (browser, id(&created), keywords)
}

fn today(app: &TestApp) -> NaiveDate {
    app.clock.now().date_naive()
}

fn seen(app: &TestApp, keyword: i64, days_ago: u64, position: Option<u32>) -> KeywordMeasurement {
    let state = match position {
        Some(_) => RankState::Ranked,
        None => RankState::NotRanked,
    };
    KeywordMeasurement {
        keyword: KeywordId(keyword),
        job: JobId(i64::try_from(days_ago).unwrap() + 1),
        day: today(app) - Days::new(days_ago),
        source: SearchSource {
            engine: "google".into(),
            provenance: Provenance::Measured,
        },
        point: RankPoint {
            measured_at: app.clock.now() - TimeDelta::days(i64::try_from(days_ago).unwrap()),
            state,
            position,
            absolute_position: position,
            depth_checked: 100,
            url: position.map(|it| format!("https://shop.example.com/{it}")),
        },
        own: vec![],
        best: None,
        worst: None,
        serp: None,
    }
}

async fn measure(app: &TestApp, project: i64, measurements: &[KeywordMeasurement]) {
    let account = app.db_account().await;
    let mut work = app.storage.write().await.unwrap();
    work.measurements()
        .add(account, ProjectId(project), measurements)
        .await
        .unwrap();
    work.commit().await.unwrap();
}

fn tallied(
    app: &TestApp,
    keyword: i64,
    engine: &str,
    prompt: &str,
    mentions: u64,
) -> KeywordTallies {
    let day = today(app) - Days::new(3);
    KeywordTallies {
        job: JobId(50),
        day,
        keyword: KeywordId(keyword),
        engine: engine.to_owned(),
        tallies: vec![PromptTally {
            day,
            engine: engine.to_owned(),
            model: None,
            template_version: 1,
            detector_version: "1".to_owned(),
            provenance: Provenance::Measured,
            prompt_id: prompt.to_owned(),
            keyword_id: Some(keyword),
            is_branded: false,
            answers: 5,
            mentions,
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

/// A project with three keywords and stored data; the third has none of September.
async fn september(app: &TestApp) -> (Browser, i64, Vec<i64>) {
    let (browser, project, keywords) = project(app, &["one", "two", "three"]).await;
    let [one, two, three] = keywords[..] else {
        panic!("{keywords:?}");
    };
    // Today is the 21st: 23 days ago was August 29th.
    measure(
        app,
        project,
        &[
            seen(app, one, 23, Some(12)),
            seen(app, one, 10, Some(4)),
            seen(app, one, 2, Some(7)),
            seen(app, two, 8, None),
        ],
    )
    .await;
    let account = app.db_account().await;
    let mut work = app.storage.write().await.unwrap();
    let counted = [
        tallied(app, one, "chatgpt", "a", 5),
        tallied(app, one, "gemini", "a", 0),
    ];
    work.answers()
        .save_tallies(account, ProjectId(project), &counted)
        .await
        .unwrap();
    // Measured in August only.
    let latest = LatestRank {
        position: Some(30),
        url: Some("https://shop.example.com/old".into()),
        measured_at: app.clock.now() - TimeDelta::days(30),
        state: RankState::Ranked,
    };
    work.keywords()
        .save_latest(account, &[(KeywordId(three), latest)])
        .await
        .unwrap();
    work.commit().await.unwrap();
    browser
        .patch(
            &format!("/api/keywords/{one}"),
            json!({ "aiTracked": true, "targetUrl": "https://shop.example.com/x" }),
        )
        .await
        .ok();

    (browser, project, keywords)
}

fn members(item: &Value, names: &[&str]) -> Vec<Value> {
    names.iter().map(|it| item[*it].clone()).collect()
}

async fn a_month_is_returned_with_its_sources(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, project, keywords) = september(&app).await;
    let one = keywords[0];
    let path = format!("/api/projects/{project}/keyword-status");
    let status = browser.get(&path).await.ok();
    let span = ["2026-09", "2026-09-01", "2026-09-30"].map(Value::from);
    assert_eq!(members(&status, &["month", "from", "to"]), span);
    let items = status["items"].as_array().unwrap();
    let places = [
        "position",
        "page",
        "positionAtStart",
        "bestPosition",
        "daysMeasured",
        "provenance",
        "engine",
    ];
    assert_eq!(
        members(&items[0], &places),
        [
            json!(7),
            json!("https://shop.example.com/7"),
            json!(12),
            json!(4),
            json!(2),
            json!("measured"),
            json!("google")
        ]
    );
    assert!(
        items[0]["startMeasuredAt"]
            .as_str()
            .unwrap()
            .starts_with("2026-08-29")
    );
    assert_eq!(
        members(
            &items[0],
            &[
                "keywordId",
                "keyword",
                "aiTracked",
                "targetUrl",
                "searchVolume"
            ]
        ),
        [
            json!(one),
            json!("one"),
            json!(true),
            json!("https://shop.example.com/x"),
            Value::Null
        ]
    );
    assert_ai_members(&items[0]);
    assert_eq!(
        members(&items[1], &places),
        [
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            json!(1),
            json!("measured"),
            json!("google")
        ],
        "looked for and not found"
    );
    assert!(items[1]["measuredAt"].is_string());
    assert_eq!(
        members(&items[2], &places),
        [
            json!(30),
            json!("https://shop.example.com/old"),
            Value::Null,
            Value::Null,
            json!(0),
            Value::Null,
            Value::Null
        ],
        "now is the newest there is, also of a month in which nothing was measured"
    );
    assert_eq!(
        members(
            &items[2],
            &[
                "aiMentionRate",
                "aiMentionRateLow",
                "aiAnswerCount",
                "aiEngines"
            ]
        ),
        [Value::Null, Value::Null, json!(0), json!([])]
    );
    assert_past_month_is_final(&browser, &path).await;
}

fn assert_ai_members(item: &Value) {
    assert_eq!(
        members(
            item,
            &[
                "aiMentionRate",
                "aiAnswerCount",
                "aiMentionCount",
                "aiPromptCount",
                "aiIntervalMethod",
                "aiProvenance"
            ]
        ),
        [
            json!(0.5),
            json!(10),
            json!(5),
            json!(2),
            json!("score"),
            json!("measured")
        ]
    );
    let (low, high) = (&item["aiMentionRateLow"], &item["aiMentionRateHigh"]);
    // Wilson score interval of 5 out of 10.
    assert_eq!((low, high), (&json!(0.236_593), &json!(0.763_407)));
    assert_eq!(
        { item["aiEngines"].as_array().unwrap().iter() }
            .map(|it| members(it, &["engine", "mentionRate", "answerCount"]))
            .collect::<Vec<_>>(),
        [
            [json!("chatgpt"), json!(1.0), json!(5)],
            [json!("gemini"), json!(0.0), json!(5)]
        ]
    );
}

async fn assert_past_month_is_final(browser: &Browser, path: &str) {
    let august = browser.get(&format!("{path}?month=2026-08")).await.ok();
    let items = august["items"].as_array().unwrap();
    assert_eq!(
        members(
            &items[0],
            &[
                "position",
                "positionAtStart",
                "bestPosition",
                "daysMeasured",
                "aiMentionRate"
            ]
        ),
        [json!(12), json!(12), json!(12), json!(1), Value::Null]
    );
    assert_eq!(
        items[2]["position"],
        Value::Null,
        "a month that is over has no now"
    );
}

async fn earlier_months_are_null_and_future_months_are_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, project, keywords) = project(&app, &["one"]).await;
    measure(&app, project, &[seen(&app, keywords[0], 1, Some(3))]).await;
    let path = format!("/api/projects/{project}/keyword-status");
    let before = browser.get(&format!("{path}?month=2020-02")).await.ok();
    let item = &before["items"][0];
    for name in [
        "position",
        "measuredAt",
        "page",
        "positionAtStart",
        "startMeasuredAt",
        "bestPosition",
        "engine",
        "provenance",
        "searchVolume",
        "aiMentionRate",
        "aiIntervalMethod",
        "aiProvenance",
    ] {
        assert_eq!(item.get(name), Some(&Value::Null), "{name}");
    }
    assert_eq!(item["daysMeasured"], 0);
    assert_eq!(
        (&before["from"], &before["to"]),
        (&json!("2020-02-01"), &json!("2020-02-29"))
    );
    let ahead = browser.get(&format!("{path}?month=2026-10")).await;
    let problem = ahead.refused(422, "validation-failed");
    assert_eq!(
        (&problem["errors"][0]["name"], &problem["errors"][0]["max"]),
        (&json!("month"), &json!("2026-09"))
    );
    for wrong in ["2026-9", "2026-13", "september", "2026-09-01", ""] {
        let errors = browser.get(&format!("{path}?month={wrong}")).await.errors();
        assert_eq!(errors, [("month".to_owned(), "invalid-value".to_owned())]);
    }
    let unknown = browser.get(&format!("{path}?day=1")).await.errors();
    assert_eq!(unknown[0].0, "day");
}

async fn months_are_read_in_pages(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, project, keywords) = project(&app, &["c", "a", "d", "b", "e"]).await;
    browser
        .delete(&format!("/api/keywords/{}", keywords[2]))
        .await
        .ok();
    let path = format!("/api/projects/{project}/keyword-status?sort=text&limit=3");
    let first = browser.get(&path).await;
    let body = first.ok();
    let cursor = body["nextCursor"].as_str().unwrap();
    assert!(
        first
            .links()
            .contains(&format!("cursor={cursor}>; rel=\"next\""))
    );
    let second = browser.get(&format!("{path}&cursor={cursor}")).await.ok();
    let texts = |body: &Value| -> Vec<String> {
        { body["items"].as_array().unwrap().iter() }
            .map(|it| it["keyword"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(texts(&body), ["a", "b", "c"]);
    assert_eq!(texts(&second), ["e"]);
    assert_eq!(second["nextCursor"], Value::Null);
    // A cursor is bound to its month.
    let other = browser
        .get(&format!("{path}&month=2026-08&cursor={cursor}"))
        .await;
    assert_eq!(
        other.errors(),
        [("cursor".to_owned(), "invalid-cursor".to_owned())]
    );
}

async fn ten_thousand_keywords_take_as_many_statements_as_three(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|it| (it.keywords, it.keywords_per_project) = (20_000, 20_000))
        .await;
    let (browser, project, _) = project(&app, &["one", "two", "three"]).await;
    let path = format!("/api/projects/{project}/keyword-status?sort=text");
    let mut costs = vec![];
    for rounds in [0, 10] {
        for round in 0..rounds {
            let keywords: Vec<Value> = (0..1_000)
                .map(|n| json!({ "text": format!("keyword {round} {n}"), "aiTracked": false }))
                .collect();
            let body = json!({ "keywords": keywords, "mode": "all" });
            let bulk = format!("/api/projects/{project}/keywords/bulk");
            let saved = browser.post(&bulk, body).await.ok();
            let measured: Vec<KeywordMeasurement> = { saved["items"].as_array().unwrap().iter() }
                .flat_map(|it| {
                    let keyword = it["keywordId"].as_i64().unwrap();
                    [1, 8].map(|ago| seen(&app, keyword, ago, Some(9)))
                })
                .collect();
            measure(&app, project, &measured).await;
        }
        let before = statements_sent(&db.url);
        let page = browser.get(&path).await.ok();
        costs.push(statements_sent(&db.url) - before);
        assert_eq!(
            page["items"].as_array().unwrap().len(),
            if rounds == 0 { 3 } else { 100 }
        );
    }
    assert_eq!(costs[0], costs[1]);
    assert!((1..=14).contains(&costs[0]), "{costs:?}");
}
