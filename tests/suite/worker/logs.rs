//! Log lines of requests: enough to find one, and no secrets.

use super::{
    on_both,
    process::{Process, command},
    world::World,
};
use harness::callers::client;
use serde_json::Value;
use std::net::TcpListener;
use storage::DatabaseKind;

on_both!(
    request_is_one_log_line_without_secrets,
    trace_links_a_request_to_its_job,
    every_line_of_a_json_log_is_an_object,
);

async fn request_is_one_log_line_without_secrets(mut world: World) {
    world.set("LOG__FORMAT", "json");
    let (mut server, api) = world.serve(&["--no-worker"]);
    let project = api.project("example.com", 1).await;
    api.get(&format!("/projects/{project}?fields=id")).await;
    api.call("GET", "/pasted-by-mistake", None).await;

    let line = server.await_line("\"route\":\"none\"");
    let unknown: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&unknown["status"], &unknown["accountId"]),
        (&404.into(), &Value::Null)
    );
    let lines: Vec<Value> = server
        .output()
        .iter()
        .filter(|line| line.contains("/api/agent/v1/projects/{id}\""))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = &lines[0];
    assert_eq!(
        (&line["method"], &line["status"]),
        (&"GET".into(), &200.into())
    );
    assert_eq!(line["accountId"], world.account(), "{line}");
    assert_eq!(line["id"], project, "{line}");
    for part in ["requestId", "tokenId", "milliseconds"] {
        assert!(!line[part].is_null(), "{part} is missing: {line}");
    }
    let output = server.output().join("\n");
    for secret in [&api.token, "fields=id", "pasted-by-mistake"] {
        assert!(!output.contains(secret), "{secret} is in the log");
    }
}

async fn trace_links_a_request_to_its_job(mut world: World) {
    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    world.set("LOG__FORMAT", "json");
    let (mut server, api) = world.serve(&[]);
    let project = api.project("traced.example.com", 1).await;
    let body = serde_json::json!({ "type": "rankCheck", "projectId": project });
    let request = client().post(format!("http://{}/api/agent/v1/analyze", api.address));
    let request = request.header("traceparent", format!("00-{TRACE}-b7ad6b7169203331-01"));
    let answer = request
        .header("X-Request-Id", "request-of-a-trace")
        .bearer_auth(&api.token)
        .json(&body);
    let job: Value = answer.send().await.unwrap().json().await.unwrap();

    let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let queued = read(&server.await_line("A job was queued."));
    assert_eq!(queued["jobId"], job["id"], "{queued}");
    assert_eq!(queued["accountId"], world.account());
    assert_eq!(queued["span"]["traceId"], TRACE, "{queued}");
    assert_eq!(queued["span"]["requestId"], "request-of-a-trace");
    let over = read(&server.await_line("A job's attempt is over."));
    assert_eq!((&over["jobId"], &over["attempt"]), (&job["id"], &1.into()));
    let lines: Vec<Value> = { server.output().iter() }
        .filter(|line| line.contains("A request was answered.") && line.contains(TRACE))
        .map(|line| read(line))
        .collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["traceId"], TRACE);
    assert_eq!(lines[0]["requestId"], "request-of-a-trace");
}

async fn every_line_of_a_json_log_is_an_object(mut world: World) {
    world.set("LOG__FORMAT", "json");
    let (mut server, ..) = world.serve_with_admin(&["--no-worker"]);
    server.send_sigterm();
    assert!(server.wait().success());
    let mut outputs = vec![server.full_output()];
    if !world.is_sqlite() {
        let mut worker = world.worker();
        worker.send_sigterm();
        assert!(worker.wait().success());
        outputs.push(worker.full_output());
    }
    // The reason of an exit is a JSON object too.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let arguments = ["serve", "--listen", &taken];
    let mut failed = Process::start(world.command(&arguments));
    failed.await_line("cannot listen on");
    assert!(!failed.wait().success());
    outputs.push(failed.full_output());
    // Multi-line messages of libpq stay one line.
    let away = "postgres://nobody@127.0.0.1:1/nowhere";
    let settings = [("DATABASE_URL", away), ("LOG__FORMAT", "json")]
        .map(|(name, value)| (format!("SIGHTLINE_{name}"), value.to_owned()));
    let mut failed = Process::start(command(world.folder(), &settings, &["serve"]));
    assert!(!failed.wait().success());
    outputs.push(failed.full_output());
    assert!(outputs.last().unwrap().contains("127.0.0.1"), "{outputs:?}");
    let output = outputs.join("\n");
    assert!(output.lines().count() > 6, "{output}");
    for line in output.lines() {
        let entry: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(
            entry["level"].is_string() && entry["message"].is_string(),
            "{line}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn untrusted_proxy_is_logged_once() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    world.set("PUBLIC_BASE_URL", "https://search.example.com");
    let (mut server, api) = world.serve(&["--no-worker"]);
    for number in 1..=3 {
        let request = client()
            .get(format!("http://{}/api/agent/v1/health", api.address))
            .header("X-Forwarded-For", format!("203.0.113.{number}"));
        request.send().await.unwrap();
    }
    server.send_sigterm();
    assert!(server.wait().success());
    let output = server.full_output();
    let warnings = output.matches("is not in trusted_proxies").count();
    assert_eq!(warnings, 1, "{output}");
}

#[test]
fn setup_link_is_in_the_readable_log_only() {
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--no-worker"];
    for (format, words, other) in [
        ("readable", "/welcome#", "There is no account yet"),
        ("json", "There is no account yet", "/welcome#"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let settings = [("SIGHTLINE_LOG__FORMAT".to_owned(), format.to_owned())];
        let mut server = Process::start(command(folder.path(), &settings, &arguments));
        server.await_line(words);
        server.send_sigterm();
        assert!(server.wait().success());
        let output = server.full_output();
        assert!(!output.contains(other), "{output}");
    }
}
