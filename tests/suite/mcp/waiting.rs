//! Waiting for an analysis, with real workers: progress while it runs, then the result.

use harness::{
    callers::{Caller, id},
    on_both,
    processes::{process::Process, world::World},
    tool_callers::{STATELESS, WITH_HANDSHAKE, message},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

on_both![
    a_waiting_call_gets_progress_and_then_the_result,
    a_wait_ends_with_its_analysis_or_with_its_time,
    a_wait_ends_on_client_disconnect,
    a_stopping_server_answers_waiting_calls,
];

/// A server with a slow supplier, and a project with so many keywords.
async fn measuring(world: &mut World, keywords: usize) -> (Process, Caller, i64) {
    world.set("SEARCH__SANDBOX__LATENCY_MS", "300");
    world.set("PUBLIC_BASE_URL", "https://seo.example");
    let (server, api) = world.serve(&[]);
    let agent = Caller::new(api.address.parse().unwrap(), Some(api.token.clone()));
    let texts: Vec<String> = (0..keywords).map(|n| format!("keyword {n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let created = agent
        .call(
            "service_create_project",
            json!({ "domain": "example.com", "keywords": texts }),
        )
        .await;
    (server, agent, id(&created.ok()))
}

/// The events of a streamed call.
async fn stream(agent: &Caller, version: &str, arguments: Value) -> Vec<Value> {
    let params = json!({
        "name": "service_run_analysis",
        "arguments": arguments,
        "_meta": { "progressToken": "p" },
    });
    let request = agent.mcp_request(version, &message("tools/call", &params));
    let answer = request.send().await.unwrap();
    let kind = answer.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(kind, "text/event-stream");
    assert_eq!(answer.headers()["x-accel-buffering"], "no");
    let text = answer.text().await.unwrap();
    let data = text
        .lines()
        .filter_map(|it| it.strip_prefix("data:"))
        .map(str::trim);
    data.filter(|it| !it.is_empty())
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

async fn a_waiting_call_gets_progress_and_then_the_result(mut world: World) {
    let (server, agent, project) = measuring(&mut world, 60).await;
    for version in [STATELESS, WITH_HANDSHAKE] {
        let start = json!({ "type": "rankCheck", "projectId": project, "wait": 60 });
        let messages = stream(&agent, version, start).await;
        let (last, progress) = messages.split_last().unwrap();
        assert!(progress.len() >= 2, "{progress:?}");
        let mut before = -1.0;
        for notification in progress {
            assert_eq!(notification["method"], "notifications/progress");
            assert_eq!(notification["params"]["progressToken"], "p");
            let now = notification["params"]["progress"].as_f64().unwrap();
            assert!(now > before, "{progress:?}");
            before = now;
        }
        let job = &last["result"]["structuredContent"];
        assert_eq!(
            (&job["status"], &job["progress"]["percent"]),
            (&json!("succeeded"), &json!(100))
        );
        assert_eq!(job["trigger"], "mcp");
    }
    server.terminate();
}

async fn a_wait_ends_with_its_analysis_or_with_its_time(mut world: World) {
    let (server, agent, project) = measuring(&mut world, 200).await;
    let start = json!({ "type": "rankCheck", "projectId": project, "wait": 1 });
    let began = Instant::now();
    let job = agent.call("service_run_analysis", start).await.ok();
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    assert!(
        ["queued", "running"].contains(&job["status"].as_str().unwrap()),
        "{job}"
    );
    let follow = json!({ "jobId": id(&job), "wait": 50 });
    let ended = agent.call("service_run_analysis", follow).await.ok();
    assert_eq!(ended["items"][0]["status"], "succeeded");
    // An ended analysis is returned at once.
    let began = Instant::now();
    agent
        .call(
            "service_run_analysis",
            json!({ "jobId": id(&job), "wait": 300 }),
        )
        .await
        .ok();
    assert!(began.elapsed() < Duration::from_secs(5));
    server.terminate();
}

async fn a_wait_ends_on_client_disconnect(mut world: World) {
    world.set("LIMITS__IN_FLIGHT_PER_TOKEN", "1");
    let (server, agent, project) = measuring(&mut world, 1_000).await;
    let start = json!({ "type": "rankCheck", "projectId": project, "wait": 300 });
    let waiting = agent.call("service_run_analysis", start);
    let given_up = tokio::time::timeout(Duration::from_secs(2), waiting).await;
    assert!(given_up.is_err(), "it would have gone on");
    let hung_up = Instant::now();
    let answer = loop {
        let answer = agent.call("service_run_analysis", json!({})).await;
        let is_crowded = answer.result["isError"] == true;
        if !is_crowded || hung_up.elapsed() > Duration::from_secs(20) {
            break answer.ok();
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    let took = hung_up.elapsed();
    assert!(took < Duration::from_secs(8), "{took:?}");
    let job = &answer["items"][0];
    assert_eq!(job["status"], "running", "the analysis goes on: {job}");
    server.terminate();
}

async fn a_stopping_server_answers_waiting_calls(mut world: World) {
    let (server, agent, project) = measuring(&mut world, 1_000).await;
    let waits = {
        let agent = agent.clone();
        tokio::spawn(async move {
            let start = json!({ "type": "rankCheck", "projectId": project, "wait": 300 });
            stream(&agent, STATELESS, start).await
        })
    };
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (status, took) = tokio::task::spawn_blocking(|| server.terminate())
        .await
        .unwrap();
    assert!(
        status.success() && took < Duration::from_secs(25),
        "{status} {took:?}"
    );
    let messages = waits.await.unwrap();
    let job = &messages.last().unwrap()["result"]["structuredContent"];
    assert!(job["status"].is_string(), "{messages:?}");
}
