//! Backups: taken while others write, restored elsewhere, and refused when they are not whole.

use super::{api::Api, on_both, world::World};
use harness::{databases::TestDatabase, postgres_server::Lane};
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use storage::DatabaseKind;

on_both!(
    what_was_acknowledged_before_a_backup_began_is_in_it,
    a_backup_that_is_not_whole_is_refused,
    nothing_is_given_up_without_a_word,
);

/// Where a backup is taken from: past what a lane puts before the database.
fn look_past_lanes(world: &mut World) {
    if let (Some(url), true) = (
        world.database.superuser_url(),
        Lane::chosen() != Lane::Plain,
    ) {
        world.set("DATABASE_URL", &url);
    }
}

fn backup(world: &World) -> PathBuf {
    world.folder().join("backup")
}

fn take(world: &World) -> Value {
    let file = backup(world);
    let told = world.say(&["backup", "--json", file.to_str().unwrap()]);
    serde_json::from_str(&told).unwrap()
}

/// A database that is empty; it lives as long as what is returned.
async fn elsewhere(world: &World) -> (String, Option<TestDatabase>) {
    if world.is_sqlite() {
        let file = world.folder().join("restored.db");
        return (format!("sqlite://{}", file.display()), None);
    }
    let fresh = TestDatabase::bare(DatabaseKind::Postgres).await;
    (fresh.url.clone(), Some(fresh))
}

/// Creates projects with keywords until it is told to stop; notes each that was acknowledged.
async fn write(api: Api, writer: usize, acknowledged: Arc<Mutex<Vec<i64>>>, over: Arc<AtomicBool>) {
    for number in 0.. {
        if over.load(Ordering::SeqCst) {
            return;
        }
        let body = json!({
            "domain": format!("p{number}-{writer}.example.com"),
            "keywords": ["rust", "actix", "diesel"],
        });
        let (status, answer) = api.call("POST", "/projects", Some(&body)).await;
        assert_eq!(status, 201, "{answer}");
        acknowledged
            .lock()
            .unwrap()
            .push(answer["id"].as_i64().unwrap());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn what_was_acknowledged_before_a_backup_began_is_in_it(mut world: World) {
    for limit in ["WRITES", "READS", "ACCOUNT"] {
        world.set(&format!("LIMITS__{limit}_PER_MINUTE"), "60000");
        world.set(&format!("LIMITS__{limit}_BURST"), "6000");
    }
    world.say(&[
        "account",
        "limits",
        "--email",
        "ann@example.com",
        "--projects",
        "100000",
        "--keywords",
        "1000000",
    ]);
    let (_server, api) = world.serve(&["--no-worker"]);
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (acknowledged, over) = (Arc::clone(&acknowledged), Arc::clone(&over));
            tokio::spawn(write(api.clone(), writer, acknowledged, over))
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(2)).await;
    look_past_lanes(&mut world);
    let before = acknowledged.lock().unwrap().clone();
    let (world, taken) = tokio::task::spawn_blocking(move || {
        let taken = take(&world);
        (world, taken)
    })
    .await
    .unwrap();
    let mut world = world;
    over.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    let after = acknowledged.lock().unwrap().len();
    assert!(
        before.len() > 5 && after > before.len(),
        "{} of {after}",
        before.len()
    );
    assert!(
        taken["rows"]["projects"].as_u64().unwrap() >= before.len() as u64,
        "{taken}"
    );

    let file = backup(&world);
    world.say(&["restore", "--verify", file.to_str().unwrap()]);
    let (url, _fresh) = elsewhere(&world).await;
    world.set("DATABASE_URL", &url);
    world.say(&["restore", file.to_str().unwrap()]);
    let (_restored, api) = world.serve(&["--no-worker"]);
    for project in before {
        let found = api.get(&format!("/projects/{project}")).await;
        assert_eq!(found["keywordCount"], 3, "{found}");
    }
}

async fn a_backup_that_is_not_whole_is_refused(mut world: World) {
    look_past_lanes(&mut world);
    take(&world);
    let file = backup(&world);
    let name = file.to_str().unwrap();
    let whole = std::fs::read(&file).unwrap();
    let (url, _fresh) = elsewhere(&world).await;
    world.set("DATABASE_URL", &url);

    let mut edited = whole.clone();
    let middle = edited.len() / 2;
    edited[middle] ^= 1;
    std::fs::write(&file, &edited).unwrap();
    for arguments in [&["restore", name][..], &["restore", "--verify", name]] {
        let told = world.fail(arguments);
        assert!(told.contains("SHA-256"), "{told}");
    }
    std::fs::write(&file, &whole[..middle]).unwrap();
    let told = world.fail(&["restore", name]);
    assert!(told.contains("bytes, and had"), "{told}");
    std::fs::write(&file, &whole).unwrap();
    std::fs::remove_file(file.with_extension("manifest.json")).unwrap();
    let told = world.fail(&["restore", name]);
    assert!(told.contains("backup.manifest.json"), "{told}");
}

async fn nothing_is_given_up_without_a_word(mut world: World) {
    look_past_lanes(&mut world);
    take(&world);
    let file = backup(&world);
    let name = file.to_str().unwrap();
    let told = world.fail(&["backup", name]);
    assert!(told.contains("is there already"), "{told}");
    let told = world.fail(&["restore", name]);
    assert!(told.contains("--force"), "{told}");
    let (server, api) = world.serve(&["--no-worker"]);
    api.project("later.example.com", 1).await;
    if world.is_sqlite() {
        let told = world.fail(&["restore", "--force", name]);
        assert!(told.contains("a server is running"), "{told}");
    }
    server.terminate();
    world.say(&["restore", "--force", name]);
    let (_server, api) = world.serve(&["--no-worker"]);
    let listed = api.get("/projects?include=total").await;
    assert_eq!(listed["total"], 0, "{listed}");
}
