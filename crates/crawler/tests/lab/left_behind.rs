//! What a browser leaves on the machine.

use std::{fs, path::Path};

/// Files in the folder, and processes with its name in the command line.
pub fn left_behind(folder: &Path) -> Vec<String> {
    let mut left = entries(folder);
    for process in entries(Path::new("/proc")) {
        let command = fs::read(format!("{process}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).into_owned();
        if command.contains(folder.to_str().unwrap()) {
            left.push(command);
        }
    }
    left
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.map(|it| it.path().display().to_string()).collect()
}
