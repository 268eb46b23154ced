//! Third-party clients: the official inspector, and the Python SDK over HTTP and over `sightline mcp`, which solves
//! tasks given in prose (`tests/mcp/evaluate.py`).

use super::conformance::tool;
use harness::processes::process::{Process, await_text, command, program};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tempfile::TempDir;

const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mcp/venv/bin/python");
const EVALUATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mcp/evaluate.py");

/// A demo: two sites with results of all types.
struct Demo {
    process: Process,
    url: String,
    token: String,
    _folder: TempDir,
}

impl Demo {
    fn start() -> Self {
        let folder = TempDir::with_prefix("sightline-clients-").unwrap();
        let shown = fs::File::create(folder.path().join("shown")).unwrap();
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let settings = [
            set("TMPDIR", folder.path().to_str().unwrap()),
            set("SIGHTLINE_LISTEN", "127.0.0.1:0"),
            // Expected values are read from the Agent API with the same token.
            set("SIGHTLINE_LIMITS__READS_PER_MINUTE", "6000"),
            set("SIGHTLINE_LIMITS__READS_BURST", "600"),
            set("SIGHTLINE_LIMITS__WRITES_PER_MINUTE", "6000"),
            set("SIGHTLINE_LIMITS__WRITES_BURST", "600"),
            set("SIGHTLINE_LIMITS__ANALYSES_PER_MINUTE", "600"),
            set("SIGHTLINE_LIMITS__ANALYSES_BURST", "100"),
        ];
        let demo = command(folder.path(), &settings, &["demo"]);
        let process = Process::start_with_stdout(demo, shown);
        let place = folder.path().join("shown");
        let text = await_text(&place, "Still serving");
        let word = |start: &str| {
            let at = text
                .find(start)
                .unwrap_or_else(|| panic!("no {start} in {text}"));
            let rest = &text[at..];
            let end = rest
                .find(|c: char| c.is_whitespace() || "'\"/".contains(c) && !start.contains("http"));
            rest[..end.unwrap_or(rest.len())].to_owned()
        };
        let token = word("sightline_agt_");
        let url = word("http://127.0.0.1:");
        let url = url.split('/').take(3).collect::<Vec<_>>().join("/");
        Self {
            process,
            url,
            token,
            _folder: folder,
        }
    }
}

fn combined_output(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

#[test]
#[ignore = "slow: a process of Node or Python for each call"]
fn third_party_clients_use_all_eight_tools() {
    let demo = Demo::start();
    the_inspector_calls_each_tool(&demo);
    for bridge in [None, Some(program())] {
        tasks_are_solved(&demo, bridge);
    }
    demo.process.terminate();
}

fn tasks_are_solved(demo: &Demo, bridge: Option<&Path>) {
    let mut evaluation = Command::new(PYTHON);
    evaluation
        .arg(EVALUATION)
        .args(["--url", &demo.url, "--token", &demo.token]);
    if let Some(program) = bridge {
        evaluation.arg("--stdio").arg(program);
    }
    let output = evaluation.output().unwrap();
    let text = combined_output(&output);
    assert!(output.status.success(), "{bridge:?}: {text}");
    assert!(text.contains("solved 23 of 23"), "{text}");
}

fn the_inspector_calls_each_tool(demo: &Demo) {
    let inspector = |method: &str, arguments: &[String]| {
        let output = tool("inspector/clients/launcher/build/index.js")
            .args(["--cli", &format!("{}/mcp", demo.url), "--transport", "http"])
            .args(["--header", &format!("Authorization: Bearer {}", demo.token)])
            .args(["--method", method])
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{method} {arguments:?}: {}",
            combined_output(&output)
        );
        let response: Value = serde_json::from_slice(&output.stdout).unwrap();
        response
    };
    let listed = inspector("tools/list", &[]);
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(8));
    let call = |name: &str, arguments: &Value| {
        let mut words = vec!["--tool-name".to_owned(), name.to_owned()];
        let given = arguments.as_object().unwrap();
        if !given.is_empty() {
            words.push("--tool-arg".to_owned());
        }
        words.extend(given.iter().map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        }));
        inspector("tools/call", &words)["structuredContent"].clone()
    };
    let project = call(
        "service_create_project",
        &json!({ "domain": "inspected.example.com", "keywords": ["a b"] }),
    );
    let id = &project["id"];
    let added = call(
        "service_add_keywords",
        &json!({ "projectId": id, "keywords": ["c", "d"] }),
    );
    assert_eq!(added["counts"]["created"], 2);
    let keyword = &added["created"][0]["id"];
    let changed = call(
        "service_update_keyword",
        &json!({ "keywordId": keyword, "tags": ["x"] }),
    );
    assert_eq!(changed["tags"], json!(["x"]));
    let changed = call(
        "service_update_project",
        &json!({ "projectId": id, "favorite": true }),
    );
    assert_eq!(changed["favorite"], true);
    let job = call(
        "service_run_analysis",
        &json!({ "type": "rankCheck", "projectId": id, "wait": 50 }),
    );
    assert_eq!(job["status"], "succeeded", "{job}");
    let results = call(
        "service_get_results",
        &json!({ "projectId": id, "type": "rankings" }),
    );
    assert_eq!(results["items"].as_array().map(Vec::len), Some(3));
    let listed = call("service_list_projects", &json!({ "search": "inspected" }));
    assert_eq!(listed["items"][0]["id"], *id);
    let models = call("service_get_models", &json!({}));
    assert!(models["items"].is_array());
}
