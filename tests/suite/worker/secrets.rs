//! Tokens in the open: never on the disk, never in a log, and never good for one request more than
//! they should be, whichever process is asked.

use super::{on_both, process::Process, world::World};
use serde_json::Value;
use std::{path::Path, process::Command};
use storage::DatabaseKind;

on_both!(a_token_is_neither_on_the_disk_nor_in_a_log);

/// Files under the folder that hold the text, by the system's `grep`: whole files, binary or not.
fn files_with(text: &str, folder: &Path) -> String {
    let found = Command::new("grep")
        .args(["-rlaF", "--", text])
        .arg(folder)
        .output()
        .unwrap();
    String::from_utf8(found.stdout).unwrap()
}

async fn a_token_is_neither_on_the_disk_nor_in_a_log(mut world: World) {
    world.set("LOG__LEVEL", "trace");
    let (mut server, api) = world.serve(&[]);
    let rotated = world.say(&[
        "token",
        "create",
        "--email",
        "ann@example.com",
        "--name",
        "canary",
    ]);
    let project = api.project("canary.example.com", 3).await;
    let job = api.analyse("rankCheck", project).await;
    api.finished(job).await;
    // Where a token is put by mistake: the query, the path, a parameter that does not exist.
    for token in [&api.token, &rotated] {
        api.call("GET", &format!("/projects?token={token}"), None)
            .await;
        api.call("GET", &format!("/projects/{token}"), None).await;
        api.call("GET", &format!("/analyze?jobId={token}"), None)
            .await;
    }
    let listed = world.say(&["token", "list", "--email", "ann@example.com", "--json"]);
    assert!(!listed.contains(&api.token));

    let place = world.place();
    // The search itself finds what is there, or it would prove nothing.
    assert!(!files_with("canary.example.com", &place).is_empty());
    for token in [&api.token, &rotated] {
        assert_eq!(files_with(token, &place), "");
        // Nor the part that is secret, without its prefix and checksum.
        let secret = &token["sightline_agt_".len()..token.len() - 6];
        assert_eq!(files_with(secret, &place), "");
        let said = server.said().join("\n");
        assert!(said.lines().count() > 10, "it says a lot at this level");
        assert!(!said.contains(secret), "the log holds the token");
    }
}

fn status(told: &(u16, Value)) -> (u16, &str) {
    (told.0, told.1["code"].as_str().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_token_is_refused_by_every_process_at_once() {
    let world = World::on(DatabaseKind::Postgres).await;
    let servers: Vec<(Process, _)> = (0..3).map(|_| world.serve(&["--no-worker"])).collect();
    for round in 0..3 {
        let name = format!("round{round}");
        let create = ["token", "create", "--email", "ann@example.com", "--name"];
        let token = world.say(&[&create[..], &[&name]].concat());
        let listed = world.say(&["token", "list", "--email", "ann@example.com", "--json"]);
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
        world.say(&["token", "revoke", "--email", "ann@example.com", "--id", &id]);
        for api in &apis {
            let told = api.call("GET", "/models", None).await;
            assert_eq!(status(&told), (401, "token-revoked"));
        }
    }
}
