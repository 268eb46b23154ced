//! A client of the admin listener: probes, metrics, settings.

use crate::callers::client;
use reqwest::{Method, Response};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

#[derive(Clone)]
pub struct AdminClient {
    /// Host and port.
    pub address: String,
}

/// A scrape of `/metrics`.
pub struct Scrape {
    pub text: String,
    /// By name and labels, as in the line.
    pub samples: BTreeMap<String, f64>,
    /// By family name.
    pub types: BTreeMap<String, String>,
    /// Texts of `HELP` lines by family name.
    pub help: BTreeMap<String, String>,
    /// The unprefixed metrics of version 0.1; the members above exclude them.
    pub unprefixed: BTreeMap<String, f64>,
}

impl AdminClient {
    /// From the line that names the admin listener.
    pub fn from_line(line: &str) -> Self {
        let rest = line.split("http://").nth(1).unwrap();
        let address = rest.split(' ').next().unwrap().to_owned();
        Self { address }
    }

    pub async fn request(&self, method: Method, path: &str) -> Response {
        let request = client().request(method, format!("http://{}{path}", self.address));
        request.send().await.unwrap()
    }

    /// Status and document.
    pub async fn get(&self, path: &str) -> (u16, Value) {
        let answer = self.request(Method::GET, path).await;
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }

    pub async fn metrics(&self) -> Scrape {
        let answer = self.request(Method::GET, "/metrics").await;
        assert_eq!(answer.status(), 200);
        let kind = answer.headers()["content-type"].to_str().unwrap();
        assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
        Scrape::parse(answer.text().await.unwrap())
    }

    /// Waits for the sum: an event may be visible just before it is counted.
    pub async fn await_sum(&self, name: &str, words: &[&str], number: f64) {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let found = self.metrics().await.sum(name, words);
            if (found - number).abs() < f64::EPSILON {
                return;
            }
            assert!(Instant::now() < until, "{name} {words:?}: {found}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Waits until the path has that status; returns the document.
    pub async fn wait_for_status(&self, path: &str, status: u16) -> Value {
        let begun = Instant::now();
        loop {
            let (got, body) = self.get(path).await;
            if got == status {
                return body;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "{path} still answers {got}: {body}"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Scrape {
    fn parse(text: String) -> Self {
        let mut scraped = Self {
            samples: BTreeMap::new(),
            types: BTreeMap::new(),
            help: BTreeMap::new(),
            text: String::new(),
            unprefixed: BTreeMap::new(),
        };
        let is_old = |name: &str| !name.starts_with("sightline_") && !name.starts_with("process_");
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                if is_old(name) {
                    continue;
                }
                let before = scraped.types.insert(name.to_owned(), kind.to_owned());
                assert_eq!(before, None, "{name} is announced twice");
            } else if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap();
                if is_old(name) {
                    continue;
                }
                assert!(!help.is_empty(), "{name} says nothing");
                scraped.help.insert(name.to_owned(), help.to_owned());
            } else {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let value = value
                    .parse()
                    .unwrap_or_else(|_| panic!("no number: {line}"));
                let kept = if is_old(name) {
                    &mut scraped.unprefixed
                } else {
                    &mut scraped.samples
                };
                let before = kept.insert(name.to_owned(), value);
                assert_eq!(before, None, "{name} is there twice");
            }
        }
        scraped.text = text;
        scraped
    }

    /// The sum of the metric's samples with labels that contain all these texts.
    pub fn sum(&self, name: &str, words: &[&str]) -> f64 {
        let name = &format!("sightline_{name}");
        let found = self.samples.iter().filter(|(line, _)| {
            line.split('{').next() == Some(name.as_str())
                && words.iter().all(|it| line.contains(it))
        });
        found.map(|(_, value)| value).sum()
    }
}
