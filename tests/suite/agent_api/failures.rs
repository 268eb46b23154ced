//! Responses to storage failures.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::ports::storage::{Repositories, Storage, StorageError, Transaction};
use harness::{
    app::TestApp,
    callers::{Answer, Caller},
    databases::TestDatabase,
};
use reqwest::Method;
use serde_json::json;
use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

harness::on_sqlite![
    an_unreachable_database_returns_503_with_retry_after,
    a_hanging_database_query_times_out,
    internal_errors_reveal_no_details,
    contention_with_a_key_returns_idempotency_in_progress,
];

const WORKS: u8 = 0;
const GONE: u8 = 1;
const HANGS: u8 = 2;
const DAMAGED: u8 = 3;
/// Reads work; writes always fail with contention.
const CROWDED: u8 = 4;

/// A storage that can fail on demand.
struct Breakable {
    whole: Arc<dyn Storage>,
    state: AtomicU8,
}

impl Breakable {
    async fn fail_if_broken(&self) -> Result<(), StorageError> {
        match self.state.load(Ordering::SeqCst) {
            GONE => Err(StorageError::Unavailable("secret-host:5432 refused".into())),
            HANGS => pending().await,
            DAMAGED => Err(StorageError::Corrupt {
                subject: "secret-column",
            }),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Storage for Breakable {
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError> {
        self.fail_if_broken().await?;
        self.whole.read().await
    }

    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError> {
        self.fail_if_broken().await?;
        if self.state.load(Ordering::SeqCst) == CROWDED {
            return Err(StorageError::Interrupted("secret-lock".into()));
        }
        self.whole.write().await
    }

    async fn now(&self) -> Result<DateTime<Utc>, StorageError> {
        self.whole.now().await
    }

    async fn ping(&self) -> Result<(), StorageError> {
        self.fail_if_broken().await?;
        self.whole.ping().await
    }
}

async fn broken(db: &TestDatabase, state: u8) -> (TestApp, Caller) {
    let storage = Arc::new(Breakable {
        whole: db.port(),
        state: AtomicU8::new(WORKS),
    });
    let port = Arc::clone(&storage) as Arc<dyn Storage>;
    let app = TestApp::on_storage(port, |config| {
        config.handler_timeout = Duration::from_millis(100);
    })
    .await;
    let agent = app.db_full_agent().await;
    storage.state.store(state, Ordering::SeqCst);
    (app, agent)
}

async fn every_answer(agent: &Caller) -> [Answer; 3] {
    [
        agent.get("/projects").await,
        agent
            .post("/projects", json!({ "domain": "shop.example.com" }))
            .await,
        agent.delete("/projects/7").await,
    ]
}

async fn an_unreachable_database_returns_503_with_retry_after(db: TestDatabase) {
    let (app, agent) = broken(&db, GONE).await;
    for answer in every_answer(&agent).await {
        let problem = answer.refused(503, "database-unavailable");
        assert_eq!(
            (answer.header("retry-after"), &problem["retryable"]),
            ("2", &json!(true))
        );
        assert!(!answer.body.contains("secret"), "{}", answer.body);
    }
    let anonymous = app.anonymous();
    anonymous.get("/docs").await.ok();
    assert_eq!(
        anonymous
            .send(anonymous.request_path(Method::GET, "/livez"))
            .await
            .status,
        200
    );
    let ready = anonymous
        .send(anonymous.request_path(Method::GET, "/readyz"))
        .await;
    assert_eq!(
        (ready.status.as_u16(), ready.json()),
        (
            503,
            json!({ "status": "unavailable", "reason": "database" })
        )
    );
}

async fn a_hanging_database_query_times_out(db: TestDatabase) {
    let (app, agent) = broken(&db, HANGS).await;
    for answer in every_answer(&agent).await {
        answer.refused(503, "overloaded");
        assert_eq!(answer.header("retry-after"), "5");
    }
    let anonymous = app.anonymous();
    let ready = anonymous
        .send(anonymous.request_path(Method::GET, "/readyz"))
        .await;
    assert_eq!(ready.status, 503);
}

async fn contention_with_a_key_returns_idempotency_in_progress(db: TestDatabase) {
    let (_app, agent) = broken(&db, CROWDED).await;
    let create = || {
        let request = agent.request(Method::POST, "/projects");
        request.json(&json!({ "domain": "shop.example.com" }))
    };
    let answer = agent.send(create()).await;
    answer.refused(503, "database-unavailable");
    let answer = agent.send(create().header("idempotency-key", "k1")).await;
    answer.refused(409, "idempotency-in-progress");
    assert_eq!(answer.header("retry-after"), "1");
    assert!(!answer.body.contains("secret"), "{}", answer.body);
}

async fn internal_errors_reveal_no_details(db: TestDatabase) {
    let (_app, agent) = broken(&db, DAMAGED).await;
    for answer in every_answer(&agent).await {
        answer.refused(500, "internal-error");
        assert!(!answer.body.contains("secret"), "{}", answer.body);
    }
}
