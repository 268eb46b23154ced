//! GET /models, and the plan of an AI analysis.

use domain::{
    ai_models::{ModelChange, ModelSettings},
    market::Country,
    patch::Change,
    ports::clock::Clock,
    use_cases::{Core, Policies, ai_models::AiModelError},
};
use harness::{app::TestApp, databases::TestDatabase, engines, on_every_database};
use serde_json::{Value, json};

on_every_database![
    models_return_the_ai_keyword_quota,
    every_engine_is_listed_with_the_account_settings,
    a_plan_returns_answer_count_cost_and_quota,
    ai_analyses_without_keywords_or_engines_are_refused,
];

/// Two configured engines; the others are not set up.
async fn app(db: &TestDatabase) -> TestApp {
    TestApp::with_settings(db, |config| {
        config.policies.engines = engines::idle(&[("gemini", 2_000), ("perplexity", 0)]);
    })
    .await
}

async fn set(app: &TestApp, engine: &str, change: ModelChange) -> Result<(), AiModelError> {
    let policies = Policies {
        engines: engines::idle(&[("gemini", 2_000), ("perplexity", 0)]),
        ..Policies::default()
    };
    let core = Core {
        policies,
        ..app.core()
    };
    core.change_ai_model(app.db_account().await, engine, &change)
        .await
        .map(drop)
}

fn model<'a>(models: &'a Value, id: &str) -> &'a Value {
    let mut items = models["items"].as_array().unwrap().iter();
    items.find(|it| it["id"] == id).unwrap()
}

async fn models_return_the_ai_keyword_quota(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &[]).await;
    let body = json!({ "keywords": ["a", "b"], "aiTracked": true });
    agent
        .post(&format!("/projects/{project}/keywords"), body)
        .await
        .created();
    let models = agent.get("/models").await.ok();
    assert_eq!(
        models["allowance"]["aiTracked"],
        json!({ "limit": 100, "used": 2 })
    );
    assert_eq!(
        agent.get("/models?x=1").await.errors(),
        [("x".into(), "unknown-parameter".into())]
    );
}

async fn every_engine_is_listed_with_the_account_settings(db: TestDatabase) {
    let app = app(&db).await;
    let agent = app.db_full_agent().await;
    let models = agent.get("/models").await.ok();
    let ids: Vec<&str> = models["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "gemini",
            "perplexity",
            "chatgpt",
            "claude",
            "googleAiOverview",
            "googleAiMode",
            "compatible"
        ]
    );
    assert_eq!(models["limit"], 7);
    let usual = model(&models, "gemini");
    assert_eq!(
        *usual,
        json!({
            "id": "gemini", "provider": "test", "model": "gemini-1", "label": "GEMINI",
            "provenance": "measured", "active": true, "webSearch": true, "hasSources": true,
            "samplesPerPrompt": 5, "promptsPerKeyword": 5, "temperature": null, "country": null,
            "language": null, "weight": 1.0, "configured": true, "unavailable": null,
            "lastUsedAt": null, "pricePerAnswer": "0.002", "currency": "USD",
        })
    );
    let missing = model(&models, "chatgpt");
    assert_eq!(
        (&missing["configured"], &missing["pricePerAnswer"]),
        (&json!(false), &Value::Null)
    );

    let change = ModelChange {
        is_active: Change::Set(false),
        samples: Change::Set(7),
        country: Change::Set(Some(Country::parse("de").unwrap())),
        ..ModelChange::default()
    };
    set(&app, "gemini", change).await.unwrap();
    let account = app.db_account().await;
    let mut work = app.storage.write().await.unwrap();
    let used = ["gemini".to_owned()];
    work.ai_models()
        .note_use(account, &used, app.clock.now())
        .await
        .unwrap();
    work.commit().await.unwrap();
    let models = agent.get("/models").await.ok();
    let changed = model(&models, "gemini");
    assert_eq!(
        (
            &changed["active"],
            &changed["samplesPerPrompt"],
            &changed["promptsPerKeyword"],
            &changed["country"],
            changed["lastUsedAt"].is_string(),
        ),
        (&json!(false), &json!(7), &json!(5), &json!("de"), true)
    );
    // Settings belong to one account.
    let theirs = app.db_other_agent().await.get("/models").await.ok();
    assert_eq!(model(&theirs, "gemini")["active"], true);

    let refused = set(&app, "nobody", ModelChange::default()).await;
    assert!(matches!(refused, Err(AiModelError::NoSuchEngine { .. })));
    let wrong = ModelChange {
        samples: Change::Set(*ModelSettings::SAMPLES.end() + 1),
        ..ModelChange::default()
    };
    let refused = set(&app, "gemini", wrong).await;
    assert!(matches!(refused, Err(AiModelError::Refused(_))));
}

async fn a_plan_returns_answer_count_cost_and_quota(db: TestDatabase) {
    let app = app(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["untracked"]).await;
    let body = json!({ "keywords": ["a", "b", "c"], "aiTracked": true });
    agent
        .post(&format!("/projects/{project}/keywords"), body)
        .await
        .created();
    let dry_run = json!({ "type": "aiVisibility", "projectId": project, "dryRun": true });
    let plan = agent.post("/analyze", dry_run.clone()).await.ok();
    // Three keywords with five prompts, and one about the project, five samples each.
    let answers = (3 * 5 + 1) * 5;
    assert_eq!(
        (&plan["units"], &plan["unit"]),
        (&json!(2 * answers), &json!("answers"))
    );
    assert_eq!(
        plan["engines"],
        json!([
            { "engine": "gemini", "answers": answers, "pricePerAnswer": "0.002" },
            { "engine": "perplexity", "answers": answers, "pricePerAnswer": "0.00" },
        ])
    );
    assert_eq!(
        plan["expectedCost"],
        json!({ "amount": "0.16", "currency": "USD", "calls": 2 * answers })
    );
    assert_eq!(
        plan["allowance"],
        json!({ "aiTracked": { "limit": 100, "used": 3 } })
    );
    assert_eq!(
        plan["results"],
        json!(["ai-visibility", "ai-trends", "suggestions"])
    );
    // The monthly budget is checked before any query.
    app.db_limit(|limits| limits.monthly_budget = Some(domain::money::MicroUsd(159_999)))
        .await;
    let start = json!({ "type": "aiVisibility", "projectId": project });
    let refused = agent.post("/analyze", start.clone()).await;
    refused.refused(429, "quota-exceeded");
    app.db_limit(|limits| limits.monthly_budget = Some(domain::money::MicroUsd(160_000)))
        .await;
    let job = agent.post("/analyze", start).await.accepted();
    assert_eq!(job["progress"]["total"], 2 * answers);

    let ranks = json!({ "type": "rankCheck", "projectId": project, "dryRun": true });
    let plan = agent.post("/analyze", ranks).await.ok();
    assert_eq!(
        (&plan["engines"], &plan["allowance"]),
        (&json!([]), &Value::Null)
    );
}

async fn ai_analyses_without_keywords_or_engines_are_refused(db: TestDatabase) {
    let app = app(&db).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["a", "b"]).await;
    let all = json!({ "type": "aiVisibility", "projectId": project });
    let refused = agent.post("/analyze", all.clone()).await;
    refused.refused(409, "nothing-to-measure");
    let track = json!({ "aiTracked": true });
    agent
        .patch(&format!("/keywords/{}", keywords[0]), track)
        .await
        .ok();
    let named = json!({ "type": "aiVisibility", "projectId": project, "keywordIds": keywords });
    let refused = agent.post("/analyze", named).await;
    refused.refused(409, "nothing-to-measure");
    for engine in ["gemini", "perplexity"] {
        let off = ModelChange {
            is_active: Change::Set(false),
            ..ModelChange::default()
        };
        set(&app, engine, off).await.unwrap();
    }
    let refused = agent.post("/analyze", all).await;
    refused.refused(409, "nothing-to-measure");
}
