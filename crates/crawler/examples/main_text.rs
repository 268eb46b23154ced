//! Prints the main text of HTML files, a JSON line each: file paths in, blocks out. With
//! `--charset NAME` first, the files are in that encoding whatever they say.

use crawler::extract::{BlockKind, read_page};
use serde_json::json;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = url::Url::parse("http://localhost/")?;
    let mut out = std::io::stdout().lock();
    let mut words = std::env::args().skip(1).peekable();
    let is_told = words.next_if_eq("--charset").is_some();
    let charset = if is_told { words.next() } else { None };
    for file in words {
        let page = read_page(&std::fs::read(&file)?, charset.as_deref(), &url);
        let blocks: Vec<_> = page
            .main_text
            .blocks
            .iter()
            .map(|it| json!({"kind": name(it.kind), "node": it.node, "text": it.text}))
            .collect();
        let source = format!("{:?}", page.main_text.source);
        writeln!(
            out,
            "{}",
            json!({"file": file, "source": source, "blocks": blocks})
        )?;
    }
    Ok(())
}

fn name(kind: BlockKind) -> String {
    match kind {
        BlockKind::Heading(level) => format!("heading{level}"),
        other => format!("{other:?}").to_lowercase(),
    }
}
