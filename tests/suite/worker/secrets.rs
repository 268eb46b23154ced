//! Tokens must never reach the disk or a log, nor work after they are revoked, in any process.

use super::{on_both, process::Process, world::World};
use harness::callers::client;
use serde_json::Value;
use std::{path::Path, process::Command};
use storage::DatabaseKind;

on_both!(
    tokens_are_neither_stored_nor_logged,
    server_and_worker_reveal_no_secrets,
);

const PASSWORD: &str = "a walrus under 7 umbrellas";
const KEY: &str = "serper-canary-5f1d2c";
const DATABASE_PASSWORD: &str = "database-canary-9a7b";

/// Files below the folder that hold the text, binary or not, by the system's `grep`.
fn files_with(text: &str, folder: &Path) -> String {
    let found = Command::new("grep")
        .args(["-rlaF", "--", text])
        .arg(folder)
        .output()
        .unwrap();
    String::from_utf8(found.stdout).unwrap()
}

async fn tokens_are_neither_stored_nor_logged(mut world: World) {
    world.set("LOG__LEVEL", "trace");
    let (mut server, api) = world.serve(&[]);
    let rotated = world.run_command(&[
        "token",
        "create",
        "--email",
        "ann@example.com",
        "--name",
        "canary",
    ]);
    let project = api.project("canary.example.com", 3).await;
    let job = api.analyze("rankCheck", project).await;
    api.finished(job).await;
    // Places where a token may be put by mistake: query, path, unknown parameter.
    for token in [&api.token, &rotated] {
        api.call("GET", &format!("/projects?token={token}"), None)
            .await;
        api.call("GET", &format!("/projects/{token}"), None).await;
        api.call("GET", &format!("/analyze?jobId={token}"), None)
            .await;
    }
    let listed = world.run_command(&["token", "list", "--email", "ann@example.com", "--json"]);
    assert!(!listed.contains(&api.token));

    let place = world.database_folder();
    // Proves that the search finds text.
    assert!(!files_with("canary.example.com", &place).is_empty());
    for token in [&api.token, &rotated] {
        assert_eq!(files_with(token, &place), "");
        // Nor the secret part without prefix and checksum.
        let secret = &token["sightline_agt_".len()..token.len() - 6];
        assert_eq!(files_with(secret, &place), "");
        let output = server.output().join("\n");
        assert!(
            output.lines().count() > 10,
            "the log is verbose at this level"
        );
        assert!(!output.contains(secret), "the log holds the token");
    }
}

/// The session cookie for the password.
async fn session(address: &str) -> String {
    let origin = format!("http://{address}");
    let request = client().post(format!("{origin}/api/session"));
    let body = serde_json::json!({ "email": "ann@example.com", "password": PASSWORD });
    let answer = { request.header("Origin", &origin).json(&body) };
    let answer = answer.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let cookies = answer.headers().get_all("set-cookie").iter();
    let cookies: Vec<&str> = cookies.map(|it| it.to_str().unwrap()).collect();
    let sid = cookies.iter().find_map(|it| it.strip_prefix("plain-sid="));
    sid.unwrap().split(';').next().unwrap().to_owned()
}

async fn server_and_worker_reveal_no_secrets(mut world: World) {
    let set = format!(
        "printf '%s\\n' '{PASSWORD}' | target/release/sightline account password --email ann@example.com"
    );
    assert!(world.run_script(&set).status.success());
    // No server listens there: every call fails and is logged.
    world.set("SEARCH__SERPER__API_KEY", KEY);
    world.set("SEARCH__SERPER__BASE_URL", "http://127.0.0.1:9");
    world.set("LOG__LEVEL", "trace");
    world.set("LOG__FORMAT", "json");
    if !world.is_sqlite() {
        let url = world.database.url.clone();
        let with = format!("postgres://sightline:{DATABASE_PASSWORD}@");
        world.set("DATABASE_URL", &url.replace("postgres://sightline@", &with));
    }
    let alone = world.is_sqlite();
    let arguments: &[&str] = if alone { &[] } else { &["--no-worker"] };
    let (mut server, api, at_server) = world.serve_with_admin(arguments);
    let mut worker = (!alone).then(|| world.worker_with_admin());
    let cookie = session(&api.address).await;
    for token in [&api.token, &cookie] {
        let request = client().get(format!("http://{}/api/session", api.address));
        let request = request.header("Cookie", format!("plain-sid={token}; other={token}"));
        request.header("traceparent", token).send().await.unwrap();
    }
    let project = api.project("canary.example.com", 2).await;
    api.analyze("rankCheck", project).await;
    let works = worker.as_mut().map_or(&mut server, |(worker, _)| worker);
    works.await_line("A job's attempt is over.");

    let mut shown = Vec::new();
    for watcher in [Some(&at_server), worker.as_ref().map(|it| &it.1)] {
        let Some(watcher) = watcher else { continue };
        for path in [
            "/metrics",
            "/debug/config",
            "/readyz",
            "/startupz",
            "/livez",
        ] {
            let answer = watcher.request(reqwest::Method::GET, path).await;
            shown.push(answer.text().await.unwrap());
        }
        // Settings and failed calls are shown.
        let (_, config) = watcher.get("/debug/config").await;
        let key = &config["settings"]["search.serper.api_key"];
        assert!(key["from"].to_string().contains("API_KEY"), "{config}");
        shown.push(config.to_string());
    }
    let calls = worker.as_ref().map_or(&at_server, |it| &it.1);
    let failed = calls.metrics().await;
    let words = ["serper", "searchPage", "supplierUnavailable"];
    let name = "http_client_request_duration_seconds_count";
    assert!(failed.sum(name, &words) > 0.0, "{}", failed.text);
    shown.push(server.output().join("\n"));
    if let Some((worker, _)) = &mut worker {
        shown.push(worker.output().join("\n"));
    }
    let shown = shown.join("\n");
    assert!(
        shown.lines().count() > 500,
        "the log is verbose at this level"
    );
    let secret = &api.token["sightline_agt_".len()..api.token.len() - 6];
    for hidden in [secret, PASSWORD, KEY, DATABASE_PASSWORD, &cookie] {
        let place = shown.lines().find(|line| line.contains(hidden));
        assert_eq!(place, None, "{hidden}");
    }
}

fn status(answer: &(u16, Value)) -> (u16, &str) {
    (answer.0, answer.1["code"].as_str().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revoked_token_is_refused_by_every_process() {
    let world = World::on(DatabaseKind::Postgres).await;
    let servers: Vec<(Process, _)> = (0..3).map(|_| world.serve(&["--no-worker"])).collect();
    for round in 0..3 {
        let name = format!("round{round}");
        let create = ["token", "create", "--email", "ann@example.com", "--name"];
        let token = world.run_command(&[&create[..], &[&name]].concat());
        let listed = world.run_command(&["token", "list", "--email", "ann@example.com", "--json"]);
        let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
        let id = listed.iter().find(|it| it["name"] == name.as_str());
        let id = id.unwrap()["id"].to_string();
        let apis = servers.iter().map(|(_, api)| {
            let mut api = api.clone();
            api.token.clone_from(&token);
            api
        });
        let apis: Vec<_> = apis.collect();
        for api in &apis {
            api.get("/models").await;
        }
        world.run_command(&["token", "revoke", "--email", "ann@example.com", "--id", &id]);
        for api in &apis {
            let answer = api.call("GET", "/models", None).await;
            assert_eq!(status(&answer), (401, "token-revoked"));
        }
    }
}
