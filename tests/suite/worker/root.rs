//! Commands run by root in folders of other users, and the data folder's permissions.

use super::process::{command, program};
use serde_json::Value;
use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::Command,
};
use tempfile::TempDir;

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Needs root, which alone can give files away.
#[test]
#[ignore = "slow: 102 attacks, each with processes of its own"]
fn links_planted_for_root_gain_no_access() {
    if !is_root() {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/attacks/links_for_root.py");
    let ran = Command::new(script)
        .arg("--program")
        .arg(program())
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{stdout}{ran:?}");
}

#[test]
fn data_folder_is_private_and_doctor_checks_it() {
    let place = TempDir::new().unwrap();
    let data = place.path().join("above/data");
    let flag = ["--data-dir", data.to_str().unwrap()];
    let run = |arguments: &[&str]| {
        let arguments = [&flag, arguments].concat();
        command(place.path(), &[], &arguments).output().unwrap()
    };
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert!(run(&["migrate", "run"]).status.success());
    assert_eq!(mode(&data), 0o700);
    // Its parent may contain other files.
    assert_eq!(mode(data.parent().unwrap()), 0o755);
    let folder = || -> Value {
        let report: Value = serde_json::from_slice(&run(&["doctor", "--json"]).stdout).unwrap();
        let mut checks = report["checks"].as_array().unwrap().iter();
        checks
            .find(|it| it["check"] == "data folder")
            .unwrap()
            .clone()
    };
    assert_eq!(folder()["state"], "good");
    fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
    let check = folder();
    assert_eq!(check["state"], "notice", "{check}");
    assert!(
        check["todo"].as_str().unwrap().contains("chmod 700"),
        "{check}"
    );
    let left: Vec<_> = fs::read_dir(&data).unwrap().collect();
    assert!(left.iter().all(|it| {
        let name = it.as_ref().unwrap().file_name();
        name.to_str().unwrap().starts_with("sightline.db")
    }));
}
