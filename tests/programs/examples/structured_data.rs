//! Reads the structured data of files, for `tests/oracles/extruct.py` and others.
//!
//!     structured_data --base https://example.com/ FILE...
//!
//! One JSON line per file: `{"file", "data", "record"}`.

use analysis::findings::schema::{FindingContext, PageInput, evaluate_page};
use chrono::DateTime;
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
        let (data, text) = crawler::read_structured_data(&fs::read(&argument)?, None, &base);
        let page = PageInput {
            url: base.as_str(),
            data: &data,
            visible_text: Some(&text),
            days: &[],
            template: None,
            rendered_only: false,
        };
        let context = FindingContext {
            project_id: 1,
            measured_at: DateTime::UNIX_EPOCH,
        };
        let record = evaluate_page(&page, &context);
        let line = json!({ "file": argument, "data": data, "record": record });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
