//! The systemd units and the image use valid commands and settings.

use harness::processes::process::command;
use std::{fs, path::PathBuf, process::Command};
use tempfile::TempDir;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/deploy"))
}

fn lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    let lines = text.lines().filter(|it| !it.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// Asserts that the program accepts the command and the settings.
fn assert_accepted(arguments: &[&str], settings: &[(String, String)]) {
    let place = TempDir::new().unwrap();
    let help = [arguments, &["--help"]].concat();
    let output = command(place.path(), &[], &help).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    let settings: Vec<(String, String)> = { settings.iter() }
        .map(|(name, value)| {
            // The folders of systemd and the image do not exist here.
            let value = if name == "SIGHTLINE_DATA_DIR" {
                place.path().to_str().unwrap().to_owned()
            } else {
                value.clone()
            };
            (name.clone(), value)
        })
        .collect();
    let doctor = command(place.path(), &settings, &["doctor"])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&doctor.stderr);
    // Exit code 2: an unknown or invalid setting.
    assert_ne!(doctor.status.code(), Some(2), "{settings:?}: {stderr}");
}

fn setting(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap();
    (name.to_owned(), value.to_owned())
}

#[test]
fn systemd_units_use_valid_commands_and_settings() {
    for name in ["sightline.service", "sightline-worker.service"] {
        let lines = lines(name);
        let values = |key: &str| -> Vec<String> {
            let start = format!("{key}=");
            let found = lines.iter().filter_map(|it| it.strip_prefix(&start));
            found.map(str::to_owned).collect()
        };
        let [start] = values("ExecStart").try_into().unwrap();
        let words: Vec<&str> = start.split(' ').collect();
        assert_eq!(words[0], "sightline", "{name}");
        let settings = values("Environment");
        let settings: Vec<_> = settings.iter().map(|it| setting(it)).collect();
        assert!(!settings.is_empty(), "{name}");
        assert_accepted(&words[1..], &settings);
        // Shutdown takes up to 30 s: systemd must wait longer.
        assert_eq!(values("TimeoutStopSec"), ["35"], "{name}");
        let users = [values("User"), values("DynamicUser")].concat();
        let dynamic = name == "sightline-worker.service";
        assert_eq!(users, [if dynamic { "yes" } else { "sightline" }], "{name}");
        for bound in ["MemoryMax", "TasksMax"] {
            assert_eq!(values(bound).len(), 1, "{name}: {bound}");
        }
    }
}

/// On one machine, a worker with the server's admin port would run without probes and metrics.
#[test]
fn systemd_units_use_different_admin_ports() {
    let place = |name: &str| {
        let all = lines(name);
        let mut found = all
            .iter()
            .filter_map(|it| it.strip_prefix("Environment=SIGHTLINE_ADMIN__LISTEN="));
        found
            .next_back()
            .map_or("127.0.0.1:9090", |it| it)
            .to_owned()
    };
    assert_eq!(place("sightline.service"), "127.0.0.1:9090");
    assert_eq!(place("sightline-worker.service"), "127.0.0.1:9091");
}

/// Runs only if systemd is installed.
#[test]
fn systemd_accepts_the_units() {
    if Command::new("systemd-analyze")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let place = TempDir::new().unwrap();
    for name in ["sightline.service", "sightline-worker.service"] {
        // The program is not installed here.
        let unit = fs::read_to_string(folder().join(name)).unwrap();
        let copy = place.path().join(name);
        fs::write(&copy, unit.replace("=sightline ", "=/bin/true ")).unwrap();
        let output = Command::new("systemd-analyze")
            .arg("verify")
            .arg(&copy)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        // Messages about units of the machine are ignored.
        let of_ours: Vec<&str> = stderr.lines().filter(|it| it.contains(name)).collect();
        assert_eq!(of_ours, Vec::<&str>::new());
    }
}

#[test]
fn image_runs_a_valid_command_as_an_unprivileged_user() {
    let all = lines("Dockerfile");
    let argument = |name: &str| -> &str {
        let start = format!("ARG {name}=");
        all.iter().find_map(|it| it.strip_prefix(&start)).unwrap()
    };
    // The last stage is shipped: only libraries, unprivileged.
    let begins = all.iter().rposition(|it| it.starts_with("FROM ")).unwrap();
    let shipped = &all[begins..];
    assert_eq!(shipped[0], "FROM ${BASE_IMAGE}");
    let base = argument("BASE_IMAGE");
    assert!(
        base.starts_with("gcr.io/distroless/") && base.ends_with(":nonroot"),
        "{base}"
    );
    let value = |word: &str| -> String {
        let start = format!("{word} ");
        let found: Vec<&str> = shipped
            .iter()
            .filter_map(|it| it.strip_prefix(&start))
            .collect();
        assert_eq!(found.len(), 1, "{word}");
        found[0].to_owned()
    };
    assert_eq!(value("USER"), "65532:65532");
    assert_eq!(value("ENTRYPOINT"), r#"["/usr/local/bin/sightline"]"#);
    let arguments: Vec<String> = serde_json::from_str(&value("CMD")).unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let settings = value("ENV");
    let settings: Vec<_> = settings.split(' ').map(setting).collect();
    assert_accepted(&arguments, &settings);
    let listens = settings.iter().find(|(name, _)| name == "SIGHTLINE_LISTEN");
    let port = listens.unwrap().1.rsplit(':').next().unwrap();
    assert_eq!(value("EXPOSE"), port);
    // The image uses the workspace's Rust version.
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    let wanted = manifest
        .lines()
        .find_map(|it| it.strip_prefix("rust-version = "));
    let wanted = wanted.unwrap().trim_matches('"');
    let compiler = argument("RUST_IMAGE");
    assert!(compiler.contains(&format!("/rust:{wanted}-")), "{compiler}");
    assert!(all.iter().any(|it| it == "FROM ${RUST_IMAGE} AS build"));
}
