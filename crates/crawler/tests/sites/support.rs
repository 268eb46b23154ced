//! A reader with test limits, and a journal in memory.

use analysis::{
    findings::broken_links::{BrokenLinks, FindingContext, PreviousBrokenLinks, Verdict, find},
    observation::{
        page_content::PageContent,
        web_site::{CrawlStep, SiteObservation},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeZone, Utc};
use crawler::{CrawlerSettings, FetchLimits, PoliteReader};
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    site_reader::{
        Continue, CrawlJournal, CrawlPlan, CrawlProgress, CrawlStart, JournalError, RecordedStep,
        Rendering, SiteReadError, SiteReader,
    },
};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 1, 1, 0, 0, 0).unwrap()
    }
}

#[derive(Default)]
struct CountingRandomness(AtomicU8);

impl Randomness for CountingRandomness {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Steps in memory; says stop after a given number.
#[derive(Default)]
pub struct MemoryJournal {
    pub steps: Mutex<Vec<CrawlStep>>,
    pub stop_at: Option<usize>,
    pub progress: Mutex<Vec<CrawlProgress>>,
}

#[async_trait]
impl CrawlJournal for MemoryJournal {
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        let steps = self.steps.lock().unwrap();
        let numbered = (0..).zip(steps.iter().cloned());
        let behind = numbered.skip_while(|(place, _)| behind.is_some_and(|it| *place <= it));
        // In small batches, like a database.
        let part = behind.take(7);
        Ok(part
            .map(|(place, step)| RecordedStep {
                sequence: place,
                step,
            })
            .collect())
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
        let mut all = self.steps.lock().unwrap();
        // The database stores JSON.
        let text = serde_json::to_string(&steps).unwrap();
        all.extend(serde_json::from_str::<Vec<CrawlStep>>(&text).unwrap());
        let full = self.stop_at.is_some_and(|it| all.len() >= it);
        Ok(if full { Continue::No } else { Continue::Yes })
    }

    fn progress(&self, progress: CrawlProgress) {
        self.progress.lock().unwrap().push(progress);
    }
}

pub fn quick_limits() -> FetchLimits {
    FetchLimits {
        connect: Duration::from_millis(400),
        dns: Duration::from_millis(400),
        first_byte: Duration::from_millis(400),
        total: Duration::from_millis(900),
        url_timeout: Duration::from_secs(2),
        robots_timeout: Duration::from_secs(2),
        rate_grace: Duration::from_millis(300),
        encoded_bytes: 300_000,
        decoded_bytes: 1_000_000,
        ratio_from: 100_000,
        retries: 1,
        retry_wait: Duration::from_millis(10),
        retry_after: Duration::from_millis(50),
        ..FetchLimits::default()
    }
}

pub fn settings() -> CrawlerSettings {
    CrawlerSettings {
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        per_host_delay: Duration::ZERO,
        connections_per_host: 8,
        limits: quick_limits(),
        ..CrawlerSettings::default()
    }
}

pub fn plan(url: String) -> CrawlPlan {
    CrawlPlan {
        start: CrawlStart::Url(url),
        max_pages: 50,
        max_depth: 10,
        check_external: true,
        render: Rendering::No,
    }
}

pub fn reader(settings: CrawlerSettings) -> PoliteReader {
    PoliteReader::new(
        settings,
        Arc::new(StillClock),
        Arc::new(CountingRandomness::default()),
    )
}

/// The observation, and the journal's pages by URL.
#[derive(Debug)]
pub struct Seen {
    pub site: SiteObservation,
    pub pages: Vec<PageContent>,
}

impl Seen {
    pub fn of(site: SiteObservation, journal: &MemoryJournal) -> Self {
        let steps = journal.steps.lock().unwrap();
        let pages = steps.iter().filter_map(|it| match it {
            CrawlStep::Page(page) => Some((**page).clone()),
            _ => None,
        });
        let mut pages: Vec<PageContent> = pages.collect();
        pages.sort_by(|one, other| one.url.cmp(&other.url));
        assert_eq!(site.pages.len(), pages.len());
        Self { site, pages }
    }
}

pub async fn crawl(
    settings: CrawlerSettings,
    plan: &CrawlPlan,
    journal: &MemoryJournal,
) -> Result<Seen, SiteReadError> {
    let site = reader(settings).read(plan, journal).await?;
    Ok(Seen::of(site, journal))
}

/// Crawls with short limits; must end within 15 s.
pub async fn read(url: String) -> Result<Seen, SiteReadError> {
    let (plan, journal) = (plan(url), MemoryJournal::default());
    let reading = crawl(settings(), &plan, &journal);
    tokio::time::timeout(Duration::from_secs(15), reading)
        .await
        .expect("the crawl ends in time")
}

pub fn findings(seen: &Seen) -> BrokenLinks {
    let context = FindingContext {
        project_id: 1,
        measured_at: StillClock.now(),
    };
    let previous = PreviousBrokenLinks::default();
    find(seen.site.clone(), &seen.pages, previous, &context)
}

/// Verdicts of all listed targets, by path.
pub fn verdicts(seen: &Seen) -> BTreeMap<String, Verdict> {
    let records = findings(seen).records.into_iter();
    let path = |url: String| {
        url.splitn(4, '/')
            .nth(3)
            .map_or(url.clone(), |it| format!("/{it}"))
    };
    records
        .map(|it| (path(it.target_url), it.verdict))
        .collect()
}
