//! Crawls a site on loopback and prints its broken links as JSON: `{summary, items}`.
//!
//! `cargo run -p crawler --example crawl -- http://127.0.0.1:8101/ [--max-pages 500] [--internal]`

use analysis::{
    findings::broken_links::{FindingContext, PreviousBrokenLinks, find},
    observation::web_site::CrawlStep,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use crawler::{CrawlerSettings, PoliteReader};
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    site_reader::{
        Continue, CrawlJournal, CrawlPlan, CrawlProgress, CrawlStart, JournalError, SiteReader,
    },
};
use std::{
    error::Error,
    hash::{BuildHasher, RandomState},
    io::Write,
    sync::Arc,
    time::Duration,
};

struct WallClock;

impl Clock for WallClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

struct ProcessRandomness;

impl Randomness for ProcessRandomness {
    fn fill(&self, bytes: &mut [u8]) {
        let state = RandomState::new();
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = state.hash_one(at).to_le_bytes()[0];
        }
    }
}

struct NoJournal;

#[async_trait]
impl CrawlJournal for NoJournal {
    async fn recorded(&self) -> Result<Vec<CrawlStep>, JournalError> {
        Ok(Vec::new())
    }
    async fn record(&self, _: Vec<CrawlStep>) -> Result<Continue, JournalError> {
        Ok(Continue::Yes)
    }
    fn progress(&self, _: CrawlProgress) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let url = arguments.first().ok_or("name a URL")?.clone();
    let after = |name: &str| {
        let at = arguments.iter().position(|it| it == name)?;
        arguments.get(at + 1)
    };
    let plan = CrawlPlan {
        start: CrawlStart::Url(url),
        max_pages: after("--max-pages").map_or(Ok(500), |it| it.parse())?,
        max_depth: after("--max-depth").map_or(Ok(10), |it| it.parse())?,
        check_external: !arguments.iter().any(|it| it == "--internal"),
    };
    let settings = CrawlerSettings {
        allow_networks: vec!["127.0.0.0/8".parse()?],
        per_host_delay: Duration::ZERO,
        connections_per_host: 4,
        max_checks: 1_000_000,
        ..CrawlerSettings::default()
    };
    let clock = Arc::new(WallClock);
    let reader = PoliteReader::new(settings, clock.clone(), Arc::new(ProcessRandomness));
    let site = reader.read(&plan, &NoJournal).await?;
    let context = FindingContext {
        project_id: 1,
        measured_at: clock.now(),
    };
    let found = find(&site, &PreviousBrokenLinks::default(), &context);
    let out = serde_json::json!({ "summary": found.summary, "items": found.records });
    writeln!(std::io::stdout(), "{out}")?;
    Ok(())
}
