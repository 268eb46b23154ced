//! `sightline audit`: one site, no account, no server.

mod journal;

use super::{Ended, WrongUsage};
use crate::{
    cli::AuditArgs,
    settings::Loaded,
    terminal::{progress_bar, remark, say, shortened, show_table},
    wiring::{machine, site_reader},
};
use analysis::{
    findings::broken_links::{
        self, BrokenLink, BrokenLinks, BrokenLinksSummary, FindingContext, PreviousBrokenLinks,
        Severity,
    },
    observation::web_site::CrawlStep,
};
use async_trait::async_trait;
use domain::ports::site_reader::{
    Continue, CrawlJournal, CrawlPlan, CrawlProgress, CrawlStart, JournalError, RecordedStep,
    SiteReadError, Unreached,
};
use indicatif::{MultiProgress, ProgressBar};
use journal::FileJournal;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io::IsTerminal,
    sync::Mutex,
    time::{Duration, Instant},
};
use url::Url;

/// How many findings of each severity a person is shown.
const SHOWN: usize = 25;

/// Audits, shows, and says whether there were findings to fail on.
pub async fn run(loaded: Loaded, args: &AuditArgs) -> anyhow::Result<Ended> {
    let settings = loaded.settings;
    let (clock, randomness) = machine();
    let reader = site_reader(&settings, &clock, &randomness);
    let plan = CrawlPlan {
        start: CrawlStart::Url(start(&args.url)?),
        max_pages: args.max_pages.unwrap_or(settings.crawler.max_pages),
        max_depth: args.max_depth.unwrap_or(settings.crawler.max_depth),
        check_external: settings.crawler.check_external && !args.internal_only,
    };
    let bars = Bars::new()?;
    let read = reader.read(&plan, &bars).await;
    bars.clear();
    let observation = read.map_err(|error| explained(&error, &args.url))?;

    let context = FindingContext {
        project_id: 0,
        measured_at: clock.now(),
    };
    let found = broken_links::find(&observation, &PreviousBrokenLinks::default(), &context);
    if args.json {
        say(serde_json::to_string(&Report {
            summary: &found.summary,
            items: &found.records,
        })?);
    } else {
        show(&args.url, &found);
    }
    Ok(verdict(&found.records, args.fail_on.as_deref()))
}

#[derive(Serialize)]
struct Report<'a> {
    summary: &'a BrokenLinksSummary,
    items: &'a [BrokenLink],
}

fn start(url: &str) -> Result<String, WrongUsage> {
    let with_scheme = if url.contains("://") {
        url.to_owned()
    } else {
        format!("https://{url}")
    };
    let parsed = Url::parse(&with_scheme).ok();
    let is_web = parsed.is_some_and(|it| matches!(it.scheme(), "http" | "https"));
    is_web.then_some(with_scheme).ok_or_else(|| {
        WrongUsage(format!(
            "`{url}` is no http or https address, for example https://example.com"
        ))
    })
}

fn explained(error: &SiteReadError, url: &str) -> anyhow::Error {
    let hint = match error {
        SiteReadError::Unreachable(Unreached::Connection) => {
            "Only public addresses are read unless the setting crawler.allow_networks opens the \
             site's network, for example SIGHTLINE_CRAWLER__ALLOW_NETWORKS='[\"127.0.0.0/8\"]' \
             for a site on this machine."
        }
        SiteReadError::Unreachable(Unreached::Name) => "Check how it is written.",
        SiteReadError::Unreachable(Unreached::Encryption) => {
            "Check its certificate, or begin at its http address."
        }
        SiteReadError::NoPage(_) => "Begin at another page of the site, or mend that one.",
        SiteReadError::DisallowedByRobots => "Allow the agent sightlinebot in its robots.txt.",
        SiteReadError::Stopped | SiteReadError::Journal(_) => "Try again.",
    };
    anyhow::anyhow!("{url} could not be audited: {error}. {hint}")
}

fn verdict(records: &[BrokenLink], fail_on: Option<&str>) -> Ended {
    let counts = |severity: Severity| match fail_on {
        Some("error") => severity == Severity::Error,
        Some("warning") => severity != Severity::Notice,
        Some(_) => true,
        None => false,
    };
    if records.iter().any(|record| counts(record.severity)) {
        Ended::Findings
    } else {
        Ended::Done
    }
}

fn show(url: &str, found: &BrokenLinks) {
    let mut by_severity: BTreeMap<u8, Vec<&BrokenLink>> = BTreeMap::new();
    for record in &found.records {
        by_severity
            .entry(rank(record.severity))
            .or_default()
            .push(record);
    }
    for records in by_severity.values() {
        let title = records
            .first()
            .map_or("", |record| heading(record.severity));
        say(format!("\n{title}: {}", records.len()));
        show_table(
            &["verdict", "target", "stands on", "line", "text"],
            records.iter().take(SHOWN).map(|record| row(record)),
        );
        if records.len() > SHOWN {
            say(format!(
                "… and {} more; --json shows all.",
                records.len() - SHOWN
            ));
        }
    }
    let summary = &found.summary;
    say(format!(
        "\n{url}: {} pages read, {} link targets checked: {} fine, {} broken, {} suspect (failed once, other sites), {} redirected, {} restricted, {} unknown, {} not checked.",
        summary.pages_crawled,
        summary.checked,
        summary.ok,
        summary.broken,
        summary.suspect,
        summary.redirected,
        summary.restricted,
        summary.unknown,
        summary.not_checked
    ));
}

fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Notice => 2,
    }
}

fn heading(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Errors",
        Severity::Warning => "Warnings",
        Severity::Notice => "Notices",
    }
}

fn row(record: &BrokenLink) -> [String; 5] {
    let verdict = serde_json::to_string(&record.verdict).unwrap_or_default();
    // What broke says more than the status of an answer that broke off.
    let status = match (&record.error_detail, record.status_code) {
        (Some(detail), _) => format!(" {detail}"),
        (None, Some(code)) => format!(" {code}"),
        (None, None) => String::new(),
    };
    [
        format!("{}{status}", verdict.trim_matches('"')),
        shortened(&record.target_url, 60),
        shortened(&record.source_url, 50),
        record.position.line.to_string(),
        shortened(record.anchor_text.as_deref().unwrap_or(""), 24),
    ]
}

/// How often a line tells the progress where there is no terminal for bars.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Progress on the terminal, and a journal for as long as the audit takes.
struct Bars {
    journal: FileJournal,
    all: MultiProgress,
    pages: ProgressBar,
    checks: ProgressBar,
    /// When the last line was written, where bars cannot be drawn.
    last_line: Option<Mutex<Instant>>,
}

impl Bars {
    fn new() -> anyhow::Result<Self> {
        let all = MultiProgress::new();
        let pages = all.add(progress_bar("read pages"));
        let checks = all.add(progress_bar("check links"));
        let is_drawn = std::io::stderr().is_terminal();
        Ok(Self {
            journal: FileJournal::new()?,
            all,
            pages,
            checks,
            last_line: (!is_drawn).then(|| Mutex::new(Instant::now())),
        })
    }

    /// A line now and then, for logs of CI systems.
    fn tell(&self, progress: CrawlProgress) {
        let Some(last) = &self.last_line else { return };
        let Ok(mut last) = last.try_lock() else {
            return;
        };
        if last.elapsed() >= BETWEEN_LINES {
            *last = Instant::now();
            remark(format!(
                "{} of {} known pages read, {} of {} further link targets checked",
                progress.pages_done,
                progress.pages_total,
                progress.checks_done,
                progress.checks_total
            ));
        }
    }

    fn clear(&self) {
        self.pages.finish_and_clear();
        self.checks.finish_and_clear();
        let _ = self.all.clear();
    }
}

#[async_trait]
impl CrawlJournal for Bars {
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        tokio::task::block_in_place(|| self.journal.recorded(behind))
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
        tokio::task::block_in_place(|| self.journal.record(steps))?;
        Ok(Continue::Yes)
    }

    fn progress(&self, progress: CrawlProgress) {
        self.tell(progress);
        self.pages.set_length(progress.pages_total);
        self.pages.set_position(progress.pages_done);
        self.checks.set_length(progress.checks_total);
        self.checks.set_position(progress.checks_done);
    }
}
