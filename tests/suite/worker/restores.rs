//! Effects of a restore on an existing file, through any path.

use super::{
    backups::{backup, take},
    world::World,
};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
};
use storage::DatabaseKind;

/// A backup, and a path for a database that this process never opened.
async fn begin() -> (World, String, PathBuf) {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    take(&world);
    let name = backup(&world).to_str().unwrap().to_owned();
    let folder = world.folder().join("data");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("sightline.db");
    name_database(&mut world, &file);
    (world, name, file)
}

fn name_database(world: &mut World, file: &Path) {
    world.set("DATABASE_URL", &format!("sqlite://{}", file.display()));
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", file.display()))
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

/// File names in the database's folder, except locks.
fn names(file: &Path) -> Vec<String> {
    let found = fs::read_dir(file.parent().unwrap()).unwrap();
    let names = found.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names
        .filter(|it| Path::new(it).extension().is_none_or(|it| it != "lock"))
        .collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corrupt_database_is_moved_aside_with_its_wal() {
    let (world, backup, file) = begin().await;
    let wreck = [
        ("", "no database"),
        ("-wal", "no log"),
        ("-shm", "nor this"),
    ];
    for (ending, text) in wreck {
        fs::write(beside(&file, ending), text).unwrap();
    }
    let refusal = world.run_failing_command(&["restore", &backup]);
    assert!(refusal.contains("is not a database"), "{refusal}");
    assert!(refusal.contains("--force"), "{refusal}");
    for (ending, text) in wreck {
        assert_eq!(fs::read_to_string(beside(&file, ending)).unwrap(), text);
    }

    let printed = world.run_command(&["restore", "--force", &backup]);
    let kept = beside(&file, ".replaced");
    assert!(printed.contains(kept.to_str().unwrap()), "{printed}");
    for (ending, text) in wreck {
        assert_eq!(fs::read_to_string(beside(&kept, ending)).unwrap(), text);
    }
    assert!(!beside(&file, "-wal").exists());
    world.run_command(&["account", "list"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corrupt_database_is_replaced_with_force() {
    let (world, backup, file) = begin().await;
    world.run_command(&["restore", &backup]);
    let mut bytes = fs::read(&file).unwrap();
    // The signature stays, the content is garbage.
    bytes[100..].fill(0xA5);
    fs::write(&file, &bytes).unwrap();
    let refusal = world.run_failing_command(&["restore", &backup]);
    assert!(refusal.contains("malformed"), "{refusal}");
    world.run_command(&["restore", "--force", &backup]);
    assert_eq!(fs::read(beside(&file, ".replaced")).unwrap(), bytes);
    world.run_command(&["account", "list"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_files_are_never_overwritten() {
    let (world, backup, file) = begin().await;
    world.run_command(&["restore", &backup]);
    let mut kept = Vec::new();
    for name in [".replaced", ".replaced.2", ".replaced.3"] {
        let email = format!("bea{}@example.com", kept.len());
        world.run_command(&["account", "create", "--email", &email, "--name", "Bea"]);
        let report = world.run_command(&["restore", "--force", "--json", &backup]);
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let place = beside(&file, name);
        assert_eq!(report["replaced"], place.to_str().unwrap());
        kept.push((fs::read(&place).unwrap(), email, place));
    }
    // Each is checkpointed, so that one file holds everything.
    let expected = ["", ".replaced", ".replaced.2", ".replaced.3"];
    assert_eq!(
        names(&file),
        expected.map(|it| format!("sightline.db{it}")).to_vec()
    );
    for (bytes, email, place) in kept {
        assert_eq!(fs::read(&place).unwrap(), bytes);
        let url = format!("sqlite://{}", place.display());
        let listed = world.run_command(&["account", "list", "--database-url", &url]);
        assert!(listed.contains(&email), "{listed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restored_database_is_private_to_its_owner() {
    let (world, backup, file) = begin().await;
    for of_backup in [0o644, 0o400] {
        fs::set_permissions(&backup, PermissionsExt::from_mode(of_backup)).unwrap();
        world.run_command(&["restore", "--force", &backup]);
        assert_eq!(mode(&file), 0o600, "{of_backup:o}");
    }
    let (_server, api) = world.serve(&["--no-worker"]);
    api.project("later.example.com", 1).await;
    for ending in ["-wal", "-shm"] {
        assert_eq!(mode(&beside(&file, ending)), 0o600, "{ending}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn symlink_uses_lock_and_file_of_its_target() {
    let (mut world, backup, file) = begin().await;
    world.run_command(&["restore", &backup]);
    let (server, api) = world.serve(&["--no-worker"]);
    let (link, folder) = (world.folder().join("link"), world.folder().join("other"));
    symlink(&file, &link).unwrap();
    symlink(file.parent().unwrap(), &folder).unwrap();
    for name in [link.clone(), folder.join("sightline.db")] {
        name_database(&mut world, &name);
        let refusal = world.run_failing_command(&["serve", "--listen", "127.0.0.1:0"]);
        assert!(refusal.contains("another server is running"), "{refusal}");
        let refusal = world.run_failing_command(&["restore", "--force", &backup]);
        assert!(refusal.contains("a server is running"), "{refusal}");
    }
    api.project("later.example.com", 1).await;
    server.terminate();

    name_database(&mut world, &link);
    let printed = world.run_command(&["restore", "--force", &backup]);
    let kept = beside(&file, ".replaced");
    assert!(printed.contains(kept.to_str().unwrap()), "{printed}");
    assert!(kept.is_file());
    assert_eq!(fs::read_link(&link).unwrap(), file);
    assert!(fs::symlink_metadata(&file).unwrap().is_file());
    let (_server, api) = world.serve(&["--no-worker"]);
    let listed = api.get("/projects?include=total").await;
    assert_eq!(listed["total"], 0, "{listed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unwritable_path_is_reported() {
    let (mut world, backup, file) = begin().await;
    name_database(&mut world, &file.join("missing/sightline.db"));
    let refusal = world.run_failing_command(&["restore", &backup]);
    assert!(refusal.contains("there is no folder"), "{refusal}");
    assert!(refusal.contains("make it"), "{refusal}");
    // No user can create files there, not even root.
    name_database(&mut world, Path::new("/sys/sightline.db"));
    let refusal = world.run_failing_command(&["restore", &backup]);
    assert!(
        refusal.contains("sightline.db.lock cannot be used"),
        "{refusal}"
    );
    let reasons = [
        "Permission denied",
        "Read-only file system",
        "not permitted",
    ];
    assert!(reasons.iter().any(|it| refusal.contains(it)), "{refusal}");
    assert!(!refusal.contains("a server is running"), "{refusal}");
}

/// Root restores for the service's user. Needs root: others own their folders.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_restored_by_root_belongs_to_the_folder_owner() {
    let (world, backup, file) = begin().await;
    let folder = file.parent().unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if is_root {
        chown(folder, Some(65_534), Some(65_534)).unwrap();
    }
    world.run_command(&["restore", &backup]);
    let owner = fs::metadata(folder).unwrap().uid();
    for ending in ["", ".lock"] {
        let made = fs::metadata(beside(&file, ending)).unwrap();
        assert_eq!(
            (made.uid(), made.mode() & 0o777),
            (owner, 0o600),
            "{ending}"
        );
    }
}
