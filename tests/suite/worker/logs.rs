//! What a server says about a request: enough to find it, nothing that is secret.

use super::{on_both, world::World};
use serde_json::Value;

on_both!(a_request_leaves_one_line_with_its_route_and_account_and_without_its_secrets);

async fn a_request_leaves_one_line_with_its_route_and_account_and_without_its_secrets(
    mut world: World,
) {
    world.set("LOG__FORMAT", "json");
    let (mut server, api) = world.serve(&["--no-worker"]);
    let project = api.project("example.com", 1).await;
    api.get(&format!("/projects/{project}?fields=id")).await;
    api.call("GET", "/pasted-by-mistake", None).await;

    let line = server.await_line("\"route\":\"none\"");
    let unknown: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&unknown["status"], &unknown["account"]),
        (&404.into(), &Value::Null)
    );
    let lines: Vec<Value> = server
        .said()
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
    assert_eq!(line["account"], world.account(), "{line}");
    for part in ["request", "milliseconds"] {
        assert!(!line[part].is_null(), "{part} is missing: {line}");
    }
    let said = server.said().join("\n");
    for secret in [&api.token, "fields=id", "pasted-by-mistake"] {
        assert!(!said.contains(secret), "{secret} is in the log");
    }
}
