//! AI visibility through the API with the sandbox's engines: killed runs and partial runs.

use super::{
    api::{Api, done_units, number},
    crashes::{Working, start},
    on_both,
    world::World,
};
use chrono::DateTime;
use serde_json::{Value, json};
use std::collections::BTreeSet;

on_both!(
    answers_become_records_and_can_be_read_one_by_one,
    failed_and_refused_answers_do_not_lower_rates,
    #[ignore = "slow: processes are killed, and leases run out"]
    killed_run_resumes_without_duplicate_answers,
    partial_run_keeps_other_keywords_and_engines,
    models_set_by_command_apply_to_the_next_run,
    trends_and_suggestions_follow_from_the_tallies,
);

const KEYWORDS: usize = 3;
const ENGINES: usize = 3;
const SAMPLES: usize = 5;
/// Five prompts for each keyword, and one that names the project.
const ANSWERS: usize = ANSWERS_OF_ONE * ENGINES;
const ANSWERS_OF_ONE: usize = (KEYWORDS * 5 + 1) * SAMPLES;

pub async fn tracked(api: &Api, keywords: usize) -> i64 {
    let project = api.project("zyxwor.com", 0).await;
    let texts: Vec<String> = (0..keywords)
        .map(|n| format!("standing desk {n}"))
        .collect();
    track(api, project, &texts).await;
    project
}

async fn track(api: &Api, project: i64, texts: &[String]) {
    let path = format!("/projects/{project}/keywords");
    let body = json!({ "keywords": texts, "aiTracked": true });
    let (status, response) = api.call("POST", &path, Some(&body)).await;
    assert!((200..300).contains(&status), "{response}");
}

pub async fn results_of(api: &Api, result_type: &str, project: i64) -> Value {
    let path = format!("/results?type={result_type}&projectId={project}&limit=200");
    let results = api.get(&path).await;
    assert_eq!(results["state"], "ready", "{results}");
    results
}

async fn results(api: &Api, result_type: &str, project: i64) -> Value {
    let results = results_of(api, result_type, project).await;
    assert_eq!(results["provenance"], "simulated");
    results
}

pub fn items(results: &Value) -> &[Value] {
    results["items"].as_array().unwrap()
}

fn is_newer(record: &Value, run: &Value) -> bool {
    let time = |it: &Value| DateTime::parse_from_rfc3339(it.as_str().unwrap()).unwrap();
    time(&record["measuredAt"]) >= time(&run["startedAt"])
}

/// The answer counts of a record by state.
fn counts(record: &Value) -> [i64; 6] {
    [
        "/answerCount",
        "/refusalCount",
        "/emptyCount",
        "/notShownCount",
        "/cutShortCount",
        "/failedCount",
    ]
    .map(|it| number(record, it))
}

fn answers(world: &World, project: i64, more: &[&str]) -> Vec<Value> {
    let project = project.to_string();
    let mut arguments = vec![
        "answers",
        "list",
        "--email",
        "ann@example.com",
        "--project",
        &project,
        "--json",
        "--limit",
        "200",
    ];
    arguments.extend(more);
    serde_json::from_str(&world.run_command(&arguments)).unwrap()
}

/// All stored answers, page by page.
fn all_answers(world: &World, project: i64) -> Vec<Value> {
    let mut all = answers(world, project, &[]);
    loop {
        let last = all.last().unwrap()["id"].to_string();
        let more = answers(world, project, &["--before", &last]);
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

async fn answers_become_records_and_can_be_read_one_by_one(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = tracked(&api, KEYWORDS).await;
    let dry_run = json!({ "type": "aiVisibility", "projectId": project, "dryRun": true });
    let (_, plan) = api.call("POST", "/analyze", Some(&dry_run)).await;
    assert_eq!(plan["units"], json!(ANSWERS));
    assert_eq!(plan["expectedCost"]["amount"], "0.00");

    let over = api
        .finished(api.analyze("aiVisibility", project).await)
        .await;
    assert_eq!(over["status"], "succeeded", "{over}");
    assert_eq!(
        (&over["progress"]["done"], &over["progress"]["unit"]),
        (&json!(ANSWERS), &json!("answers"))
    );
    let stages: Vec<&str> = over["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(stages, ["ask", "judge", "trends", "publish"]);

    let found = results(&api, "ai-visibility", project).await;
    let discovery: Vec<&Value> = items(&found)
        .iter()
        .filter(|it| it["panel"] == "discovery")
        .collect();
    let branded = items(&found).iter().filter(|it| it["panel"] == "branded");
    assert_eq!(discovery.len(), KEYWORDS * ENGINES);
    assert_eq!(branded.clone().count(), ENGINES);
    assert!(branded.clone().all(|it| it["keywordId"].is_null()));
    for record in &discovery {
        assert_eq!(counts(record).iter().sum::<i64>(), 25, "{record}");
        assert_eq!(record["answers"].as_array().unwrap().len(), 25);
        let figure = |name: &str| record[name].as_f64();
        if let (Some(rate), Some(low), Some(high)) = (
            figure("mentionRate"),
            figure("mentionRateLow"),
            figure("mentionRateHigh"),
        ) {
            assert!(low <= rate && rate <= high && high - low > 0.05, "{record}");
        }
        let has_sources = record["engine"] != "sandboxMentions" && counts(record)[0] > 0;
        assert_eq!(record["citationRate"].is_number(), has_sources, "{record}");
    }
    let summary = &found["summary"];
    assert_eq!(summary["engines"].as_array().unwrap().len(), ENGINES);
    assert!(summary["mentionRate"].as_f64().unwrap() > 0.0);

    // The stored answers are those counted, with mention spans inside their text.
    let kept = all_answers(&world, project);
    assert_eq!(kept.len(), ANSWERS);
    let id = kept[ANSWERS / 2]["id"].to_string();
    let id_of = project.to_string();
    let show = |form: &[&str]| {
        let mut arguments = vec![
            "answers",
            "show",
            "--email",
            "ann@example.com",
            "--project",
            &id_of,
            "--id",
            &id,
        ];
        arguments.extend(form);
        world.run_command(&arguments)
    };
    let one: Value = serde_json::from_str(&show(&["--json"])).unwrap();
    let text: Vec<char> = one["text"].as_str().unwrap().chars().collect();
    for mark in one["marks"].as_array().unwrap() {
        assert!(number(mark, "/end") <= i64::try_from(text.len()).unwrap());
    }
    assert!(show(&[]).contains(one["engine"].as_str().unwrap()));
    assert!(show(&["--html"]).contains("Content-Security-Policy"));
    let refusal = world.run_failing_command(&[
        "answers",
        "show",
        "--email",
        "ann@example.com",
        "--project",
        &id_of,
        "--id",
        "7",
    ]);
    assert!(refusal.contains("answer 7 does not exist"), "{refusal}");
    let health = api.get("/health").await;
    let providers = health["providers"].as_array().unwrap();
    let provider = providers
        .iter()
        .find(|it| it["need"] == "aiAnswers")
        .unwrap();
    assert_eq!(provider["state"], "sandbox");
}

async fn failed_and_refused_answers_do_not_lower_rates(mut world: World) {
    let (server, api) = world.serve(&[]);
    let project = tracked(&api, KEYWORDS).await;
    api.finished(api.analyze("aiVisibility", project).await)
        .await;
    let before = results(&api, "ai-visibility", project).await;
    drop(server);

    // The same day and prompts; a third of the calls fails.
    world.set("SEARCH__SANDBOX__FAILURE_RATE", "0.3");
    let (_server, api) = world.serve(&[]);
    let over = api
        .finished(api.analyze("aiVisibility", project).await)
        .await;
    assert_eq!(over["status"], "partial", "{over}");
    let after = results(&api, "ai-visibility", project).await;
    assert_eq!(items(&after).len(), items(&before).len());
    let mut failed = 0;
    for (record, whole) in items(&after).iter().zip(items(&before)) {
        let (now, then) = (counts(record), counts(whole));
        assert_eq!(now.iter().sum::<i64>(), then.iter().sum::<i64>());
        failed += now[5];
        if now[5] > 0 {
            assert!(record["warnings"].to_string().contains("answersFailed"));
            assert_ne!(record["status"], "ok");
        }
        // Failed answers are in no rate, so the project's mentions can shrink only by their number.
        let named = number(record, "/mentionCount");
        assert!(named <= number(whole, "/mentionCount") && named <= now[0]);
        let lost = then[0] - now[0];
        assert!(number(whole, "/mentionCount") - named <= lost, "{record}");
        if let Some(rate) = record["mentionRate"].as_f64() {
            let rows = record["answers"].as_array().unwrap();
            assert!(
                (rate - mean_of_prompts(rows)).abs() < 1e-4,
                "{rate} {record}"
            );
        }
    }
    assert!(failed > 0, "nothing failed");
}

/// Mean over prompts of the share of counted answers that name the project.
fn mean_of_prompts(rows: &[Value]) -> f64 {
    let counted = rows.iter().filter(|it| it["state"] == "counted");
    let prompts: BTreeSet<&str> = counted
        .clone()
        .map(|it| it["promptId"].as_str().unwrap())
        .collect();
    let rates = prompts.iter().map(|prompt| {
        let of: Vec<bool> = counted
            .clone()
            .filter(|it| it["promptId"] == *prompt)
            .map(|it| it["mentioned"] == true)
            .collect();
        let named = of.iter().filter(|it| **it).count();
        f64::from(u32::try_from(named).unwrap()) / f64::from(u32::try_from(of.len()).unwrap())
    });
    rates.sum::<f64>() / f64::from(u32::try_from(prompts.len()).unwrap())
}

async fn killed_run_resumes_without_duplicate_answers(mut world: World) {
    world.use_long_leases();
    world.set("SEARCH__SANDBOX__LATENCY_MS", "1500");
    let mut working = start(&world);
    let project = tracked(&working.api, KEYWORDS).await;
    let job = working.api.analyze("aiVisibility", project).await;
    let mut kept = BTreeSet::new();
    for part in [30, 120] {
        working.api.follow(job, |job| done_units(job) >= part).await;
        let Working { worker, beside, .. } = working;
        worker.kill();
        drop(beside);
        let answers = all_answers(&world, project);
        let now: BTreeSet<i64> = answers.iter().map(|it| number(it, "/id")).collect();
        assert!(now.is_superset(&kept), "what was kept stays as it was");
        assert!(now.len() < ANSWERS, "it was killed too late");
        kept = now;
        working = start(&world);
    }
    let over = working.api.finished(job).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    assert_eq!(number(&over, "/attempts"), 3);
    let all = all_answers(&world, project);
    let ids: BTreeSet<i64> = all.iter().map(|it| number(it, "/id")).collect();
    assert!(ids.is_superset(&kept));
    let questions: BTreeSet<String> = { all.iter() }
        .map(|it| {
            format!(
                "{} {} {}",
                it["engine"], it["prompt"]["promptId"], it["runIndex"]
            )
        })
        .collect();
    assert_eq!((questions.len(), all.len()), (ANSWERS, ANSWERS));
    // Only calls under way at the kill are repeated.
    let calls = number(&over, "/cost/calls");
    assert_eq!(
        calls,
        i64::try_from(ANSWERS).unwrap(),
        "calls of kept answers"
    );
}

async fn partial_run_keeps_other_keywords_and_engines(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = tracked(&api, KEYWORDS).await;
    api.finished(api.analyze("aiVisibility", project).await)
        .await;
    let whole = results(&api, "ai-visibility", project).await;
    let keyword = items(&whole)
        .iter()
        .find_map(|it| it["keywordId"].as_i64())
        .unwrap();
    let some = json!({ "type": "aiVisibility", "projectId": project, "keywordIds": [keyword] });
    let (status, job) = api.call("POST", "/analyze", Some(&some)).await;
    assert_eq!(
        (status, &job["progress"]["total"]),
        (202, &json!(25 * ENGINES))
    );
    let over = api.finished(number(&job, "/id")).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let after = results(&api, "ai-visibility", project).await;
    assert_eq!(items(&after).len(), items(&whole).len());
    assert!(
        after["warnings"].to_string().contains("carriedOver"),
        "{}",
        after["warnings"]
    );

    // A run of one engine keeps the records and trends of the others.
    let one =
        json!({ "type": "aiVisibility", "projectId": project, "models": ["sandboxAssistant"] });
    let (status, job) = api.call("POST", "/analyze", Some(&one)).await;
    assert_eq!(
        (status, &job["progress"]["total"]),
        (202, &json!(ANSWERS_OF_ONE))
    );
    let over = api.finished(number(&job, "/id")).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let of_one = results(&api, "ai-visibility", project).await;
    assert_eq!(items(&of_one).len(), items(&whole).len());
    assert!(
        items(&of_one)
            .iter()
            .all(|it| (it["engine"] == "sandboxAssistant") == is_newer(it, &over)),
        "{of_one}"
    );
    let trends = results(&api, "ai-trends", project).await;
    let engines: BTreeSet<String> = { items(&trends).iter() }
        .map(|it| it["engine"].to_string())
        .collect();
    assert_eq!(engines.len(), ENGINES);
    let unknown = json!({ "type": "aiVisibility", "projectId": project, "models": ["gemini"] });
    let (status, problem) = api.call("POST", "/analyze", Some(&unknown)).await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (422, &json!("/models"))
    );
    assert_eq!(
        problem["errors"][0]["allowed"].as_array().unwrap().len(),
        ENGINES,
        "{problem}"
    );

    // An untracked keyword loses its records.
    let off = json!({ "aiTracked": false });
    let (status, updated) = api
        .call("PATCH", &format!("/keywords/{keyword}"), Some(&off))
        .await;
    assert_eq!(status, 200, "{updated}");
    api.finished(api.analyze("aiVisibility", project).await)
        .await;
    let after = results(&api, "ai-visibility", project).await;
    assert!(
        items(&after)
            .iter()
            .all(|it| it["keywordId"] != json!(keyword))
    );
    assert_eq!(items(&after).len(), items(&whole).len() - ENGINES);
}

async fn models_set_by_command_apply_to_the_next_run(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = tracked(&api, 1).await;
    let set = |more: &[&str]| {
        let mut arguments = vec!["models", "set", "--email", "ann@example.com"];
        arguments.extend(more);
        world.run_command(&arguments)
    };
    set(&["--engine", "sandboxOverview", "--active", "no"]);
    set(&["--engine", "sandboxMentions", "--active", "no"]);
    let printed = set(&[
        "--engine",
        "sandboxAssistant",
        "--samples",
        "3",
        "--prompts",
        "2",
        "--language",
        "de",
        "--country",
        "at",
    ]);
    assert_eq!(
        printed,
        "sandboxAssistant: active, 2 prompts per keyword, 3 answers per prompt"
    );
    let wrong = world.run_failing_command(&[
        "models",
        "set",
        "--email",
        "ann@example.com",
        "--engine",
        "sandboxAssistant",
        "--samples",
        "2",
    ]);
    assert!(wrong.contains("3 to 20"), "{wrong}");
    let listed: Value = serde_json::from_str(&world.run_command(&[
        "models",
        "list",
        "--email",
        "ann@example.com",
        "--json",
    ]))
    .unwrap();
    assert_eq!(listed[0]["samplesPerPrompt"], 3);

    let over = api
        .finished(api.analyze("aiVisibility", project).await)
        .await;
    assert_eq!(over["progress"]["done"], (2 + 1) * 3);
    let found = results(&api, "ai-visibility", project).await;
    let record = &items(&found)[1];
    assert_eq!(
        (&record["language"], &record["country"], &record["engine"]),
        (&json!("de"), &json!("at"), &json!("sandboxAssistant"))
    );
    let models = api.get("/models").await;
    let first = &models["items"][0];
    assert_eq!(first["id"], "sandboxAssistant");
    assert!(first["lastUsedAt"].is_string(), "{first}");
}

async fn trends_and_suggestions_follow_from_the_tallies(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = tracked(&api, KEYWORDS).await;
    let id = project.to_string();
    world.run_command(&[
        "brands",
        "set",
        "--email",
        "ann@example.com",
        "--project",
        &id,
        "--domain",
        "zyxwor.com",
        "Zyxwor Desks",
        "Zyxwor",
    ]);
    api.finished(api.analyze("rankCheck", project).await).await;
    let over = api
        .finished(api.analyze("aiVisibility", project).await)
        .await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let trends = results(&api, "ai-trends", project).await;
    assert_eq!(items(&trends).len(), (KEYWORDS + 1) * ENGINES);
    for record in items(&trends) {
        // One week is not enough for a trend.
        assert_eq!(record["status"], "insufficientData", "{record}");
        assert_eq!(record["changeAbs"], Value::Null);
        assert!(record["points"].as_array().unwrap().len() <= 1);
    }
    let of_project: Vec<&Value> = items(&trends)
        .iter()
        .filter(|it| it["keywordId"].is_null())
        .collect();
    assert_eq!(of_project.len(), ENGINES);
    assert_eq!(
        trends["summary"]["engines"].as_array().unwrap().len(),
        ENGINES
    );

    // Without configured competitors, those of the SERPs are tracked.
    let found = results(&api, "ai-visibility", project).await;
    assert!(
        !items(&found)[ENGINES]["competitors"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    // The next rank check reports AI rates of competitors and the AI share of voice.
    api.finished(api.analyze("rankCheck", project).await).await;
    let competitors = results(&api, "competitors", project).await;
    assert!(
        items(&competitors)
            .iter()
            .any(|it| it["aiMentionRate"].is_number()),
        "{}",
        competitors["items"][0]
    );
    let shares = results(&api, "sov", project).await;
    assert_eq!(
        shares["summary"]["aiShareOfVoice"],
        found["summary"]["shareOfVoice"]
    );
}
