//! The official conformance suite (npm `@modelcontextprotocol/conformance`) without expected failures: our transport
//! with the suite's fixture, and the product.

use harness::{
    app::TestApp,
    databases::TestDatabase,
    mcp_servers::{fixture, token_proxy},
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use storage::DatabaseKind;
use tempfile::TempDir;
use web::limits::Rate;

/// Installed by `tests/install`.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mcp/node_modules");

/// Required by the tools; the system's may be older.
pub fn node() -> PathBuf {
    let found =
        ["x64", "arm64"].map(|it| Path::new(FOLDER).join(format!("node-linux-{it}/bin/node")));
    let found = found.into_iter().find(|it| it.exists());
    found.expect("tests/install brings Node 22")
}

pub fn tool(path: &str) -> Command {
    let mut command = Command::new(node());
    command.arg(Path::new(FOLDER).join("@modelcontextprotocol").join(path));
    command
}

/// Result of the suite.
struct Verdict {
    is_success: bool,
    output: String,
    checks: Vec<Value>,
}

impl Verdict {
    /// Passed scenarios that count for the revision.
    fn scored(&self) -> usize {
        let unscored = self
            .output
            .split("Not scored for")
            .nth(1)
            .unwrap_or_default();
        let unscored = unscored
            .lines()
            .filter_map(|it| it.trim().split(' ').nth(1));
        let unscored: Vec<&str> = unscored.collect();
        let passed = self.output.lines().filter_map(|it| it.strip_prefix("✓ "));
        let names = passed.filter_map(|it| it.strip_suffix(" 0 failed")?.split(':').next());
        names.filter(|it| !unscored.contains(it)).count()
    }
}

/// Runs the suite on a blocking thread.
async fn run_suite(url: String, arguments: &'static [&'static str]) -> Verdict {
    let run = move || {
        let folder = TempDir::with_prefix("sightline-conformance-").unwrap();
        let output = tool("conformance/dist/index.js")
            .args(["server", "--url", &url, "-o"])
            .arg(folder.path())
            .args(arguments)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let printed = [output.stdout, output.stderr].concat();
        Verdict {
            is_success: output.status.success(),
            output: String::from_utf8_lossy(&printed).into_owned(),
            checks: checks(folder.path()),
        }
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// The suite writes one folder per scenario.
fn checks(folder: &Path) -> Vec<Value> {
    let scenarios = fs::read_dir(folder).unwrap();
    let written =
        scenarios.filter_map(|it| fs::read_to_string(it.unwrap().path().join("checks.json")).ok());
    let parsed = written.map(|it| serde_json::from_str::<Vec<Value>>(&it).unwrap());
    parsed.flatten().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_transport_conforms_to_both_protocol_revisions() {
    let served = fixture();
    let requirements: [(&[&str], usize); 2] = [
        (&["--requirements", "2025-11-25"], 30),
        (&["--requirements", "2026-07-28"], 37),
    ];
    for (arguments, scenarios) in requirements {
        let verdict = run_suite(served.url(), arguments).await;
        let scored = (verdict.is_success, verdict.scored());
        assert_eq!(
            scored,
            (true, scenarios),
            "{arguments:?}: {}",
            verdict.output
        );
    }
}

/// Checks that require a tool of the fixture by name; the fixture passes them.
const OF_THE_FIXTURE: [&str; 4] = [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
];

/// Scenarios for any server. Arguments repeated in headers are excluded, since no tool of ours uses them.
const OF_ANY_SERVER: [&[&str]; 8] = [
    &["--scenario", "server-initialize"],
    &["--scenario", "ping"],
    &["--scenario", "server-stateless"],
    &["--scenario", "tools-list"],
    &["--scenario", "caching"],
    &["--scenario", "dns-rebinding-protection"],
    &["--scenario", "http-header-validation"],
    &["--scenario", "server-sse-multiple-streams"],
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: scenarios of the conformance suite, a process each"]
async fn the_product_passes_scenarios_without_suite_tools() {
    let database = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let app = TestApp::with_settings(&database, |config| {
        config.limits.reads = Rate::of(60_000, 1_000);
        config.limits.account = Rate::of(60_000, 1_000);
    })
    .await;
    let agent = app.db_full_agent().await;
    let proxy = token_proxy(app.address, &agent.token().unwrap());
    let mut passed = 0;
    for scenario in OF_ANY_SERVER {
        let verdict = run_suite(proxy.url(), scenario).await;
        assert!(
            !verdict.checks.is_empty(),
            "{scenario:?}: {}",
            verdict.output
        );
        for check in &verdict.checks {
            let id = check["id"].as_str().unwrap();
            let is_ours = check["status"] != "FAILURE" || !OF_THE_FIXTURE.contains(&id);
            assert!(
                !is_ours || check["status"] != "FAILURE",
                "{scenario:?}: {check}"
            );
            if !is_ours {
                let failure = check["errorMessage"].as_str().unwrap();
                assert!(failure.contains("test_"), "{check}");
            }
        }
        passed += verdict
            .checks
            .iter()
            .filter(|it| it["status"] == "SUCCESS")
            .count();
    }
    assert!(passed > 50, "{passed} checks passed");
}
