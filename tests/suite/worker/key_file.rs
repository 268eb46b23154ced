//! The key file: created, required, rotated while a server runs, and not in backups.

use super::{api::Api, backups::take, on_both, world::World};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use storage::DatabaseKind;

on_both!(
    cursors_stay_valid_while_the_key_is_rotated,
    no_server_starts_without_its_key,
    restore_refuses_to_lose_secrets,
);

/// The key file of the world's servers; on `PostgreSQL` it is created first.
fn key_file(world: &mut World) -> PathBuf {
    if world.is_sqlite() {
        return world.database_folder().join("secrets.key");
    }
    let file = world.folder().join("shared.key");
    world.run_command(&["secrets", "init", "--out", file.to_str().unwrap()]);
    world.set("SECRETS__KEY_FILE", file.to_str().unwrap());
    file
}

fn status(world: &World) -> Vec<Value> {
    let printed = world.run_command(&["secrets", "status", "--json"]);
    let document: Value = serde_json::from_str(&printed).unwrap();
    document["keys"].as_array().unwrap().clone()
}

/// The path of the second page of two projects that it creates.
async fn second_page(api: &Api) -> String {
    for domain in ["a.example.com", "b.example.com"] {
        api.project(domain, 1).await;
    }
    let page = api.get("/projects?limit=1").await;
    let cursor = page["nextCursor"].as_str().unwrap();
    format!("/projects?limit=1&cursor={cursor}")
}

async fn cursors_stay_valid_while_the_key_is_rotated(mut world: World) {
    let file = key_file(&mut world);
    let (server, api) = world.serve(&[]);
    let next = second_page(&api).await;
    assert_eq!(api.call("GET", &next, None).await.0, 200);
    let [before] = &status(&world)[..] else {
        panic!("one key")
    };

    world.run_command(&["secrets", "rotate", "--prepare"]);
    let early = world.run_failing_command(&["secrets", "rotate", "--finish"]);
    assert!(early.contains(before["id"].as_str().unwrap()), "{early}");
    world.run_command(&["secrets", "rotate"]);
    let [new, old] = &status(&world)[..] else {
        panic!("two keys")
    };
    assert_eq!(
        (new["wraps"].as_bool(), new["needed"].as_bool()),
        (Some(true), Some(true))
    );
    assert_eq!(
        (&old["id"], old["needed"].as_bool()),
        (&before["id"], Some(false))
    );
    world.run_command(&["secrets", "rotate", "--finish"]);
    assert_eq!(status(&world), std::slice::from_ref(new));
    assert!(
        !fs::read_to_string(&file)
            .unwrap()
            .contains(before["id"].as_str().unwrap())
    );

    // Of the running server, and of the next one, which knows the new key file only.
    assert_eq!(api.call("GET", &next, None).await.0, 200);
    server.terminate();
    let (_server, api) = world.serve(&[]);
    assert_eq!(api.call("GET", &next, None).await.0, 200);
}

async fn no_server_starts_without_its_key(mut world: World) {
    let file = key_file(&mut world);
    world.serve(&[]).0.terminate();
    let id = status(&world)[0]["id"].as_str().unwrap().to_owned();
    let hidden = file.with_extension("hidden");
    fs::rename(&file, &hidden).unwrap();
    let refused = refused_start(&world);
    assert!(refused.contains(file.to_str().unwrap()), "{refused}");
    if world.is_sqlite() {
        assert!(refused.contains(&id), "{refused}");
    }
    assert!(!file.exists(), "no other key takes its place");
    world.run_command(&["secrets", "init", "--out", file.to_str().unwrap()]);
    let refused = refused_start(&world);
    assert!(refused.contains(&id), "{refused}");
    // Commands that need no secret still run.
    assert!(
        world
            .run_command(&["account", "list"])
            .contains("ann@example.com")
    );
    fs::rename(&hidden, &file).unwrap();
    world.serve(&[]).0.terminate();
}

fn refused_start(world: &World) -> String {
    world.run_failing_command(&["serve", "--listen", "127.0.0.1:0"])
}

async fn restore_refuses_to_lose_secrets(mut world: World) {
    let file = key_file(&mut world);
    let (server, _api) = world.serve(&[]);
    let id = status(&world)[0]["id"].as_str().unwrap().to_owned();
    let manifest = take(&world);
    server.terminate();
    assert_eq!(manifest["keyIds"], serde_json::json!([id]));
    let key = fs::read_to_string(&file).unwrap();
    let key = key.split_whitespace().nth(2).unwrap();
    let backup = super::backups::backup(&world);
    assert!(!holds(&backup, key.as_bytes()), "the backup holds the key");

    world.database.end_connections();
    fs::remove_file(&file).unwrap();
    world.run_command(&["secrets", "init", "--out", file.to_str().unwrap()]);
    let restore = ["restore", "--force", backup.to_str().unwrap()];
    let refused = world.run_failing_command(&restore);
    for part in [id.as_str(), "--drop-secrets"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    world.run_command(&[&restore[..], &["--drop-secrets"]].concat());
    let (_server, api) = world.serve(&[]);
    api.project("after.example.com", 1).await;
    let [only] = &status(&world)[..] else {
        panic!("one key")
    };
    assert_eq!(only["needed"], true);
}

fn holds(file: &Path, text: &[u8]) -> bool {
    let bytes = fs::read(file).unwrap();
    bytes.windows(text.len()).any(|it| it == text)
}

/// An upgrade: what an earlier version stored unsealed is used until a rotation seals it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unsealed_keys_are_used_until_a_rotation() {
    let world = World::on(DatabaseKind::Sqlite).await;
    let earlier = [5; 32];
    let storage = world.database.port();
    let mut work = storage.write().await.unwrap();
    work.secrets()
        .find_or_add("cursor-key", earlier)
        .await
        .unwrap();
    work.commit().await.unwrap();
    let (server, api) = world.serve(&[]);
    let next = second_page(&api).await;
    let printed = world.run_command(&["secrets", "rotate"]);
    assert!(printed.contains("1 were not sealed before"), "{printed}");
    server.terminate();
    let (server, api) = world.serve(&[]);
    assert_eq!(api.call("GET", &next, None).await.0, 200);
    let left = storage
        .read()
        .await
        .unwrap()
        .secrets()
        .find("cursor-key")
        .await
        .unwrap();
    assert_eq!(left, None);
    drop(server);
    let file = PathBuf::from(world.database.url.strip_prefix("sqlite://").unwrap());
    drop(storage);
    world.run_command(&["compact"]);
    assert!(!holds(&file, &earlier), "the database holds the old key");
}
