//! Signing in to a real server: the password is set by command, and no secret is stored or logged.

use super::{on_both, world::World};
use harness::callers::client;
use reqwest::Response;
use serde_json::{Value, json};
use std::{path::Path, process::Command};

on_both!(sign_in_stores_and_logs_no_secrets);

const PASSWORD: &str = "a walrus under 7 umbrellas";

/// Files below the folder that hold the text, binary or not, by the system's `grep`.
fn files_with(text: &str, folder: &Path) -> String {
    let found = Command::new("grep")
        .args(["-rlaF", "--", text])
        .arg(folder)
        .output()
        .unwrap();
    String::from_utf8(found.stdout).unwrap()
}

fn cookies(answer: &Response) -> Vec<String> {
    let lines = answer.headers().get_all("set-cookie").iter();
    lines.map(|it| it.to_str().unwrap().to_owned()).collect()
}

async fn sign_in_stores_and_logs_no_secrets(mut world: World) {
    let set = |password: &str| {
        world.run_script(&format!(
            "printf '%s\\n' '{password}' | target/release/sightline account password --email ann@example.com"
        ))
    };
    let refused = set("ann@example.com");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    std::fs::remove_file(world.folder().join("target/release/sightline")).unwrap();
    let accepted = set(PASSWORD);
    assert!(accepted.status.success(), "{accepted:?}");

    world.set("LOG__LEVEL", "trace");
    let (mut server, api) = world.serve(&["--no-worker"]);
    let origin = format!("http://{}", api.address);
    let post = |path: &str, body: &Value| {
        let request = client().post(format!("{origin}{path}"));
        request.header("Origin", &origin).json(body)
    };
    let sign_in = |password: &str| json!({ "email": "ann@example.com", "password": password });
    let wrong = "another walrus entirely";
    let answer = post("/api/session", &sign_in(wrong)).send().await.unwrap();
    assert_eq!(answer.status(), 401);
    let answer = post("/api/session", &sign_in(PASSWORD))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let given = cookies(&answer);
    assert!(given[0].starts_with("plain-sid="), "{given:?}");
    assert!(given.iter().all(|it| !it.contains("Secure")), "{given:?}");
    let values: Vec<&str> = { given.iter() }
        .map(|it| it.split(';').next().unwrap())
        .collect();
    let session: Value = answer.json().await.unwrap();
    let csrf = session["csrfToken"].as_str().unwrap();
    let token = json!({ "name": "ci", "scopes": ["projects:read"] });
    let answer = post("/api/settings/api-tokens", &token)
        .header("Cookie", values.join("; "))
        .header("X-CSRF-Token", csrf)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 201);
    let token: Value = answer.json().await.unwrap();

    let place = world.database_folder();
    assert!(!files_with("ann@example.com", &place).is_empty());
    let output = server.output().join("\n");
    assert!(
        output.lines().count() > 10,
        "the log is verbose at this level"
    );
    let secrets = [
        PASSWORD,
        wrong,
        values[0].split_once('=').unwrap().1,
        values[1].split_once('=').unwrap().1,
        csrf,
        token["token"].as_str().unwrap(),
    ];
    for secret in secrets {
        assert_eq!(files_with(secret, &place), "", "{secret}");
        assert!(!output.contains(secret), "the log holds {secret}");
    }
    assert!(!files_with("$argon2id$v=19$m=19456,t=2,p=1$", &place).is_empty());
}
