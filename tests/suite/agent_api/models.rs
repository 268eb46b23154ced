//! GET /models.

use harness::{app::TestApp, databases::TestDatabase, on_every_database};
use serde_json::json;

on_every_database![models_tell_the_allowance_of_ai_tracked_keywords];

async fn models_tell_the_allowance_of_ai_tracked_keywords(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &[]).await;
    let body = json!({ "keywords": ["a", "b"], "aiTracked": true });
    agent
        .post(&format!("/projects/{project}/keywords"), body)
        .await
        .created();
    let models = agent.get("/models").await.ok();
    assert_eq!(models["items"], json!([]));
    assert_eq!(
        models["allowance"]["aiTracked"],
        json!({ "limit": 100, "used": 2 })
    );
    assert_eq!(
        agent.get("/models?x=1").await.errors(),
        [("x".into(), "unknown-parameter".into())]
    );
}
