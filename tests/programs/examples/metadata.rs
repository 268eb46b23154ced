//! Prints the metadata of HTML files as JSON lines. Arguments: `[--charset NAME]`, then pairs of URL and file path.

use analysis::observation::page_content::{DateFact, SourcedText};
use crawler::extract::{ReceivedPage, read_page};
use serde_json::{Value, json};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let mut words = std::env::args().skip(1).peekable();
    let has_charset = words.next_if_eq("--charset").is_some();
    let charset = if has_charset { words.next() } else { None };
    while let (Some(url), Some(file)) = (words.next(), words.next()) {
        let (bytes, url) = (std::fs::read(&file)?, url::Url::parse(&url)?);
        let page = read_page(ReceivedPage::without_crawl(
            &bytes,
            charset.as_deref(),
            &url,
        ));
        let known = &page.metadata;
        let authors: Vec<Value> = known
            .authors
            .iter()
            .map(|it| json!({"name": it.name, "url": it.url, "source": format!("{:?}", it.source)}))
            .collect();
        let dates: Vec<Value> = known.dates.iter().map(date).collect();
        let found = json!({
            "file": file, "published": known.published().map(date), "modified": known.modified().map(date), "dates": dates,
            "byline": known.byline.as_ref().map(text), "authors": authors, "siteName": known.site_name.as_ref().map(text),
        });
        writeln!(out, "{found}")?;
    }
    Ok(())
}

fn date(fact: &DateFact) -> Value {
    json!({"day": fact.day.to_string(), "moment": fact.moment.map(|it| it.to_rfc3339()), "role": format!("{:?}", fact.role),
        "source": format!("{:?}", fact.source), "text": fact.text})
}

fn text(text: &SourcedText) -> Value {
    json!({"text": text.text, "source": format!("{:?}", text.source)})
}
