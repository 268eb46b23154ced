use super::page_speed::NotConfigured;
use crate::kept_pages::Validators;
use analysis::observation::page_content::PageContent;
use analysis::observation::web_site::{CrawlStep, SiteObservation};
use async_trait::async_trait;
use std::collections::HashMap;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlPlan {
    /// The host of a project's site; `https` is tried first, then `http`. `sightline audit` may
    /// give a whole URL instead, which limits the crawl to that scheme, host and port.
    pub start: CrawlStart,
    pub max_pages: u32,
    /// Maximum number of links from the start.
    pub max_depth: u32,
    /// Whether links to other hosts are checked.
    pub check_external: bool,
    pub render: Rendering,
}

/// Which pages are also rendered in a browser, after they were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rendering {
    #[default]
    No,
    /// The first ones in crawl order, if there is a browser ([`SiteReader::missing_browser`]).
    UpTo(u32),
}

impl Rendering {
    /// Renders up to that many pages; 0 renders none.
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

/// Phases of a crawl, in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrawlPhase {
    #[default]
    Sitemaps,
    Pages,
    /// Checks link targets that are not pages.
    Targets,
    /// Fetches pages of earlier crawls that lost their links.
    Revisits,
    Over,
}

impl CrawlPhase {
    /// Phases that do work.
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
    /// As far as known.
    pub total: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlProgress {
    pub phase: CrawlPhase,
    /// Sitemaps read, and known so far.
    pub sitemaps: Count,
    /// Pages read, and known so far (grows while reading), capped by the plan.
    pub pages: Count,
    /// Other link targets checked, and to check.
    pub checks: Count,
    /// Pages of earlier crawls fetched, and to fetch.
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
    /// Begin no further request and stop once those in flight are recorded, so that a later attempt
    /// fetches nothing twice.
    NoNewRequests,
    /// Stop at once; recorded steps stay for a later attempt.
    No,
}

/// A step and its position in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedStep {
    pub sequence: i64,
    pub step: CrawlStep,
}

/// A page and its position in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedPage {
    pub sequence: i64,
    pub page: PageContent,
}

/// Pages of earlier crawls of a site, for conditional requests.
#[async_trait]
pub trait EarlierPages: Send + Sync {
    /// Validators of these pages, where the server sent any.
    async fn validators(
        &self,
        urls: &[String],
    ) -> Result<HashMap<String, Validators>, JournalError>;
    async fn page(&self, url: &str) -> Result<Option<PageContent>, JournalError>;
    /// The next stored URLs after `behind` (`None` starts), in a stable order; empty at the end.
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

/// Stores the progress of a crawl, so that a crash costs only the requests in flight.
#[async_trait]
pub trait CrawlJournal: Send + Sync {
    /// The next steps after a position (`None` starts), in order; empty at the end. Read in
    /// batches, because all of them may not fit into memory.
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError>;
    /// Records steps; they are durable when this returns.
    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError>;
    /// Receives the progress of the crawl; must not block.
    fn progress(&self, progress: CrawlProgress);
    fn earlier(&self) -> &dyn EarlierPages {
        &NoEarlierPages
    }
}

/// Reads the pages of a crawl from its journal in batches.
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

    /// The next pages, in the order of recording; `None` at the end.
    pub async fn next_part(&mut self) -> Result<Option<Vec<RecordedPage>>, JournalError> {
        loop {
            let steps = self.journal.recorded(self.behind).await?;
            let Some(last) = steps.last() else {
                return Ok(None);
            };
            self.behind = Some(last.sequence);
            let pages = steps.into_iter().filter_map(|it| match it.step {
                CrawlStep::Page(page) => Some(RecordedPage {
                    sequence: it.sequence,
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
    /// Crawls until the plan is done, a limit is reached, or the journal says stop.
    async fn read(
        &self,
        plan: &CrawlPlan,
        journal: &dyn CrawlJournal,
    ) -> Result<SiteObservation, SiteReadError>;
    /// What is missing to render pages; `None` if nothing is. Without a browser, rendering is skipped.
    fn missing_browser(&self) -> Option<NotConfigured>;
    /// Name, version and path of the browser; `None` if there is none.
    async fn browser(&self) -> Option<String>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnreachableReason {
    /// The name is unknown or resolves to blocked addresses; distinguishing them would reveal the
    /// names of a private network.
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

/// Why a site could not be read at all. A failed page is part of the observation instead.
#[derive(Debug, Error)]
pub enum SiteReadError {
    /// Neither https nor http answered. Blocked addresses give the same error, which
    /// prevents probing a private network.
    #[error("the site cannot be reached: {0}")]
    Unreachable(UnreachableReason),
    /// The start page cannot be read, and no sitemap names another: the reason.
    #[error("the start page cannot be read: {0}")]
    NoPage(String),
    #[error("robots.txt does not allow reading the site")]
    DisallowedByRobots,
    /// robots.txt is unavailable (5xx, 429 or no answer), so nothing may be read (RFC 9309, 2.3.1.4).
    #[error("robots.txt cannot be had, so nothing may be read")]
    RobotsUnavailable,
    #[error("the crawl was stopped")]
    Stopped,
    #[error(transparent)]
    Journal(#[from] JournalError),
}
