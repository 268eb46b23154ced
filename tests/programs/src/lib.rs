//! Shared code of the programs in `examples`.

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

/// Reads JSON lines from standard input and prints a line for each at once.
pub fn answer_lines<Q: DeserializeOwned, A: Display>(
    answer: impl Fn(Q) -> Result<A, Failure>,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", answer(serde_json::from_str(&line?)?)?)?;
    }
    Ok(())
}

/// All HTML files below a folder, sorted by path.
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

/// CPU milliseconds of this thread (Linux).
pub fn cpu_time() -> Result<f64, Failure> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e6)
}
