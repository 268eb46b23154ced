//! Paging through lists.

use chrono::TimeDelta;
use harness::{
    app::{Ranked, TestApp},
    callers::{Caller, ids},
    databases::TestDatabase,
    on_every_database,
    rankings::{ranked, run},
};
use proptest::{
    collection::vec,
    prelude::*,
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};
use reqwest::Method;
use serde_json::json;
use std::collections::BTreeSet;

on_every_database![
    rows_that_exist_throughout_are_listed_exactly_once,
    concurrent_writes_neither_skip_nor_repeat_rows,
    every_sort_order_lists_all_rows_in_both_directions,
    totals_are_counted_only_on_request,
];
harness::on_sqlite![
    pages_and_responses_stay_within_the_byte_budget,
    limits_are_clamped_and_reported,
    the_link_header_points_to_the_next_page,
    a_cursor_is_bound_to_list_and_filters_for_a_day,
];

async fn shops(app: &TestApp, agent: &Caller, names: std::ops::Range<u32>) -> BTreeSet<i64> {
    let mut all = BTreeSet::new();
    for n in names {
        // Two per second: the id decides.
        app.clock.advance(TimeDelta::milliseconds(500));
        let priority = if n % 2 == 0 { "low" } else { "high" };
        let body = json!({ "domain": format!("s{}.example.com", (n * 7) % 10), "priority": priority, "name": format!("n{}", n / 3) });
        let created = agent.post("/projects", body).await.created();
        all.insert(created["id"].as_i64().unwrap());
    }
    all
}

async fn rows_that_exist_throughout_are_listed_exactly_once(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let mut there = shops(&app, &agent, 0..7).await;
    let gone = *there.iter().nth(3).unwrap();
    let mut walked = vec![];
    let mut next = "/projects?limit=2&sort=-createdAt".to_owned();
    let mut fresh = 7..10;
    loop {
        let page = agent.get(&next).await.ok();
        walked.extend(ids(&page));
        if let Some(n) = fresh.next() {
            shops(&app, &agent, n..n + 1).await;
        }
        if there.remove(&gone) {
            agent.delete(&format!("/projects/{gone}")).await.ok();
        }
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        next = format!("/projects?limit=2&sort=-createdAt&cursor={cursor}");
    }
    for id in there {
        assert_eq!(
            walked.iter().filter(|it| **it == id).count(),
            1,
            "{id} in {walked:?}"
        );
    }
}

/// What happens between two pages.
#[derive(Debug, Clone)]
enum Between {
    Nothing,
    Added(u8),
    /// Index among the remaining keywords, modulo their number.
    Deactivated(usize),
}

/// Paging through a list with concurrent writes.
fn interleaving() -> impl Strategy<Value = (String, u32, Vec<Between>)> {
    let between = prop_oneof![
        Just(Between::Nothing),
        (1_u8..4).prop_map(Between::Added),
        any::<usize>().prop_map(Between::Deactivated),
    ];
    let sort = prop_oneof![Just("createdAt"), Just("text"), Just("position")];
    let sort = (sort, any::<bool>())
        .prop_map(|(sort, back)| format!("{}{sort}", if back { "-" } else { "" }));
    (sort, 1_u32..5, vec(between, 0..8))
}

async fn concurrent_writes_neither_skip_nor_repeat_rows(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let mut chance = TestRunner::deterministic();
    for case in 0..20 {
        let walk = interleaving().new_tree(&mut chance).unwrap().current();
        let (sort, limit, between) = &walk;
        let first: Vec<String> = (0..9).map(|n| format!("word {}", n * 7 % 9)).collect();
        let first: Vec<&str> = first.iter().map(String::as_str).collect();
        let (project, there) = agent.project(&format!("s{case}.example.com"), &first).await;
        let list = format!("/projects/{project}/keywords");
        let mut left = there.clone();
        let mut walked = vec![];
        let mut next = format!("{list}?limit={limit}&sort={sort}");
        let mut between = between.iter();
        loop {
            let page = agent.get(&next).await.ok();
            walked.extend(ids(&page));
            app.clock.advance(TimeDelta::seconds(1));
            match between.next().unwrap_or(&Between::Nothing) {
                Between::Nothing => {}
                Between::Added(number) => {
                    let word = |n| format!("{} {}", ["a", "word 4", "z"][n % 3], walked.len() + n);
                    let words: Vec<String> = (0..usize::from(*number)).map(word).collect();
                    agent.post(&list, json!({ "keywords": words })).await;
                }
                Between::Deactivated(place) => {
                    let gone = left.remove(place % left.len());
                    agent.delete(&format!("/keywords/{gone}")).await.ok();
                }
            }
            let Some(cursor) = page["nextCursor"].as_str() else {
                break;
            };
            next = format!("{list}?limit={limit}&sort={sort}&cursor={cursor}");
        }
        let times = |id: i64| walked.iter().filter(|it| **it == id).count();
        let seen = || format!("{walk:?} walked {walked:?} of {there:?}");
        assert!(left.iter().all(|id| times(*id) == 1), "{}", seen());
        assert!(walked.iter().all(|id| times(*id) == 1), "{}", seen());
    }
}

async fn pages_and_responses_stay_within_the_byte_budget(db: TestDatabase) {
    const MAX: usize = 256 * 1024;
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &[]).await;
    let list = format!("/projects/{project}/keywords");
    let tags: Vec<String> = (0..50).map(|n| format!("{n:ž>50}")).collect();
    let words: Vec<String> = (0..200).map(|n| format!("word {n}")).collect();
    let body = json!({ "keywords": words, "tags": tags });
    let added = agent.post(&list, body.clone()).await;
    assert!(added.body.len() <= MAX, "{}", added.body.len());
    let added = added.created();
    let shown = added["created"].as_array().unwrap().len();
    assert!((10..200).contains(&shown), "{shown}");
    assert_eq!(
        (&added["truncated"], &added["counts"]["created"]),
        (&json!(true), &json!(200))
    );
    let mut walked = BTreeSet::new();
    let mut next = added["next"].as_str().unwrap().to_owned() + "?limit=500";
    loop {
        let page = agent.send(agent.request_path(Method::GET, &next)).await;
        assert!(page.body.len() <= MAX, "{}", page.body.len());
        let page = page.ok();
        walked.extend(ids(&page));
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        next = format!("/api/agent/v1{list}?limit=500&cursor={cursor}");
    }
    assert_eq!(walked.len(), 200);
    let few = json!({ "keywords": ["word 1"], "tags": tags });
    let again = agent.post(&list, few).await.ok();
    assert_eq!(again["truncated"], false);
}

async fn every_sort_order_lists_all_rows_in_both_directions(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let there = shops(&app, &agent, 0..7).await;
    let project = *there.first().unwrap();
    agent
        .post(
            &format!("/projects/{project}/keywords"),
            json!({ "keywords": ["b", "a", "č", "c", "d"] }),
        )
        .await
        .created();
    let keywords = format!("/projects/{project}/keywords");
    for (path, sorts, rows) in [
        (
            "/projects",
            ["createdAt", "name", "domain", "lastAnalysisAt", "priority"].as_slice(),
            7,
        ),
        (&keywords, &["createdAt", "text", "position"], 5),
    ] {
        for sort in sorts {
            let forwards = walk(&agent, path, sort).await;
            let mut backwards = walk(&agent, path, &format!("-{sort}")).await;
            assert_eq!(
                forwards.iter().collect::<BTreeSet<_>>().len(),
                rows,
                "{sort}"
            );
            let whole = agent.get(&format!("{path}?sort={sort}")).await.ok();
            assert_eq!(forwards, ids(&whole), "{sort}");
            backwards.reverse();
            if !["lastAnalysisAt", "position"].contains(sort) {
                assert_eq!(forwards, backwards, "{sort}");
            }
        }
    }
}

async fn walk(agent: &Caller, path: &str, sort: &str) -> Vec<i64> {
    let mut walked = vec![];
    let mut next = format!("{path}?limit=2&sort={sort}");
    loop {
        let page = agent.get(&next).await.ok();
        walked.extend(ids(&page));
        let Some(cursor) = page["nextCursor"].as_str() else {
            return walked;
        };
        next = format!("{path}?limit=2&sort={sort}&cursor={cursor}");
    }
}

async fn limits_are_clamped_and_reported(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    for (path, default, max_limit) in [
        ("/projects?".to_owned(), 50, 200),
        (format!("/projects/{project}/keywords?"), 100, 500),
        ("/analyze?".to_owned(), 50, 200),
        (
            format!("/results?type=serp&projectId={project}&"),
            100,
            1_000,
        ),
    ] {
        for (given, applied) in [
            ("", default),
            ("limit=1", 1),
            ("limit=100000", max_limit),
            ("limit=99999999999999999999", max_limit),
        ] {
            assert_eq!(
                agent.get(&format!("{path}{given}")).await.ok()["limit"],
                applied,
                "{path}{given}"
            );
        }
        for wrong in ["0", "-1", "x", "1.5", ""] {
            let answer = agent.get(&format!("{path}limit={wrong}")).await;
            assert_eq!(answer.errors(), [("limit".into(), "invalid-value".into())]);
        }
        assert_eq!(
            agent.get(&format!("{path}limit=1&limit=2")).await.errors(),
            [("limit".into(), "repeated".into())]
        );
    }
}

async fn the_link_header_points_to_the_next_page(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    shops(&app, &agent, 0..3).await;
    let first = agent.get("/projects?search=s&limit=2&fields=name").await;
    let cursor = first.ok()["nextCursor"].as_str().unwrap().to_owned();
    let href = format!("/api/agent/v1/projects?search=s&limit=2&fields=name&cursor={cursor}");
    assert!(
        first.links().contains(&format!("<{href}>; rel=\"next\"")),
        "{}",
        first.links()
    );
    let last = agent
        .send(agent.request_path(reqwest::Method::GET, &href))
        .await;
    assert_eq!(
        (
            last.ok()["items"].as_array().unwrap().len(),
            last.links().contains("next")
        ),
        (1, false)
    );
}

async fn a_cursor_is_bound_to_list_and_filters_for_a_day(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    shops(&app, &agent, 0..3).await;
    let page = agent.get("/projects?limit=1&favorite=false").await.ok();
    let cursor = page["nextCursor"].as_str().unwrap();
    agent
        .get(&format!("/projects?limit=2&favorite=false&cursor={cursor}"))
        .await
        .ok();
    let project = ids(&page)[0];
    let refused = [("cursor".into(), "invalid-cursor".into())];
    for other in [
        "/projects?".to_owned(),
        "/projects?favorite=true&".into(),
        "/projects?favorite=false&sort=name&".into(),
        "/analyze?".into(),
        format!("/projects/{project}/keywords?"),
    ] {
        let answer = agent.get(&format!("{other}cursor={cursor}")).await;
        assert_eq!(answer.errors(), refused, "{other}");
    }
    app.clock.advance(TimeDelta::hours(25));
    let answer = agent
        .get(&format!("/projects?limit=1&favorite=false&cursor={cursor}"))
        .await;
    assert_eq!(answer.errors(), refused);
}

async fn totals_are_counted_only_on_request(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    shops(&app, &agent, 0..7).await;
    let (project, keywords) = agent.project("words.example.com", &["a", "b", "c"]).await;
    let records: Vec<Ranked> = keywords[..2]
        .iter()
        .map(|keyword| ranked(&app, project, *keyword, Some(3)))
        .collect();
    run(&app, &agent, project, &records).await;
    let other = app.db_other_agent().await;
    other.project("other.example.com", &["x"]).await;
    for (path, total) in [
        ("/projects?limit=2".to_owned(), 8),
        ("/projects?limit=1&priority=high".into(), 3),
        (format!("/projects/{project}/keywords?limit=1"), 3),
        (format!("/projects/{project}/keywords?search=b"), 1),
        ("/analyze?limit=1".into(), 1),
        (
            format!("/results?type=rankings&projectId={project}&limit=1"),
            2,
        ),
    ] {
        let plain = agent.get(&path).await.ok();
        assert!(plain["total"].is_null(), "{path}");
        let counted = agent.get(&format!("{path}&include=total")).await.ok();
        assert_eq!(counted["items"], plain["items"], "{path}");
        let counts = (&counted["total"], &counted["totalIsLowerBound"]);
        assert_eq!(counts, (&json!(total), &json!(false)), "{path}");
        // Every page has the count of the whole list.
        if let Some(cursor) = counted["nextCursor"].as_str() {
            let next = format!("{path}&include=total&cursor={cursor}");
            assert_eq!(agent.get(&next).await.ok()["total"], json!(total), "{path}");
            agent.get(&format!("{path}&cursor={cursor}")).await.ok();
        }
    }
    let refused = agent.get("/projects?include=totals").await;
    assert_eq!(
        refused.errors(),
        [("include".into(), "invalid-value".into())]
    );
}
