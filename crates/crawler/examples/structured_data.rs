//! Reads the structured data of files, for `tests/oracles/extruct.py` and its neighbours.
//!
//!     structured_data --base https://example.com/ FILE...
//!
//! One line of JSON per file: `{"file", "data"}`.

use serde_json::json;
use std::{env, error::Error, fs, io::Write};
use url::Url;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut base = Url::parse("https://example.com/page.html")?;
    let mut out = std::io::stdout().lock();
    while let Some(argument) = arguments.next() {
        if argument == "--base" {
            base = Url::parse(&arguments.next().ok_or("--base needs an address")?)?;
            continue;
        }
        let (data, _) = crawler::read_structured_data(&fs::read(&argument)?, None, &base);
        writeln!(out, "{}", json!({ "file": argument, "data": data }))?;
    }
    Ok(())
}
