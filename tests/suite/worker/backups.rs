//! Backups: taken during writes, restored elsewhere, and refused if incomplete.

use super::{api::Api, on_both, process::Process, world::World};
use harness::{databases::TestDatabase, postgres_server::Lane};
use serde_json::{Value, json};
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use storage::DatabaseKind;

on_both!(
    backup_holds_everything_acknowledged_before_it,
    incomplete_backup_is_refused,
    backup_and_restore_overwrite_only_on_request,
    one_backup_at_a_time_per_file,
    leftovers_of_a_killed_backup_are_replaced,
    replaced_data_is_kept,
);

/// Backups connect directly, without a pooler or other test lane in between.
fn look_past_lanes(world: &mut World) {
    if let (Some(url), true) = (
        world.database.superuser_url(),
        Lane::from_env() != Lane::Plain,
    ) {
        world.set("DATABASE_URL", &url);
    }
}

pub fn backup(world: &World) -> PathBuf {
    world.folder().join("backup")
}

pub fn take(world: &World) -> Value {
    let file = backup(world);
    let report = world.run_command(&["backup", "--json", file.to_str().unwrap()]);
    serde_json::from_str(&report).unwrap()
}

/// An empty database, dropped with the returned value.
async fn elsewhere(world: &World) -> (String, Option<TestDatabase>) {
    if world.is_sqlite() {
        let file = world.folder().join("restored.db");
        return (format!("sqlite://{}", file.display()), None);
    }
    let fresh = TestDatabase::without_schema(DatabaseKind::Postgres).await;
    fresh.end_connections();
    (fresh.url.clone(), Some(fresh))
}

/// Creates projects with keywords until stopped; collects the acknowledged ids.
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

async fn backup_holds_everything_acknowledged_before_it(mut world: World) {
    for limit in ["WRITES", "READS", "ACCOUNT"] {
        world.set(&format!("LIMITS__{limit}_PER_MINUTE"), "60000");
        world.set(&format!("LIMITS__{limit}_BURST"), "6000");
    }
    world.run_command(&[
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
    world.run_command(&["restore", "--verify", file.to_str().unwrap()]);
    let (url, _fresh) = elsewhere(&world).await;
    world.keep_key_file();
    world.set("DATABASE_URL", &url);
    world.run_command(&["restore", file.to_str().unwrap()]);
    let (_restored, api) = world.serve(&["--no-worker"]);
    for project in before {
        let found = api.get(&format!("/projects/{project}")).await;
        assert_eq!(found["keywordCount"], 3, "{found}");
    }
}

async fn incomplete_backup_is_refused(mut world: World) {
    look_past_lanes(&mut world);
    take(&world);
    let file = backup(&world);
    let name = file.to_str().unwrap();
    let whole = fs::read(&file).unwrap();
    let (url, _fresh) = elsewhere(&world).await;
    world.set("DATABASE_URL", &url);

    let mut edited = whole.clone();
    let middle = edited.len() / 2;
    edited[middle] ^= 1;
    fs::write(&file, &edited).unwrap();
    for arguments in [&["restore", name][..], &["restore", "--verify", name]] {
        let refusal = world.run_failing_command(arguments);
        assert!(refusal.contains("SHA-256"), "{refusal}");
    }
    fs::write(&file, &whole[..middle]).unwrap();
    let refusal = world.run_failing_command(&["restore", name]);
    assert!(refusal.contains("bytes, and had"), "{refusal}");
    fs::write(&file, &whole).unwrap();
    fs::remove_file(file.with_extension("manifest.json")).unwrap();
    let refusal = world.run_failing_command(&["restore", name]);
    assert!(refusal.contains("backup.manifest.json"), "{refusal}");
}

async fn backup_and_restore_overwrite_only_on_request(mut world: World) {
    look_past_lanes(&mut world);
    take(&world);
    let file = backup(&world);
    let name = file.to_str().unwrap();
    let refusal = world.run_failing_command(&["backup", name]);
    assert!(refusal.contains("is there already"), "{refusal}");
    world.database.end_connections();
    let refusal = world.run_failing_command(&["restore", name]);
    assert!(refusal.contains("--force"), "{refusal}");
    let (server, api) = world.serve(&["--no-worker"]);
    api.project("later.example.com", 1).await;
    let refusal = world.run_failing_command(&["restore", "--force", name]);
    assert!(refusal.contains("a server is running"), "{refusal}");
    let listed = api.get("/projects?include=total").await;
    assert_eq!(listed["total"], 1, "{listed}");
    server.terminate();
    world.run_command(&["restore", "--force", name]);
    let (_server, api) = world.serve(&["--no-worker"]);
    let listed = api.get("/projects?include=total").await;
    assert_eq!(listed["total"], 0, "{listed}");
}

/// Files next to the backup with the same prefix.
fn around(file: &Path) -> Vec<String> {
    let found = fs::read_dir(file.parent().unwrap()).unwrap();
    let names = found.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|it| it.starts_with("backup")).collect();
    names.sort();
    names
}

async fn one_backup_at_a_time_per_file(mut world: World) {
    look_past_lanes(&mut world);
    let file = backup(&world);
    let name = file.to_str().unwrap();
    // Files of a running backup must stay untouched.
    let part = world.folder().join("backup.part");
    fs::write(&part, "half of it").unwrap();
    let lock = fs::File::create(world.folder().join("backup.part.lock")).unwrap();
    lock.lock().unwrap();
    let refusal = world.run_failing_command(&["backup", name]);
    assert!(refusal.contains("is under way"), "{refusal}");
    assert_eq!(fs::read_to_string(&part).unwrap(), "half of it");
    drop(lock);

    let start = || Process::start(world.command(&["backup", name]));
    let mut both = [start(), start()];
    let took = both.each_mut().map(|it| it.wait().success());
    assert_eq!(took.iter().filter(|it| **it).count(), 1, "{took:?}");
    let [first, second] = &mut both;
    let refused = if took[0] { second } else { first };
    let output = refused.full_output();
    assert!(
        output.contains("is under way") || output.contains("is there already"),
        "{output}"
    );
    world.run_command(&["restore", "--verify", name]);
    assert_eq!(around(&file), ["backup", "backup.manifest.json"]);
}

async fn leftovers_of_a_killed_backup_are_replaced(mut world: World) {
    look_past_lanes(&mut world);
    let file = backup(&world);
    for ending in [".part", ".part-journal", ".part.lock", ".manifest.json"] {
        fs::write(world.folder().join(format!("backup{ending}")), "half of it").unwrap();
    }
    take(&world);
    world.run_command(&["restore", "--verify", file.to_str().unwrap()]);
    assert_eq!(around(&file), ["backup", "backup.manifest.json"]);
    // The backup of a lone manifest may have been moved elsewhere.
    fs::remove_file(&file).unwrap();
    let refusal = world.run_failing_command(&["backup", file.to_str().unwrap()]);
    assert!(
        refusal.contains("backup.manifest.json is there"),
        "{refusal}"
    );
}

/// A table of a later version with the same owner.
const LATER: &str = "DO $$ BEGIN CREATE TABLE of_a_later_version (number BIGINT); \
     EXECUTE (SELECT format('ALTER TABLE of_a_later_version OWNER TO %I', tableowner) \
     FROM pg_tables WHERE tablename = 'accounts' LIMIT 1); END $$";

async fn replaced_data_is_kept(mut world: World) {
    look_past_lanes(&mut world);
    take(&world);
    let first = backup(&world);
    let replaced = |world: &World, file: &Path| -> String {
        world.database.end_connections();
        let report = world.run_command(&["restore", "--force", "--json", file.to_str().unwrap()]);
        let report: Value = serde_json::from_str(&report).unwrap();
        report["replaced"].as_str().unwrap().to_owned()
    };
    if !world.is_sqlite() {
        // Tables of a later version are kept with the rest, so that the restore can be undone.
        world.database.run_sql(LATER);
    }
    let kept = replaced(&world, &first);
    // A backup holds the current schema only, without the replaced ones.
    let second = world.folder().join("second");
    world.run_command(&["backup", second.to_str().unwrap()]);
    let kept_later = replaced(&world, &second);
    if world.is_sqlite() {
        assert!(kept_later.ends_with(".replaced.2"), "{kept_later}");
        assert!(Path::new(&kept).is_file() && Path::new(&kept_later).is_file());
        return;
    }
    assert_eq!(
        [kept.as_str(), &kept_later],
        ["sightline_replaced", "sightline_replaced_2"]
    );
    let later = "SELECT count(*) FROM sightline_replaced.of_a_later_version";
    world.database.run_sql(later);
    // Division by zero if one of them has no account.
    for schema in [kept, kept_later] {
        world
            .database
            .run_sql(&format!("SELECT 1 / count(*) FROM {schema}.accounts"));
    }

    // A failed restore replaces nothing.
    let programs = world.folder().join("programs");
    fs::create_dir(&programs).unwrap();
    let program = programs.join("pg_restore");
    let fails = "#!/bin/sh\ncase \"$*\" in *--dbname*) echo cannot >&2; exit 1;; esac\n";
    fs::write(&program, fails).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    world.database.end_connections();
    let arguments = ["restore", "--force", "--bindir"];
    let more = [programs.to_str().unwrap(), second.to_str().unwrap()];
    let failure = world.run_failing_command(&[&arguments[..], &more].concat());
    assert!(failure.contains("pg_restore failed: cannot"), "{failure}");
    let accounts = world.run_command(&["account", "list", "--json"]);
    assert!(accounts.contains("ann@example.com"), "{accounts}");
    world.database.run_sql(
        "SELECT 1 / (count(*) = 2)::INT FROM pg_namespace WHERE nspname LIKE 'sightline_replaced%'",
    );
}
