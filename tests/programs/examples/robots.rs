//! Verdicts of robots.txt files, for a comparison with others: a JSON line in, with `file` or `text`,
//! `agents` and `paths`, a JSON line out, with a list of verdicts for each agent.

use crawler::RobotsRules;
use serde::Deserialize;
use std::io::{BufRead, Write};
use url::Url;

#[derive(Deserialize)]
struct Question {
    file: Option<String>,
    text: Option<String>,
    agents: Vec<String>,
    paths: Vec<String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let question: Question = serde_json::from_str(&line?)?;
        let bytes = question.file.map(std::fs::read).transpose()?;
        let bytes = bytes
            .or(question.text.map(String::into_bytes))
            .unwrap_or_default();
        let text = RobotsRules::text(&bytes);
        let urls = question
            .paths
            .iter()
            .map(|it| Url::parse(&format!("http://example.com{it}")));
        let urls: Vec<Url> = urls.collect::<Result<_, _>>()?;
        let verdicts = question.agents.iter().map(|agent| {
            let rules = RobotsRules::parse(&text, agent);
            urls.iter().map(|it| rules.allow(it)).collect::<Vec<_>>()
        });
        writeln!(out, "{}", serde_json::json!(verdicts.collect::<Vec<_>>()))?;
    }
    Ok(())
}
