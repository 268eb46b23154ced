//! 64 concurrent writers: with enough slots all are served, whatever else writes; otherwise the excess is refused at
//! once and nothing is half done.

use domain::account::AccountLimits;
use futures_util::future::join_all;
use harness::{
    app::TestApp,
    callers::{Caller, id},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use storage::DatabaseKind;
use web::limits::Rate;

on_every_database![
    #[ignore = "slow: a thousand writes"]
    sixty_four_writers_at_once_are_all_served,
    a_full_server_refuses_immediately_and_loses_no_write,
];

const WRITERS: usize = 64;
const ROUNDS: usize = 4;
/// Queued analyses per account.
const WAITING: usize = 200;

/// An app with unlimited rates and so many slots.
async fn app_with_room(db: &TestDatabase, requests: u32) -> (TestApp, Caller) {
    let app = TestApp::with_settings(db, |config| {
        let limits = &mut config.limits;
        for rate in [
            &mut limits.writes,
            &mut limits.analyses,
            &mut limits.reads,
            &mut limits.account,
        ] {
            *rate = Rate::of(1_000_000, 1_000_000);
        }
        limits.in_flight = requests;
        limits.in_flight_per_account = requests;
        limits.in_flight_per_token = requests;
    })
    .await;
    let agent = app.db_full_agent().await;
    app.db_limit(|it: &mut AccountLimits| {
        (it.projects, it.keywords) = (10_000, 100_000);
    })
    .await;
    (app, agent)
}

/// Statuses of creating a project, two keywords and a rank check.
async fn writes(agent: Caller, number: usize) -> Vec<u16> {
    let project = json!({ "domain": format!("shop{number}.example.com") });
    let made = agent.post("/projects", project).await;
    let mut statuses = vec![made.status.as_u16()];
    if made.status.as_u16() != 201 {
        return statuses;
    }
    let project = id(&made.json());
    for word in ["one", "two"] {
        let keyword = json!({ "keywords": [word] });
        let path = format!("/projects/{project}/keywords");
        statuses.push(agent.post(&path, keyword).await.status.as_u16());
    }
    let check = json!({ "type": "rankCheck", "projectId": project });
    statuses.push(agent.post("/analyze", check).await.status.as_u16());
    statuses
}

async fn sixty_four_writers_at_once_are_all_served(db: TestDatabase) {
    let (_app, agent) = app_with_room(&db, 1_000).await;
    let db = Arc::new(db);
    // Another process that writes to the same file.
    let beside = (db.kind() == DatabaseKind::Sqlite).then(|| {
        let slow = "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS beside (n INTEGER);
             INSERT INTO beside WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 400000) SELECT n FROM c;
             DELETE FROM beside; COMMIT;";
        let db = Arc::clone(&db);
        std::thread::spawn(move || (0..3).for_each(|_| db.run_sql(slow)))
    });
    let writers = (0..WRITERS).map(|writer| {
        let agent = agent.clone();
        tokio::spawn(async move {
            let mut statuses = Vec::new();
            for round in 0..ROUNDS {
                statuses.extend(writes(agent.clone(), writer * ROUNDS + round).await);
            }
            statuses
        })
    });
    let mut counted = BTreeMap::new();
    for statuses in join_all(writers).await {
        for status in statuses.unwrap() {
            *counted.entry(status).or_insert(0_usize) += 1;
        }
    }
    if let Some(beside) = beside {
        beside.join().unwrap();
    }
    let of_each = WRITERS * ROUNDS;
    // The account's queue limit is reached exactly.
    let refused = of_each - WAITING;
    assert_eq!(
        counted,
        BTreeMap::from([(201, 3 * of_each), (202, WAITING), (429, refused)])
    );
    let projects = agent.get("/projects?limit=1&include=total").await.ok();
    assert_eq!(projects["total"], of_each, "{projects}");
}

async fn a_full_server_refuses_immediately_and_loses_no_write(db: TestDatabase) {
    let (_app, agent) = app_with_room(&db, 8).await;
    let mut waiting: Vec<usize> = (0..WRITERS).collect();
    let (mut rounds, mut sent_away) = (0, 0);
    while !waiting.is_empty() {
        let requests = waiting.iter().map(|&number| {
            let agent = agent.clone();
            let project = json!({ "domain": format!("shop{number}.example.com") });
            tokio::spawn(async move { (number, agent.post("/projects", project).await) })
        });
        let mut again = Vec::new();
        for answer in join_all(requests).await {
            let (number, answer) = answer.unwrap();
            if answer.status.as_u16() == 201 {
                continue;
            }
            // The refusal names the limit and when to retry.
            answer.assert_problem_document();
            assert!(matches!(answer.status.as_u16(), 429 | 503), "{answer:?}");
            assert_eq!(answer.header("retry-after"), "1");
            assert_eq!(answer.json()["retryable"], true);
            again.push(number);
            sent_away += 1;
        }
        rounds += 1;
        assert!(rounds < 60, "{} are still sent away", again.len());
        waiting = again;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(sent_away > 0, "64 at once are more than 8");
    let projects = agent.get("/projects?limit=1&include=total").await.ok();
    assert_eq!(projects["total"], WRITERS, "{projects}");
}
