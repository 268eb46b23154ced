//! Paid AI engines: reserved budget, cost, and what a killed worker repeats.

use super::{
    ai_visibility::{items, results_of, tracked},
    api::{done_units, number},
    chat_model::ChatModel,
    crashes::{Working, start},
    on_both,
    world::World,
};
use domain::money::MicroUsd;
use serde_json::{Value, json};
use std::time::Duration;

const KEYWORDS: usize = 4;
/// Five prompts for each keyword and one that names the project, five samples each.
const ANSWERS: usize = (KEYWORDS * 5 + 1) * 5;
const SET_ASIDE: usize = ANSWERS;
/// 100 input and 100 output tokens at ten dollars a million: in millionths of a dollar.
const PRICE: usize = 2_000;
const AT_ONCE: usize = 4;

on_both!(
    cost_is_the_sum_of_the_calls,
    #[ignore = "slow: processes are killed, and leases run out"]
    killed_worker_repeats_only_calls_under_way,
    reached_cap_ends_the_run_with_partial_results,
    model_rates_sentiment_on_the_same_budget,
);

/// A model, and an account with a budget for one run at its maximum cost.
fn paying(world: &mut World, pause: u64) -> ChatModel {
    let model = ChatModel::start(Duration::from_millis(pause));
    for (name, value) in [
        ("BASE_URL", model.base_url.as_str()),
        ("MODEL", "lama-3"),
        ("PRICE_PER_MILLION_INPUT", "10"),
        ("PRICE_PER_MILLION_OUTPUT", "10"),
        ("MOST_INPUT_TOKENS", "100"),
        ("MOST_OUTPUT_TOKENS", "100"),
    ] {
        world.set(&format!("AI__COMPATIBLE__{name}"), value);
    }
    let budget = dollars(SET_ASIDE);
    for flag in ["--monthly-budget", "--daily-budget"] {
        world.run_command(&[
            "account",
            "limits",
            "--email",
            "ann@example.com",
            flag,
            &budget,
        ]);
    }
    model
}

fn dollars(answers: usize) -> String {
    MicroUsd(i64::try_from(answers * PRICE).unwrap()).to_string()
}

fn sum(records: &[Value], member: &str) -> i64 {
    records.iter().map(|it| number(it, member)).sum()
}

async fn cost_is_the_sum_of_the_calls(mut world: World) {
    let model = paying(&mut world, 5);
    let working = start(&world);
    let api = &working.api;
    let project = tracked(api, KEYWORDS).await;
    let dry_run = json!({ "type": "aiVisibility", "projectId": project, "dryRun": true });
    let (_, plan) = api.call("POST", "/analyze", Some(&dry_run)).await;
    assert_eq!(
        plan["expectedCost"],
        json!({ "amount": dollars(SET_ASIDE), "currency": "USD", "calls": SET_ASIDE })
    );
    let over = api
        .finished(api.analyze("aiVisibility", project).await)
        .await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let (billed, max_under_way) = {
        let state = model.state();
        (state.billed(), state.max_under_way)
    };
    assert_eq!(usize::try_from(billed).unwrap(), ANSWERS);
    assert!(usize::try_from(max_under_way).unwrap() <= AT_ONCE);
    assert_eq!(
        over["cost"],
        json!({ "amount": dollars(ANSWERS), "currency": "USD", "calls": ANSWERS })
    );
    let found = results_of(api, "ai-visibility", project).await;
    assert_eq!(found["provenance"], "measured");
    let records = items(&found);
    assert_eq!(records.len(), KEYWORDS + 1);
    // In millionths of a dollar.
    let cost_units = sum(records, "/costUnits");
    assert_eq!(cost_units, i64::try_from(ANSWERS * PRICE).unwrap());
    assert_eq!(records[1]["model"], "lama-3-70b");
    assert_eq!(records[1]["citationRate"], Value::Null);
    // Unspent reservations are released.
    let health = api.get("/health").await;
    let quotas = health["quotas"].as_array().unwrap();
    let month = quotas
        .iter()
        .find(|it| it["name"] == "monthlyBudget")
        .unwrap();
    assert_eq!(
        (&month["used"], &month["reserved"]),
        (&json!(dollars(ANSWERS)), &json!("0.00"))
    );
    let again = json!({ "type": "aiVisibility", "projectId": project });
    let (status, refusal) = api.call("POST", "/analyze", Some(&again)).await;
    assert_eq!((status, &refusal["code"]), (429, &json!("quota-exceeded")));
}

async fn killed_worker_repeats_only_calls_under_way(mut world: World) {
    world.use_long_leases();
    let model = paying(&mut world, 150);
    let mut working = start(&world);
    let project = tracked(&working.api, KEYWORDS).await;
    let job = working.api.analyze("aiVisibility", project).await;
    for part in [20, 60] {
        working.api.follow(job, |job| done_units(job) >= part).await;
        let Working { worker, beside, .. } = working;
        worker.kill();
        drop(beside);
        working = start(&world);
    }
    let over = working.api.finished(job).await;
    assert!(
        over["status"] == "succeeded" || over["status"] == "partial",
        "{over}"
    );
    assert_eq!(number(&over, "/attempts"), 3);
    let billed = usize::try_from(model.state().billed()).unwrap();
    assert!(billed <= ANSWERS + 2 * AT_ONCE, "{billed}");
    // A started call counts even without an answer; the cap holds.
    let spent: f64 = over["cost"]["amount"].as_str().unwrap().parse().unwrap();
    let max: f64 = dollars(SET_ASIDE).parse().unwrap();
    let min: f64 = dollars(billed).parse().unwrap();
    assert!(
        min - 1e-9 <= spent && spent <= max + 1e-9,
        "{min} {spent} {max}"
    );
}

/// A model that bills four times its maximum is queried until the reserved budget is used up.
async fn reached_cap_ends_the_run_with_partial_results(mut world: World) {
    let model = paying(&mut world, 5);
    model.bill(400);
    let working = start(&world);
    let api = &working.api;
    let project = tracked(api, KEYWORDS).await;
    let over = api
        .finished(api.analyze("aiVisibility", project).await)
        .await;
    assert_eq!(over["status"], "partial", "{over}");
    let billed = usize::try_from(model.state().billed()).unwrap();
    assert!(billed < ANSWERS / 2, "{billed}");
    assert_eq!(over["cost"]["amount"], dollars(4 * billed));
    assert_eq!(done_units(&over), i64::try_from(billed).unwrap());

    let found = results_of(api, "ai-visibility", project).await;
    assert!(
        found["warnings"].to_string().contains("jobBudgetReached"),
        "{found}"
    );
    let records = items(&found);
    assert_eq!(sum(records, "/answerCount"), i64::try_from(billed).unwrap());
    assert!(records.len() < KEYWORDS + 1 && !records.is_empty());
    // Skipped prompts must not lower a rate: every answer names the project.
    assert!(records.iter().all(|it| it["mentionRate"] == json!(1.0)));
    assert_eq!(
        found["summary"]["coverage"]["skipped"],
        json!(ANSWERS - billed)
    );
}

async fn model_rates_sentiment_on_the_same_budget(mut world: World) {
    let model = paying(&mut world, 5);
    world.set("AI__SENTIMENT_BY", "compatible");
    for flag in ["--monthly-budget", "--daily-budget"] {
        world.run_command(&["account", "limits", "--email", "ann@example.com", flag, "5"]);
    }
    let working = start(&world);
    let api = &working.api;
    let project = api.project("zyxwor.com", 0).await;
    let body = json!({
        "keywords": ["schreibtisch", "schreibtisch höhenverstellbar"],
        "aiTracked": true,
        "market": { "country": "de", "language": "de" },
    });
    let path = format!("/projects/{project}/keywords");
    let (status, created) = api.call("POST", &path, Some(&body)).await;
    assert_eq!(status, 201, "{created}");
    // Two keywords with five prompts and the project with one, five samples each: 55 answers, and one sentiment call
    // per twenty sentences.
    let dry_run = json!({ "type": "aiVisibility", "projectId": project, "dryRun": true });
    let (_, plan) = api.call("POST", "/analyze", Some(&dry_run)).await;
    assert_eq!(
        plan["sentiment"],
        json!({ "engine": "compatible", "answers": 3, "pricePerAnswer": dollars(1) })
    );
    assert_eq!(plan["expectedCost"]["amount"], dollars(55 + 3));

    let over = api
        .finished(api.analyze("aiVisibility", project).await)
        .await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let (billed, about) = {
        let state = model.state();
        (
            usize::try_from(state.billed()).unwrap(),
            state.about_sentences(),
        )
    };
    assert!((1..=3).contains(&about.0), "{about:?}");
    assert_eq!(
        u32::try_from(about.0).unwrap(),
        about.1,
        "none is queried twice"
    );
    assert_eq!(
        over["cost"],
        json!({ "amount": dollars(billed), "currency": "USD", "calls": billed })
    );
    let found = results_of(api, "ai-visibility", project).await;
    assert_eq!(found["warnings"], json!([]), "{found}");
    let keywords: Vec<&Value> = { items(&found).iter() }
        .filter(|it| it["keywordId"].is_i64())
        .collect();
    assert_eq!(keywords.len(), 2);
    for record in keywords {
        assert_eq!(record["sentimentMethod"], "model");
        assert_eq!(record["sentimentSampleSize"], 25);
        let counts = &record["sentimentCounts"];
        assert_eq!(
            number(counts, "/positive") + number(counts, "/negative"),
            25
        );
        let score = record["sentimentScore"].as_f64().unwrap();
        assert!((0.8..=1.0).contains(&score), "{record}");
    }
}
