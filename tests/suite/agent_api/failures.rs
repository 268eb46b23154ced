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
    a_storage_that_is_gone_is_told_with_when_to_come_back,
    a_storage_that_hangs_is_not_waited_for,
    damage_tells_nothing_about_itself,
    a_key_that_others_are_at_is_told_apart_from_a_crowd,
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
    async fn trouble(&self) -> Result<(), StorageError> {
        match self.state.load(Ordering::SeqCst) {
            GONE => Err(StorageError::Unavailable("secret-host:5432 refused".into())),
            HANGS => pending().await,
            DAMAGED => Err(StorageError::Corrupt {
                what: "secret-column",
            }),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Storage for Breakable {
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError> {
        self.trouble().await?;
        self.whole.read().await
    }

    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError> {
        self.trouble().await?;
        if self.state.load(Ordering::SeqCst) == CROWDED {
            return Err(StorageError::Interrupted("secret-lock".into()));
        }
        self.whole.write().await
    }

    async fn now(&self) -> Result<DateTime<Utc>, StorageError> {
        self.whole.now().await
    }

    async fn ping(&self) -> Result<(), StorageError> {
        self.trouble().await?;
        self.whole.ping().await
    }
}

async fn broken(db: &TestDatabase, state: u8) -> (TestApp, Caller) {
    let storage = Arc::new(Breakable {
        whole: db.port(),
        state: AtomicU8::new(WORKS),
    });
    let port = Arc::clone(&storage) as Arc<dyn Storage>;
    let app = TestApp::on(port, |config| {
        config.handler_patience = Duration::from_millis(100);
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

async fn a_storage_that_is_gone_is_told_with_when_to_come_back(db: TestDatabase) {
    let (app, agent) = broken(&db, GONE).await;
    for answer in every_answer(&agent).await {
        let told = answer.refused(503, "database-unavailable");
        assert_eq!(
            (answer.header("retry-after"), &told["retryable"]),
            ("2", &json!(true))
        );
        assert!(!answer.body.contains("secret"), "{}", answer.body);
    }
    let anonymous = app.anonymous();
    anonymous.get("/docs").await.ok();
    assert_eq!(
        anonymous
            .send(anonymous.anywhere(Method::GET, "/livez"))
            .await
            .status,
        200
    );
    let ready = anonymous
        .send(anonymous.anywhere(Method::GET, "/readyz"))
        .await;
    assert_eq!(
        (ready.status.as_u16(), ready.json()),
        (
            503,
            json!({ "status": "unavailable", "reason": "database" })
        )
    );
}

async fn a_storage_that_hangs_is_not_waited_for(db: TestDatabase) {
    let (app, agent) = broken(&db, HANGS).await;
    for answer in every_answer(&agent).await {
        answer.refused(503, "overloaded");
        assert_eq!(answer.header("retry-after"), "5");
    }
    let anonymous = app.anonymous();
    let ready = anonymous
        .send(anonymous.anywhere(Method::GET, "/readyz"))
        .await;
    assert_eq!(ready.status, 503);
}

async fn a_key_that_others_are_at_is_told_apart_from_a_crowd(db: TestDatabase) {
    let (_app, agent) = broken(&db, CROWDED).await;
    let create = || {
        let request = agent.request(Method::POST, "/projects");
        request.json(&json!({ "domain": "shop.example.com" }))
    };
    let told = agent.send(create()).await;
    told.refused(503, "database-unavailable");
    let told = agent.send(create().header("idempotency-key", "k1")).await;
    told.refused(409, "idempotency-in-progress");
    assert_eq!(told.header("retry-after"), "1");
    assert!(!told.body.contains("secret"), "{}", told.body);
}

async fn damage_tells_nothing_about_itself(db: TestDatabase) {
    let (_app, agent) = broken(&db, DAMAGED).await;
    for answer in every_answer(&agent).await {
        answer.refused(500, "internal-error");
        assert!(!answer.body.contains("secret"), "{}", answer.body);
    }
}
