//! Allowances: one below, at and above the limit, and 64 concurrent requests for the last five.

use domain::account::AccountLimits;
use futures_util::future::join_all;
use harness::{
    app::TestApp,
    callers::{Answer, Caller, id},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    of_64_concurrent_adds_the_last_5_of_the_quota_succeed,
    each_allowance_ends_at_its_limit,
];

const WRITERS: usize = 64;
const PLACES: usize = 5;

/// An account with one project and 64 keywords that are not AI-tracked.
async fn begun(app: &TestApp) -> (Caller, i64, Vec<i64>) {
    let agent = app.db_full_agent().await;
    let texts: Vec<String> = (0..WRITERS).map(|n| format!("keyword {n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (project, keywords) = agent.project("first.example.com", &texts).await;
    (agent, project, keywords)
}

fn quota(health: &Value, name: &str) -> (u64, u64) {
    let quotas = health["quotas"].as_array().unwrap();
    let found = quotas.iter().find(|it| it["name"] == name).unwrap();
    (
        found["used"].as_u64().unwrap(),
        found["limit"].as_u64().unwrap(),
    )
}

fn exactly_five_won(answers: &[Answer], allowance: &str) {
    let (won, lost): (Vec<&Answer>, Vec<&Answer>) =
        answers.iter().partition(|it| it.status.is_success());
    assert_eq!(won.len(), PLACES, "{allowance}");
    for answer in lost {
        let problem = answer.refused(409, "allowance-exceeded");
        assert_eq!(problem["allowance"]["name"], allowance);
        assert_eq!(problem["allowance"]["used"], problem["allowance"]["limit"]);
    }
}

async fn of_64_concurrent_adds_the_last_5_of_the_quota_succeed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    let five = u32::try_from(PLACES).unwrap();
    let many = u32::try_from(WRITERS).unwrap();
    app.db_limit(|limits| {
        *limits = AccountLimits {
            projects: 1 + five,
            keywords: many + five,
            keywords_per_project: 10_000,
            ai_tracked: five,
            monthly_budget: None,
            daily_budget: None,
            ..AccountLimits::default()
        };
    })
    .await;
    let (agent, keyword_path) = (&agent, &format!("/projects/{project}/keywords"));
    let added = (0..WRITERS).map(async |n| {
        let body = json!({ "keywords": [format!("fresh {n}")] });
        agent.post(keyword_path, body).await
    });
    exactly_five_won(&join_all(added).await, "keywords");
    let created = (0..WRITERS).map(async |n| {
        let body = json!({ "domain": format!("site{n}.example.com") });
        agent.post("/projects", body).await
    });
    exactly_five_won(&join_all(created).await, "projects");
    let tracked = keywords.iter().map(async |keyword| {
        let body = json!({ "aiTracked": true });
        agent.patch(&format!("/keywords/{keyword}"), body).await
    });
    exactly_five_won(&join_all(tracked).await, "aiTracked");

    let health = agent.get("/health").await.ok();
    for name in ["projects", "keywords", "aiTracked"] {
        let (used, limit) = quota(&health, name);
        assert_eq!(used, limit, "{name}: all places are taken, and no more");
    }
}

async fn each_allowance_ends_at_its_limit(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    let path = format!("/projects/{project}/keywords");
    let many = u32::try_from(WRITERS).unwrap();

    // Two are left: one, the last and one too many, for each allowance.
    app.db_limit(|limits| limits.keywords_per_project = many + 2)
        .await;
    let add = async |text: &str| agent.post(&path, json!({ "keywords": [text] })).await;
    add("a").await.created();
    add("b").await.created();
    let problem = add("c").await.refused(409, "allowance-exceeded");
    assert_eq!(problem["allowance"]["name"], "keywordsPerProject");
    add("b").await.ok();

    app.db_limit(|limits| (limits.keywords_per_project, limits.keywords) = (10_000, many + 4))
        .await;
    add("c").await.created();
    add("d").await.created();
    let problem = add("e").await.refused(409, "allowance-exceeded");
    assert_eq!(
        problem["allowance"],
        json!({ "name": "keywords", "used": many + 4, "limit": many + 4, "requested": 1 })
    );
    // All or nothing: two with one left take none.
    agent
        .delete(&format!("/keywords/{}", keywords[0]))
        .await
        .ok();
    let two = agent.post(&path, json!({ "keywords": ["e", "f"] })).await;
    two.refused(409, "allowance-exceeded");
    add("e").await.created();

    app.db_limit(|limits| (limits.projects, limits.keywords) = (3, 10_000))
        .await;
    let create = async |domain: &str| agent.post("/projects", json!({ "domain": domain })).await;
    let second = id(&create("second.example.com").await.created());
    create("third.example.com").await.created();
    create("fourth.example.com")
        .await
        .refused(409, "allowance-exceeded");
    agent.delete(&format!("/projects/{second}")).await.ok();
    create("fourth.example.com").await.created();
    // The allowance of a deactivated project was given to another.
    agent
        .patch(
            &format!("/projects/{second}"),
            json!({ "status": "active" }),
        )
        .await
        .refused(409, "allowance-exceeded");

    app.db_limit(|limits| limits.ai_tracked = 2).await;
    let track = async |keyword: i64, on: bool| {
        let body = json!({ "aiTracked": on });
        agent.patch(&format!("/keywords/{keyword}"), body).await
    };
    track(keywords[1], true).await.ok();
    track(keywords[2], true).await.ok();
    track(keywords[3], true)
        .await
        .refused(409, "allowance-exceeded");
    track(keywords[2], true).await.ok();
    track(keywords[1], false).await.ok();
    track(keywords[3], true).await.ok();
    let health = agent.get("/health").await.ok();
    assert_eq!(quota(&health, "aiTracked"), (2, 2));
    assert_eq!(quota(&health, "projects"), (3, 3));
}
