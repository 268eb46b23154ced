//! One crawl of a hostile site in its own process, so that its resource usage is the reader's.

use analysis::observation::web_site::{CheckState, CrawlStep, SiteObservation, Truncation};
use async_trait::async_trait;
use chrono::{DateTime, TimeZone, Utc};
use crawler::{CrawlerSettings, PoliteReader};
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    site_reader::{
        Continue, CrawlJournal, CrawlPlan, CrawlProgress, CrawlStart, JournalError, RecordedStep,
        Rendering, SiteReadError, SiteReader,
    },
};
use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

/// Environment variable with the URL to read; marks the child process.
pub const URL: &str = "SIGHTLINE_BOMB_URL";
/// Environment variable with a harmless URL, read first.
pub const WARM_URL: &str = "SIGHTLINE_HARMLESS_URL";
/// Prefix of the line with the figures.
pub const FIGURES_PREFIX: &str = "reading: ";

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

/// Serializes steps like a database, and keeps only a report of them.
#[derive(Default)]
struct ReportJournal(Mutex<Vec<String>>);

#[async_trait]
impl CrawlJournal for ReportJournal {
    async fn recorded(&self, _: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        Ok(Vec::new())
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
        for step in steps {
            let bytes = serde_json::to_vec(step).unwrap().len();
            self.0.lock().unwrap().extend(describe_step(step, bytes));
        }
        Ok(Continue::Yes)
    }

    fn progress(&self, _: CrawlProgress) {}
}

/// Report of a step; `None` if it is not about the bomb.
fn describe_step(step: &CrawlStep, bytes: usize) -> Option<String> {
    match step {
        CrawlStep::Page(page) if page.url.ends_with("/bomb") => Some(format!(
            "page{}{}, {} links, {} KiB",
            if page.fetched.truncation == Truncation::AtLimit {
                ", cut"
            } else {
                ""
            },
            if page.document.parser_limit {
                ", beyond the parser's limits"
            } else {
                ""
            },
            page.links.len(),
            bytes / 1024,
        )),
        CrawlStep::Check(check) if check.url.ends_with("/bomb") => Some(match &check.state {
            CheckState::Requested { fetched, .. } => match &fetched.detail {
                Some(detail) => detail.clone(),
                None => format!("status {:?}", fetched.status),
            },
            CheckState::BlockedByRobots => "blocked by robots.txt".to_owned(),
        }),
        CrawlStep::Sitemap(fact) if fact.problem.as_deref() != Some("absent") => Some(format!(
            "sitemap with {} pages, {}",
            fact.pages.len(),
            fact.problem.as_deref().unwrap_or("no problem")
        )),
        CrawlStep::Robots(fact) if fact.text.len() > 100 => {
            Some(format!("robots.txt of {} KiB", fact.text.len() / 1024))
        }
        _ => None,
    }
}

/// A size from `/proc/self/status`, in KiB.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|it| it.strip_prefix(name)).unwrap();
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// CPU time of this process in seconds (`proc_pid_stat(5)`: fields 14 and 15, in hundredths).
fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = text.rsplit(')').next().unwrap();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.map(|it| it.parse::<f64>().unwrap() / 100.0).sum()
}

/// How long current threads waited for a CPU, in seconds (`/proc/PID/task/TID/schedstat`: the second field, in
/// nanoseconds).
fn queued_seconds() -> f64 {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let of_each = threads.filter_map(|thread| {
        // The thread may have ended.
        let text = fs::read_to_string(thread.unwrap().path().join("schedstat")).ok()?;
        let nanoseconds: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
        Some(nanoseconds / 1e9)
    });
    of_each.sum()
}

async fn read(url: String, journal: &ReportJournal) -> Result<SiteObservation, SiteReadError> {
    // The product's limits, without politeness towards public hosts.
    let settings = CrawlerSettings {
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        per_host_delay: Duration::ZERO,
        connections_per_host: 1,
        ..CrawlerSettings::default()
    };
    let reader = PoliteReader::new(
        settings,
        Arc::new(StillClock),
        Arc::new(CountingRandomness::default()),
    );
    let plan = CrawlPlan {
        start: CrawlStart::Url(url),
        max_pages: 50,
        max_depth: 10,
        check_external: true,
        render: Rendering::No,
    };
    reader.read(&plan, journal).await
}

#[test]
#[ignore = "not a test of its own: a process that the others start"]
fn a_reading() {
    #[expect(
        clippy::disallowed_methods,
        reason = "settings from the parent process"
    )]
    let [harmless, url] =
        [WARM_URL, URL].map(|it| std::env::var(it).expect("the parent process sets both"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    // Created once for all pages: word lists, trusted roots, threads.
    runtime
        .block_on(read(harmless, &ReportJournal::default()))
        .unwrap();
    let (begun, before) = (Instant::now(), status("VmRSS:"));
    let (processor_before, queued_before) = (processor_seconds(), queued_seconds());
    let journal = ReportJournal::default();
    let read = runtime.block_on(read(url, &journal));
    let (seconds, peak) = (begun.elapsed().as_secs_f64(), status("VmHWM:") - before);
    let computed = processor_seconds() - processor_before;
    let queued = queued_seconds() - queued_before;
    let mut reports = journal.0.into_inner().unwrap();
    match read {
        Ok(site) => reports.extend(site.limits.iter().map(|it| format!("limit {it:?}"))),
        Err(error) => reports.push(format!("{error:?}")),
    }
    println!(
        "\n{FIGURES_PREFIX}{peak} {computed:.1} {queued:.1} {seconds:.1} {}",
        reports.join("; ")
    );
}
