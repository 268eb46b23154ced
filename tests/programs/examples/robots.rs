//! Verdicts of robots.txt files, for comparison: JSON lines with `file` or `text`, `agents` and `paths` in, a list of
//! verdicts per agent out.

use crawler::RobotsRules;
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

#[derive(Deserialize)]
struct Question {
    file: Option<String>,
    text: Option<String>,
    agents: Vec<String>,
    paths: Vec<String>,
}

fn main() -> Result<(), Failure> {
    answer_lines(verdicts)
}

fn verdicts(question: Question) -> Result<Value, Failure> {
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
    Ok(json!(verdicts.collect::<Vec<_>>()))
}
