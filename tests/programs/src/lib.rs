//! What the programs in `examples` share.

pub mod clusters;

use serde::de::DeserializeOwned;
use std::{
    error::Error,
    fmt::Display,
    fs,
    io::{self, BufRead, Write},
    path::{Path, PathBuf},
};

pub type Failure = Box<dyn Error>;

/// Reads questions from standard input, a line of JSON each, and prints a line for each answer at once.
///
/// # Errors
/// At the first line that is no question, and where an answer fails.
pub fn answer_lines<Q: DeserializeOwned, A: Display>(
    answer: impl Fn(Q) -> Result<A, Failure>,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", answer(serde_json::from_str(&line?)?)?)?;
    }
    Ok(())
}

/// All HTML files below a folder, in the order of their paths.
///
/// # Errors
/// Where a folder cannot be read.
pub fn html_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "html") {
            files.push(path);
        }
    }
    Ok(())
}

/// Milliseconds that this thread has run (Linux).
///
/// # Errors
/// Where the system does not tell.
pub fn cpu_time() -> Result<f64, Failure> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e6)
}
