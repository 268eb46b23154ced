use super::page_speed::NotConfigured;
use crate::kept_pages::Validators;
use analysis::observation::page_content::PageContent;
use analysis::observation::web_site::{CrawlStep, SiteObservation};
use async_trait::async_trait;
use std::collections::HashMap;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlPlan {
    /// Where to begin: the host of a project's site. `https` is tried first, then `http`.
    /// `sightline audit` may name a whole URL instead, which then also bounds the crawl to that
    /// scheme, host and port.
    pub start: CrawlStart,
    pub max_pages: u32,
    /// How many links away from the start at the most.
    pub max_depth: u32,
    /// Whether links that lead to other hosts are checked.
    pub check_external: bool,
    pub render: Rendering,
}

/// Which pages a browser shows once more, after they were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rendering {
    #[default]
    No,
    /// The first ones in the order of the crawl, if there is a browser ([`SiteReader::missing_browser`]).
    UpTo(u32),
}

impl Rendering {
    /// So many pages; 0 is none.
    pub const fn of(pages: u32) -> Self {
        match pages {
            0 => Self::No,
            some => Self::UpTo(some),
        }
    }

    pub const fn pages(self) -> u32 {
        match self {
            Self::No => 0,
            Self::UpTo(pages) => pages,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrawlStart {
    /// A project's host, as ASCII.
    Host(String),
    /// An absolute `http` or `https` URL.
    Url(String),
}

/// What a crawl is doing; the phases in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrawlPhase {
    #[default]
    Sitemaps,
    Pages,
    /// It checks targets of links that are no pages.
    Targets,
    /// It asks for pages of earlier crawls that nothing leads to any more.
    Revisits,
    Over,
}

impl CrawlPhase {
    /// The phases in which something is done.
    pub const ALL: [Self; 4] = [Self::Sitemaps, Self::Pages, Self::Targets, Self::Revisits];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Sitemaps => "read sitemaps",
            Self::Pages => "read pages",
            Self::Targets => "check links",
            Self::Revisits => "ask for earlier pages",
            Self::Over => "over",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub done: u64,
    /// Of so much, as far as known.
    pub total: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlProgress {
    pub phase: CrawlPhase,
    /// Sitemaps read, and known so far.
    pub sitemaps: Count,
    /// Pages read, and known so far (grows while reading), capped by the plan.
    pub pages: Count,
    /// Link targets checked beyond those pages, and to check.
    pub checks: Count,
    /// Pages of earlier crawls asked for, and to ask for.
    pub revisits: Count,
}

impl CrawlProgress {
    pub const fn of(&self, phase: CrawlPhase) -> Count {
        match phase {
            CrawlPhase::Sitemaps => self.sitemaps,
            CrawlPhase::Pages => self.pages,
            CrawlPhase::Targets => self.checks,
            CrawlPhase::Revisits => self.revisits,
            CrawlPhase::Over => Count { done: 0, total: 0 },
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continue {
    Yes,
    /// Begin no further request, and stop once what is under way is recorded: nothing is fetched twice by a later
    /// attempt.
    NoFurther,
    /// Stop at once; what was recorded stays for a later attempt.
    No,
}

/// A step, and its place in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedStep {
    pub place: i64,
    pub step: CrawlStep,
}

/// A page, and its place in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedPage {
    pub place: i64,
    pub page: PageContent,
}

/// What earlier crawls of a site left, so that what did not change need not be sent again.
#[async_trait]
pub trait EarlierPages: Send + Sync {
    /// What to ask by, of those of these pages whose server gave something.
    async fn validators(
        &self,
        urls: &[String],
    ) -> Result<HashMap<String, Validators>, JournalError>;
    async fn page(&self, url: &str) -> Result<Option<PageContent>, JournalError>;
    /// The next pages behind one (`None` is the beginning), in an order of their own; none at the end.
    async fn urls(&self, behind: Option<String>) -> Result<Vec<String>, JournalError>;
}

#[derive(Debug, Clone, Copy, Default)]
pub struct NoEarlierPages;

#[async_trait]
impl EarlierPages for NoEarlierPages {
    async fn validators(&self, _: &[String]) -> Result<HashMap<String, Validators>, JournalError> {
        Ok(HashMap::new())
    }

    async fn page(&self, _: &str) -> Result<Option<PageContent>, JournalError> {
        Ok(None)
    }

    async fn urls(&self, _: Option<String>) -> Result<Vec<String>, JournalError> {
        Ok(Vec::new())
    }
}

/// Keeps what a crawl has seen, so that a crash costs only the requests in flight.
#[async_trait]
pub trait CrawlJournal: Send + Sync {
    /// The next steps that were recorded behind a place (`None` is the beginning), in their order;
    /// none at the end. A part at a time: all together need not fit into memory.
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError>;
    /// Records steps; they are safe when this returns.
    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError>;
    /// Hears how far the crawl is; must not block.
    fn progress(&self, progress: CrawlProgress);
    fn earlier(&self) -> &dyn EarlierPages {
        &NoEarlierPages
    }
}

/// The pages of a crawl, read back from its journal, a part at a time.
pub struct RecordedPages<'a> {
    journal: &'a dyn CrawlJournal,
    behind: Option<i64>,
}

impl<'a> RecordedPages<'a> {
    pub fn of(journal: &'a dyn CrawlJournal) -> Self {
        Self {
            journal,
            behind: None,
        }
    }

    /// The next pages, in the order in which they were recorded; `None` at the end.
    pub async fn next_part(&mut self) -> Result<Option<Vec<RecordedPage>>, JournalError> {
        loop {
            let steps = self.journal.recorded(self.behind).await?;
            let Some(last) = steps.last() else {
                return Ok(None);
            };
            self.behind = Some(last.place);
            let pages = steps.into_iter().filter_map(|it| match it.step {
                CrawlStep::Page(page) => Some(RecordedPage {
                    place: it.place,
                    page: *page,
                }),
                _ => None,
            });
            let pages: Vec<RecordedPage> = pages.collect();
            if !pages.is_empty() {
                return Ok(Some(pages));
            }
        }
    }
}

/// The journal cannot be written or read; the crawl ends.
#[derive(Debug, Error)]
#[error("the crawl's journal is not available")]
pub struct JournalError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Reads a site: robots.txt, sitemaps, pages, and the targets of their links.
#[async_trait]
pub trait SiteReader: Send + Sync {
    /// Crawls until the plan is done, the limits are reached, or the journal says stop.
    async fn read(
        &self,
        plan: &CrawlPlan,
        journal: &dyn CrawlJournal,
    ) -> Result<SiteObservation, SiteReadError>;
    /// What it would take to show pages in a browser; `None` when nothing is missing. Without it, a plan
    /// that asks for rendering is carried out without.
    fn missing_browser(&self) -> Option<NotConfigured>;
    /// Which browser shows pages, by its name, version and place; `None` where there is none.
    async fn browser(&self) -> Option<String>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unreached {
    /// Its name is not known, or leads to addresses that may not be read: told apart, they would
    /// tell which names a private network knows.
    #[error("its name cannot be resolved, or leads to no public address")]
    Name,
    #[error("nothing answers there, or its address is not public")]
    Connection,
    /// No answer, not even a refusal.
    #[error("no connection to it comes about in time")]
    Silence,
    #[error("no encrypted connection comes about")]
    Encryption,
}

/// Why a site could not be read at all. A page that fails is part of the observation instead.
#[derive(Debug, Error)]
pub enum SiteReadError {
    /// Neither https nor http brought an answer. Addresses that may not be read look the same
    /// from outside, so that nobody can probe a private network.
    #[error("the site cannot be reached: {0}")]
    Unreachable(Unreached),
    /// The start page cannot be read, and no sitemap names another: what happened there.
    #[error("the start page cannot be read: {0}")]
    NoPage(String),
    #[error("robots.txt does not allow reading the site")]
    DisallowedByRobots,
    /// robots.txt cannot be had for now (5xx, 429 or no answer), so nothing may be read (RFC 9309, 2.3.1.4).
    #[error("robots.txt cannot be had, so nothing may be read")]
    RobotsUnavailable,
    #[error("the crawl was stopped")]
    Stopped,
    #[error(transparent)]
    Journal(#[from] JournalError),
}
