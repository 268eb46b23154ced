//! Prints the main text blocks of HTML files as JSON lines. `--charset NAME` overrides the encoding.

use analysis::observation::page_content::BlockKind;
use crawler::extract::{ReceivedPage, read_page};
use serde_json::json;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = url::Url::parse("http://localhost/")?;
    let mut out = std::io::stdout().lock();
    let mut words = std::env::args().skip(1).peekable();
    let has_charset = words.next_if_eq("--charset").is_some();
    let charset = if has_charset { words.next() } else { None };
    for file in words {
        let bytes = std::fs::read(&file)?;
        let page = read_page(ReceivedPage::without_crawl(
            &bytes,
            charset.as_deref(),
            &url,
        ));
        let main = page.text.main;
        let blocks: Vec<_> = main
            .blocks
            .iter()
            .map(|it| json!({"kind": name(it.kind), "text": it.text}))
            .collect();
        let source = format!("{:?}", main.source);
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
