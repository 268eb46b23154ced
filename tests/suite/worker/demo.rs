//! The demo, stopped while it simulates past days.

use super::process::{Process, command};
use std::time::Duration;

#[test]
fn stopped_demo_ends_soon_and_leaves_no_files() {
    let home = tempfile::tempdir().unwrap();
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let settings = [
        set("TMPDIR", home.path().to_str().unwrap()),
        set("SIGHTLINE_LISTEN", "127.0.0.1:0"),
        // A day takes longer than the test.
        set("SIGHTLINE_SEARCH__SANDBOX__LATENCY_MS", "60000"),
    ];
    let mut demo = Process::start(command(home.path(), &settings, &["demo"]));
    demo.await_line("are simulated (sandbox)");
    let (status, took) = demo.terminate();
    assert!(status.success(), "{status}");
    assert!(took < Duration::from_secs(15), "{took:?}");
    let left: Vec<_> = std::fs::read_dir(home.path())
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
