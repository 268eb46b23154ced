//! Metrics: names, units and labels as documented, few series, and values that change.

use super::{
    admin_client::{AdminClient, Scrape},
    on_both,
    world::World,
};
use chrono::TimeDelta;
use domain::ports::storage::Storage;
use harness::{callers::client, recorded::table};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path};

on_both!(
    metrics_match_the_documentation_and_change,
    label_values_are_bounded_for_any_input,
);

/// Allowed unit suffixes, and metrics without one.
const UNITS: [&str; 4] = ["_seconds", "_bytes", "_usd", "_total"];
const WITHOUT: [&str; 11] = [
    "sightline_http_server_active_requests",
    "sightline_db_pool_connections",
    "sightline_sqlite_integrity_ok",
    "sightline_sqlite_writer_queue_depth",
    "sightline_jobs_queued",
    "sightline_job_fairness_jain",
    "sightline_provider_breaker_state",
    "sightline_build_info",
    "process_open_fds",
    "process_max_fds",
    "process_threads",
];
/// Allowed label names.
const LABELS: [&str; 14] = [
    "method",
    "route",
    "status",
    "provider",
    "operation",
    "outcome",
    "op",
    "state",
    "type",
    "reason",
    "policy",
    "quota",
    "tool",
    "version",
];
/// The bounds of OpenTelemetry's convention.
const BOUNDS: [&str; 14] = [
    "0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1", "2.5", "5",
    "7.5", "10",
];

/// The rows of the table in `docs/reference/metrics.md`: name, kind, labels, help.
fn documented() -> Vec<Vec<String>> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/metrics.md");
    table(&fs::read_to_string(place).unwrap(), "metric")
}

/// Label names and values of a line.
fn labels(line: &str) -> Vec<(String, String)> {
    let Some((_, rest)) = line.split_once('{') else {
        return vec![];
    };
    let inside = rest.strip_suffix('}').unwrap();
    inside
        .split("\",")
        .map(|it| {
            let (name, value) = it.split_once("=\"").unwrap();
            (name.to_owned(), value.trim_end_matches('"').to_owned())
        })
        .collect()
}

fn family(line: &str, scraped: &Scrape) -> String {
    let name = line.split('{').next().unwrap();
    let parts = ["_bucket", "_sum", "_count"];
    let base = parts.iter().find_map(|it| name.strip_suffix(it));
    base.filter(|it| {
        scraped
            .types
            .get(*it)
            .is_some_and(|kind| kind == "histogram")
    })
    .unwrap_or(name)
    .to_owned()
}

/// Rules for every scrape.
fn lint(scraped: &Scrape) {
    let expected = documented();
    let served: BTreeSet<&String> = scraped.types.keys().collect();
    assert_eq!(served, expected.iter().map(|it| &it[0]).collect());
    assert_eq!(served, scraped.help.keys().collect());
    let rows: Vec<Vec<String>> = { expected.iter() }
        .map(|row| {
            let (name, labels) = (&row[0], row[2].clone());
            let (kind, help) = (scraped.types[name].clone(), scraped.help[name].clone());
            vec![format!("`{name}`"), kind, labels, help]
        })
        .collect();
    let columns = ["metric", "kind", "labels", "what it is"];
    harness::assert_documented!("docs/reference/metrics.md", columns, rows);
    for row in &expected {
        let (name, kind) = (&row[0], &row[1]);
        let has_unit = UNITS.iter().any(|it| name.ends_with(it));
        assert!(has_unit || WITHOUT.contains(&name.as_str()), "{name}");
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name}");
        let is_snake = |it: u8| it.is_ascii_lowercase() || it == b'_';
        assert!(name.bytes().all(is_snake), "{name}");
    }
    for (line, value) in &scraped.samples {
        if let Some(old) = line.strip_prefix("sightline_") {
            let same = scraped
                .unprefixed
                .get(old)
                .is_some_and(|it| it.total_cmp(value).is_eq());
            assert!(same, "{old} is not reported under its old name");
        }
        let family = family(line, scraped);
        let row = expected.iter().find(|it| it[0] == family);
        let row = row.unwrap_or_else(|| panic!("{line} was not announced"));
        let own: Vec<_> = { labels(line).into_iter() }
            .filter(|(name, _)| name != "le")
            .collect();
        let names: BTreeSet<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
        let documented: BTreeSet<&str> = { row[2].split(", ") }
            .filter(|it| !it.is_empty() && *it != "–")
            .collect();
        assert_eq!(names, documented, "{line}");
        assert!(names.iter().all(|it| LABELS.contains(it)), "{line}");
        for (name, value) in &own {
            // No ids, URLs or caller input: digits occur in statuses and versions only.
            let may_have_digits = ["status", "version", "route"].contains(&name.as_str());
            assert!(
                may_have_digits || !value.bytes().any(|it| it.is_ascii_digit()),
                "{line}"
            );
            assert!(!value.is_empty() && value.len() <= 60, "{line}");
            assert!(!value.contains("://") && !value.contains('@'), "{line}");
        }
        if line.contains("_bucket{") && !family.starts_with("sightline_job_") {
            let bound = line.rsplit("le=\"").next().unwrap().trim_end_matches("\"}");
            assert!(bound == "+Inf" || BOUNDS.contains(&bound), "{line}");
        }
    }
}

async fn metrics_match_the_documentation_and_change(mut world: World) {
    world.set("LIMITS__FAILED_TOKENS_BURST", "3");
    world.set("LIMITS__FAILED_TOKENS_PER_MINUTE", "1");
    let (server, api, watcher) = world.serve_with_admin(&[]);
    let rest = watcher.metrics().await;
    lint(&rest);
    assert!(rest.samples.len() < 2_000, "{} at rest", rest.samples.len());
    assert!((rest.sum("build_info", &["version="]) - 1.0).abs() < f64::EPSILON);

    are_there_from_the_start(&rest);
    let project = api.project("metrics.example.com", 4).await;
    let job = api.analyze("rankCheck", project).await;
    api.finished(job).await;
    for _ in 0..5 {
        let stranger = super::api::Api {
            token: format!("sightline_agt_{}", "x".repeat(49)),
            ..api.clone()
        };
        stranger.call("GET", "/projects", None).await;
    }
    let post = |key: &str| {
        let request = client().post(format!("http://{}/api/agent/v1/projects", api.address));
        let request = request.header("Idempotency-Key", key);
        request
            .bearer_auth(&api.token)
            .json(&json!({ "domain": "once.example.com" }))
    };
    for _ in 0..3 {
        assert_eq!(post("again").send().await.unwrap().status(), 201);
    }
    call_tool(&api).await;

    let moved = watcher.metrics().await;
    lint(&moved);
    let is = |name: &str, words: &[&str], number: f64| {
        let found = moved.sum(name, words);
        assert!(
            (found - number).abs() < f64::EPSILON,
            "{name} {words:?}: {found}"
        );
    };
    let requests = "http_server_request_duration_seconds_count";
    is(
        requests,
        &["method=\"POST\"", "/analyze\"", "status=\"202\""],
        1.0,
    );
    is(
        requests,
        &["route=\"/api/agent/v1/projects\"", "status=\"201\""],
        4.0,
    );
    is("jobs_enqueued_total", &["rankCheck"], 1.0);
    is("jobs_finished_total", &["rankCheck", "succeeded"], 1.0);
    is("job_wait_seconds_count", &["rankCheck"], 1.0);
    is("job_run_seconds_count", &["rankCheck"], 1.0);
    is("auth_failures_total", &["token-invalid"], 3.0);
    is("rate_limited_total", &["failed-tokens"], 2.0);
    is("idempotency_replays_total", &[], 2.0);
    is("mcp_tool_calls_total", &["outcome=\"ok\""], 1.0);
    is("http_server_active_requests", &[], 0.0);
    for (name, words) in [
        (
            "db_client_operation_duration_seconds_count",
            &["op=\"read\""][..],
        ),
        (
            "db_client_operation_duration_seconds_count",
            &["op=\"statement\""],
        ),
        (
            "db_client_operation_duration_seconds_count",
            &["op=\"commit\""],
        ),
        ("db_pool_wait_seconds_count", &[]),
        ("db_pool_connections", &[]),
    ] {
        assert!(moved.sum(name, words) > 0.0, "{name} {words:?}");
    }
    if world.is_sqlite() {
        assert!(moved.sum("sqlite_wal_bytes", &[]) > 0.0);
        assert!(moved.sum("sqlite_writer_wait_seconds_count", &[]) > 0.0);
    }
    drop(server);

    // A server without a worker reports waiting jobs.
    let (_server, api, watcher) = world.serve_with_admin(&["--no-worker"]);
    api.analyze("rankCheck", project).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let waiting = watcher.metrics().await;
    assert!((waiting.sum("jobs_queued", &["waiting"]) - 1.0).abs() < f64::EPSILON);
    assert!(waiting.sum("job_oldest_ready_seconds", &[]) >= 1.0);
    assert!((waiting.sum("job_fairness_jain", &[]) - 1.0).abs() < f64::EPSILON);

    check_backup_timestamp(&world, &watcher).await;
}

fn are_there_from_the_start(rest: &Scrape) {
    // Alert rules need the first increase, which a series that starts with it lacks.
    for reason in ["reason=\"worker-lost\"", "reason=\"deadline-passed\""] {
        let line = format!("sightline_job_rescues_total{{{reason}}}");
        assert_eq!(rest.samples.get(&line), Some(&0.0), "{}", rest.text);
    }
    for line in [
        "auth_failures_total{reason=\"token-invalid\"}",
        "quota_rejected_total{quota=\"monthlyBudget\"}",
        "rate_limited_total{policy=\"failed-tokens\"}",
        "jobs_finished_total{type=\"rankCheck\",outcome=\"failed\"}",
        "job_retries_total{type=\"siteAudit\",reason=\"siteUnreachable\"}",
    ] {
        let line = format!("sightline_{line}");
        assert_eq!(rest.samples.get(&line), Some(&0.0), "{line} {}", rest.text);
    }
    assert!(rest.samples["process_resident_memory_bytes"] > 1e6);
    assert!(rest.samples["process_open_fds"] > 3.0);
    assert!(rest.sum("clock_offset_seconds", &[]).abs() < 5.0);
    assert!(rest.sum("last_backup_timestamp_seconds", &[]).abs() < f64::EPSILON);
}

async fn check_backup_timestamp(world: &World, watcher: &AdminClient) {
    let file = world.folder().join("backup");
    let began = world.database.storage.now().await.unwrap();
    world.run_command(&["backup", file.to_str().unwrap()]);
    loop {
        let scrape = watcher.metrics().await;
        let at = scrape.sum("last_backup_timestamp_seconds", &[]);
        let now = world.database.storage.now().await.unwrap();
        if at > 0.0 {
            let (began, now) = (began.timestamp(), now.timestamp() + 1);
            #[expect(clippy::cast_possible_truncation, reason = "seconds")]
            let at = at as i64;
            assert!(began <= at && at <= now, "{began} {at} {now}");
            break;
        }
        assert!(now - began < TimeDelta::seconds(30), "{}", scrape.text);
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
}

async fn call_tool(api: &super::api::Api) {
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "service_list_projects", "arguments": {} },
    });
    let request = client().post(format!("http://{}/mcp", api.address));
    let answer = request
        .bearer_auth(&api.token)
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2025-11-25")
        .json(&message)
        .send()
        .await
        .unwrap();
    let status = answer.status().as_u16();
    let response: Value = answer.json().await.unwrap();
    assert_eq!(status, 200, "{response}");
    assert!(response["result"]["isError"] != true, "{response}");
}

async fn label_values_are_bounded_for_any_input(mut world: World) {
    for limit in ["READS", "WRITES", "ACCOUNT", "ANONYMOUS", "FAILED_TOKENS"] {
        world.set(&format!("LIMITS__{limit}_BURST"), "2000");
    }
    let (_server, api, watcher) = world.serve_with_admin(&["--no-worker"]);
    let mixed = async |round: usize| {
        for number in 0..40 {
            let id = round * 1_000 + number;
            for path in [
                format!("/projects/{id}"),
                format!("/projects/{id}/keywords?q=word{id}"),
                format!("/nothing/{id}"),
                format!("/results?type=made-up-{id}&projectId={id}"),
                format!("/analyze?jobId={id}"),
            ] {
                api.call("GET", &path, None).await;
                api.call(&format!("BREW{id}"), &path, None).await;
            }
            let body = json!({ "domain": format!("shop-{id}.example.com") });
            api.call("POST", "/projects", Some(&body)).await;
            api.probe(&format!("/projects/{id}/results/x{id}")).await;
            api.probe(&format!("/made-up-{id}")).await;
        }
    };
    mixed(1).await;
    let first = watcher.metrics().await;
    lint(&first);
    mixed(2).await;
    let second = watcher.metrics().await;
    lint(&second);
    assert!(second.samples.len() < 2_000, "{}", second.samples.len());
    let names = |it: &Scrape| it.samples.keys().cloned().collect::<BTreeSet<_>>();
    let more: Vec<_> = names(&second).difference(&names(&first)).cloned().collect();
    assert!(more.is_empty(), "the second load brought {more:?}");
    assert!(second.text.contains("route=\"_unmatched\""));
    assert!(second.text.contains("method=\"_OTHER\""));
    for word in ["shop-", "word1", "made-up", "BREW", "ann@", "x1001"] {
        assert!(!second.text.contains(word), "{word} is in the metrics");
    }
}
