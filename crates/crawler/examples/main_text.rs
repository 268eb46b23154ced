//! Prints the main text of HTML files, a JSON line each: file paths in, blocks out.
#![expect(clippy::print_stdout, reason = "a program whose output is its purpose")]

use crawler::extract::{BlockKind, read_page};
use serde_json::json;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = url::Url::parse("http://localhost/")?;
    let mut out = std::io::stdout().lock();
    for file in std::env::args().skip(1) {
        let page = read_page(&std::fs::read(&file)?, None, &url);
        let blocks: Vec<_> = page
            .main_text
            .blocks
            .iter()
            .map(|it| json!({"kind": name(it.kind), "node": it.node, "text": it.text}))
            .collect();
        let source = format!("{:?}", page.main_text.source);
        writeln!(out, "{}", json!({"file": file, "source": source, "blocks": blocks}))?;
    }
    Ok(())
}

fn name(kind: BlockKind) -> String {
    match kind {
        BlockKind::Heading(level) => format!("heading{level}"),
        other => format!("{other:?}").to_lowercase(),
    }
}
