//! Simulated power failures: `tests/chaos/power_loss.py` records the writes and syncs to `SQLite`'s files and rebuilds
//! the files as of random moments.

use super::process::program;
use std::process::{Command, Output};

fn cut(more: &[&str]) -> Output {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/chaos/power_loss.py");
    Command::new("python3")
        .args([script, "--seconds", "4", "--cuts", "25", "--seed", "771233"])
        .arg("--program")
        .arg(program())
        .args(more)
        .output()
        .unwrap()
}

#[test]
fn acknowledged_data_survives_power_loss() {
    let ran = cut(&[]);
    let stdout = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{ran:?}");
    assert!(
        stdout.contains("25 cuts") && stdout.contains("; 0 with a loss"),
        "{stdout}"
    );
}

#[test]
fn forgetful_database_is_detected() {
    let ran = cut(&["--forgetful"]);
    let stdout = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        ran.status.success() && !stdout.contains("; 0 with a loss"),
        "{ran:?}"
    );
}
