//! Prints the content of sitemap files as JSON lines: pages and sitemaps with their dates, and the problem.

use crawler::{Sitemap, SitemapEntry};
use serde_json::{Value, json};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for file in std::env::args().skip(1) {
        let sitemap = Sitemap::read(&std::fs::read(&file)?);
        let list = |all: &[SitemapEntry]| -> Vec<Value> { all.iter().map(entry).collect() };
        let found = json!({"pages": list(&sitemap.pages), "sitemaps": list(&sitemap.sitemaps), "problem": sitemap.problem});
        writeln!(out, "{found}")?;
    }
    Ok(())
}

fn entry(entry: &SitemapEntry) -> Value {
    json!([entry.url, entry.last_modified.map(|it| it.text())])
}
