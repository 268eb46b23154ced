//! One crawl: breadth-first from the start page, then remaining sitemap URLs, then link targets that are not pages. A
//! level is read in link order, so the page limit does not depend on the order of responses, and a resumed crawl gives
//! the same result.

mod llms_txt;
mod pages;
mod rendering;
mod revisits;
mod site_start;
mod sitemaps;
mod targets;

pub use site_start::try_starts;

use crate::browser::Renderer;
use crate::fetch::{Fetcher, RobotsCache};
use crate::frontier::{Frontier, UrlNumber, UrlSet};
use crate::journal::Record;
use crate::soft_404::{ProbeContext, Probes};
use analysis::observation::web_site::{
    CheckState, CrawlScope, CrawlStep, Discovery, Fetched, LimitHit, SiteObservation,
};
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    site_reader::{Count, CrawlJournal, CrawlPhase, CrawlPlan, CrawlProgress, SiteReadError},
};
use std::collections::BTreeSet;
use tokio::time::Instant;
use url::Url;

pub struct Crawl<'a> {
    plan: &'a CrawlPlan,
    clock: &'a dyn Clock,
    context: CrawlContext<'a>,
    record: Record<'a>,
    frontier: Frontier,
    requested_as_page: UrlSet,
    /// Pages of the levels so far, recorded ones included.
    pages_found: u64,
    target_limits: BTreeSet<LimitHit>,
    begun: Instant,
    phase: CrawlPhase,
    sitemaps: Count,
    pages_known: u64,
    non_pages_in_batch: u64,
    checks_known: u64,
    revisits: Count,
}

struct CrawlContext<'a> {
    fetcher: &'a Fetcher,
    randomness: &'a dyn Randomness,
    robots: RobotsCache,
    probes: Probes,
    start: Url,
    scope: CrawlScope,
    renderer: Option<Renderer>,
}

fn describe_failure(start: &str, fetched: &Fetched) -> String {
    let url = &fetched.final_url;
    match (fetched.failure, fetched.status) {
        (Some(_), _) => {
            let detail = fetched.detail.as_deref().unwrap_or("no answer");
            format!("{start} failed ({detail})")
        }
        (None, Some(status)) if !fetched.is_success() => format!("{url} answers {status}"),
        (None, Some(status)) if fetched.has_no_content() => {
            format!("{url} answers {status} without content")
        }
        _ if !fetched.is_html() => format!("{url} is not an HTML page"),
        _ => format!("{start} leads to another site ({url})"),
    }
}

impl CrawlContext<'_> {
    fn probe_context(&self) -> ProbeContext<'_> {
        ProbeContext {
            fetcher: self.fetcher,
            robots: &self.robots,
            randomness: self.randomness,
        }
    }
}

impl<'a> Crawl<'a> {
    pub async fn begin(
        fetcher: &'a Fetcher,
        clock: &'a dyn Clock,
        randomness: &'a dyn Randomness,
        plan: &'a CrawlPlan,
        journal: &'a dyn CrawlJournal,
        renderer: Option<Renderer>,
    ) -> Result<Self, SiteReadError> {
        let mut record = Record::load(journal).await?;
        let robots = RobotsCache::default();
        let (start, scope) =
            site_start::find_site(fetcher, clock, plan, &mut record, &robots).await?;
        if robots.is_delay_capped(&start) {
            record.record_limit(LimitHit::CrawlDelay).await?;
        }
        let context = CrawlContext {
            fetcher,
            randomness,
            robots,
            probes: Probes::with(record.take_probes()),
            start,
            scope,
            renderer,
        };
        Ok(Self {
            plan,
            clock,
            context,
            record,
            frontier: Frontier::default(),
            requested_as_page: UrlSet::default(),
            pages_found: 0,
            target_limits: BTreeSet::new(),
            begun: Instant::now(),
            phase: CrawlPhase::default(),
            sitemaps: Count::default(),
            pages_known: 0,
            non_pages_in_batch: 0,
            checks_known: 0,
            revisits: Count::default(),
        })
    }

    pub async fn run(mut self) -> Result<SiteObservation, SiteReadError> {
        self.read_llms_txt().await?;
        self.record.ensure_running()?;
        let listed = self.read_sitemaps().await?;
        self.set_phase(CrawlPhase::Pages);
        let start = self.record.urls().intern(self.context.start.as_str());
        if let Err(limit) = self.admit(start) {
            self.record.record_limit(limit).await?;
        }
        self.read_from(vec![start], 0, Discovery::Start).await?;
        let mut beyond = Vec::new();
        for url in listed {
            let url = self.record.urls().intern(&url);
            if self.admit(url) == Ok(true) {
                beyond.push(url);
            }
        }
        self.read_from(beyond, 1, Discovery::Sitemap).await?;
        if self.record.counts().0 == 0 {
            return Err(SiteReadError::NoPage(self.start_page_failure()));
        }
        // All pages are read.
        if let Some(renderer) = self.context.renderer.take() {
            renderer.end().await;
        }
        self.set_phase(CrawlPhase::Targets);
        self.check_targets().await?;
        self.set_phase(CrawlPhase::Revisits);
        self.revisit().await?;
        self.set_phase(CrawlPhase::Over);
        if self.record.site().is_none_or(|it| it.finished_at.is_none()) {
            let at = self.clock.now();
            self.record.add(vec![CrawlStep::Finished { at }]).await?;
        }
        let nothing = SiteReadError::NoPage("nothing was recorded".to_owned());
        self.record.into_site().ok_or(nothing)
    }

    fn start_page_failure(&self) -> String {
        let start = self.context.start.as_str();
        match self.record.check(start).map(|it| &it.state) {
            Some(CheckState::BlockedByRobots) => "robots.txt does not allow it".to_owned(),
            Some(CheckState::Requested { fetched, .. }) => describe_failure(start, fetched),
            _ => "it was not requested".to_owned(),
        }
    }

    fn admit(&mut self, url: UrlNumber) -> Result<bool, LimitHit> {
        self.frontier.admit(url, self.record.urls())
    }

    async fn read_from(
        &mut self,
        first: Vec<UrlNumber>,
        depth: u32,
        discovery: Discovery,
    ) -> Result<(), SiteReadError> {
        let (mut level, mut depth, mut discovery) = (first, depth, discovery);
        while !level.is_empty() {
            if depth > self.plan.max_depth {
                return self.record.record_limit(LimitHit::MaxDepth).await;
            }
            let read = self.read_level(&level, depth, discovery).await?;
            level = self.next_level(&read).await?;
            depth += 1;
            discovery = Discovery::Link;
        }
        Ok(())
    }

    /// New pages that a level links to, in link order.
    async fn next_level(&mut self, level: &[UrlNumber]) -> Result<Vec<UrlNumber>, SiteReadError> {
        let mut next = Vec::new();
        let mut limits = BTreeSet::new();
        for page in level {
            for url in self.record.take_links(*page) {
                match self.admit(url) {
                    Ok(true) => next.push(url),
                    Ok(false) => {}
                    Err(limit) => {
                        limits.insert(limit);
                    }
                }
            }
        }
        for limit in limits {
            self.record.record_limit(limit).await?;
        }
        Ok(next)
    }

    fn is_over_time(&self) -> bool {
        self.begun.elapsed() > self.context.fetcher.settings.max_duration
    }

    fn set_phase(&mut self, phase: CrawlPhase) {
        self.phase = phase;
        self.report_progress();
    }

    fn report_progress(&self) {
        let (pages, checks) = self.record.counts();
        let max_pages = u64::from(self.plan.max_pages);
        let known = self.pages_known.saturating_sub(self.non_pages_in_batch);
        self.record.journal().progress(CrawlProgress {
            phase: self.phase,
            sitemaps: self.sitemaps,
            pages: Count {
                done: pages.min(max_pages),
                total: known.max(pages).min(max_pages),
            },
            checks: Count {
                done: checks,
                total: self.checks_known.max(checks),
            },
            revisits: self.revisits,
        });
    }
}
