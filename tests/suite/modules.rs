//! Runs the tests of the JavaScript modules in Node.

use std::{path::Path, process::Command};

#[test]
fn javascript_modules_pass_their_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(root.join("modules"))
        .expect("the folder of module tests")
        .map(|it| it.expect("a file").path())
        .filter(|it| it.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there are tests");
    let output = Command::new("node")
        .args(["--test", "--test-reporter=tap"])
        .args(&files)
        .current_dir(root)
        .output()
        .expect("node, which tests/install puts there");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
    assert!(
        !report.contains("# tests 0\n"),
        "no test was found in {files:?}: {report}"
    );
    for kind in ["cancelled", "skipped", "todo"] {
        assert!(
            report.contains(&format!("# {kind} 0\n")),
            "{kind}: {report}"
        );
    }
}
