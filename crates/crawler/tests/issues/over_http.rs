//! The catalog over HTTP and HTTPS: each faulty site is served on loopback, crawled and audited.

use super::{memory_crawl::record_of, site_server::SiteServer};
use crate::fault_sites::{GeneratedSite, SiteSpec, VitalsFault, fault_site, faultless};
use analysis::{
    findings::{
        broken_links::PreviousBrokenLinks,
        envelope::FindingContext,
        evaluate,
        issues::IssueCode,
        site_collector::{AuditContext, SiteCollector},
    },
    observation::{page_content::PageContent, web_site::CrawlStep},
    result_type::ResultType,
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use crawler::{AiRobots, CrawlerSettings, FetchLimits, PoliteReader};
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    site_reader::{
        Continue, CrawlJournal, CrawlPlan, CrawlProgress, CrawlStart, JournalError, RecordedStep,
        Rendering, SiteReader,
    },
};
use futures_util::stream::{self, StreamExt};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

pub const ORIGIN: &str = "https://example.com";
/// Sites read concurrently.
const AT_ONCE: usize = 8;

/// A fixed clock.
struct At(DateTime<Utc>);

impl Clock for At {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// Time of the first audit.
pub fn first_day() -> DateTime<Utc> {
    DateTime::from_timestamp(1_750_000_000, 0).unwrap()
}

#[derive(Default)]
struct Counting(AtomicU8);

impl Randomness for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[derive(Default)]
struct Pages(Mutex<Vec<PageContent>>);

#[async_trait]
impl CrawlJournal for Pages {
    async fn recorded(&self, _: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        Ok(Vec::new())
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
        let mut pages = self.0.lock().unwrap();
        pages.extend(steps.iter().filter_map(|it| match it {
            CrawlStep::Page(page) => Some((**page).clone()),
            _ => None,
        }));
        Ok(Continue::Yes)
    }

    fn progress(&self, _: CrawlProgress) {}
}

pub struct Audited {
    /// Summary of `content`.
    pub summary: Value,
    /// Records of `content` by URL.
    pub records: BTreeMap<String, Value>,
    /// Records of `broken-links`.
    pub links: Vec<Value>,
    /// Input of the next audit.
    pub history: PreviousBrokenLinks,
}

impl Audited {
    pub fn codes(&self) -> BTreeSet<String> {
        let issues = self.summary["issues"].as_object().unwrap();
        issues.keys().cloned().collect()
    }
}

/// State before an audit.
#[derive(Default)]
pub struct Before {
    /// URLs with a deliberate delay; other times to first byte are random.
    pub waiting: BTreeSet<String>,
    /// Measured vitals of the page on glaze.
    pub vitals: Option<VitalsFault>,
    /// Link targets of an earlier audit.
    pub history: PreviousBrokenLinks,
    /// Days after the first audit.
    pub days: i64,
}

/// Serves, crawls and audits a site.
pub async fn audited(site: GeneratedSite, before: Before) -> Audited {
    let now = first_day() + TimeDelta::days(before.days);
    let server = SiteServer::start(site).await;
    let settings = CrawlerSettings {
        resolve: server.resolve(),
        trusted: vec![server.authority.clone()],
        per_host_delay: Duration::ZERO,
        connections_per_host: 4,
        limits: FetchLimits {
            first_byte: Duration::from_millis(2_500),
            total: Duration::from_secs(30),
            retries: 0,
            ..FetchLimits::default()
        },
        ..CrawlerSettings::default()
    };
    let reader = PoliteReader::new(settings, Arc::new(At(now)), Arc::new(Counting::default()));
    let plan = CrawlPlan {
        start: CrawlStart::Host("example.com".to_owned()),
        max_pages: 200,
        max_depth: 20,
        check_external: true,
        render: Rendering::No,
    };
    let journal = Pages::default();
    let observation = reader.read(&plan, &journal).await.unwrap();
    assert_eq!(observation.start, format!("{ORIGIN}/"));
    let mut pages = journal.0.into_inner().unwrap();
    for page in &mut pages {
        // A busy machine answers late; only deliberate delays count.
        let waited = before.waiting.contains(&page.url);
        page.response.ttfb_ms = page.response.ttfb_ms.filter(|_| waited);
    }

    let mut context = AuditContext {
        finding: FindingContext {
            project_id: 1,
            measured_at: now,
        },
        ..AuditContext::default()
    };
    if let Some(fault) = before.vitals {
        let page = format!("{ORIGIN}/guides/glaze");
        let records = vec![record_of(&page, fault)];
        context.vitals.insert(page, records);
    }
    let robots = AiRobots::of(observation.robots.as_ref());
    let robots = move |url: &str| robots.verdicts(url);
    let mut cards = SiteCollector::of(observation, before.history);
    for page in &pages {
        cards.add(page);
    }
    let site = cards.finish(&robots);
    let (mut records, mut links) = (BTreeMap::new(), Vec::new());
    let summaries = evaluate(&site, &context, &robots, pages.into_iter(), |it| {
        let record: Value = it.record.parse().unwrap();
        match it.result_type {
            ResultType::Content => {
                records.insert(it.url, record);
            }
            ResultType::BrokenLinks => links.push(record),
            _ => {}
        }
    });
    let of_content = { summaries.iter() }.find(|it| it.result_type == ResultType::Content);
    Audited {
        summary: of_content.unwrap().summary.parse().unwrap(),
        records,
        links,
        history: site.into_link_history(&context),
    }
}

async fn codes(spec: &SiteSpec, vitals: Option<VitalsFault>) -> BTreeSet<String> {
    let waiting = spec.pages.iter().filter(|it| it.delay_ms > 0);
    let before = Before {
        waiting: waiting.map(|it| it.url(ORIGIN)).collect(),
        vitals,
        ..Before::default()
    };
    audited(spec.generated(), before).await.codes()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_faultless_site_has_no_issue() {
    assert_eq!(codes(&faultless(ORIGIN), None).await, BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_site_has_exactly_its_code() {
    let read = IssueCode::ALL.into_iter().map(|code| async move {
        let fault = fault_site(ORIGIN, code);
        (code, codes(&fault.site, fault.vitals).await)
    });
    let read: Vec<_> = stream::iter(read).buffer_unordered(AT_ONCE).collect().await;
    let wrong = read.into_iter().filter(|(code, found)| {
        let name = serde_json::to_value(code).unwrap();
        let name = name.as_str().unwrap().to_owned();
        *found != BTreeSet::from([name])
    });
    let wrong: Vec<String> = wrong
        .map(|(code, found)| format!("{code:?}: {found:?}"))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} codes\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
