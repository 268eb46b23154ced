//! The steps of a crawl, and the observation they add up to.

use super::{DirectoryProbe, SiteScope, TargetCheck, WebPage};
use crate::{ToSchema, observation::page_content::PageContent};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What robots.txt of the site says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotsState {
    /// There are rules.
    Rules,
    /// There is none (4xx, redirects that are more than a robots.txt may have or lead nowhere): no
    /// restriction.
    Absent,
    /// It cannot be had (5xx or no answer): nothing may be read.
    Unavailable,
}

/// robots.txt as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsFact {
    /// The origin it rules.
    pub origin: String,
    /// Whether there is one.
    pub state: RobotsState,
    /// Its text, as far as it is read (500 KiB).
    pub text: String,
}

/// `/llms.txt` of the origin where the crawl began, as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmsTxtFact {
    /// The status of the answer.
    pub status: u16,
    /// Its text, as far as it is read (64 KiB).
    pub text: String,
}

/// A sitemap that was read or tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SitemapFact {
    /// Where.
    pub url: String,
    /// Pages of the site that it lists, normalised; never more than the crawl can use.
    pub pages: Vec<String>,
    /// When pages were last changed, by URL: a moment by RFC 3339 or a day; only where the sitemap
    /// says so in W3C's form.
    #[serde(default)]
    pub last_modified: BTreeMap<String, String>,
    /// Further sitemaps of the site that it lists.
    pub sitemaps: Vec<String>,
    /// How many entries it has.
    pub entries: u32,
    /// Why it could not be read, as a code.
    pub problem: Option<String>,
    /// Whether robots.txt or another sitemap names it; nobody says that there is one at the usual place.
    #[serde(default)]
    pub named: bool,
    /// The status of the answer; `None` where there was none.
    #[serde(default)]
    pub status: Option<u16>,
    /// Entries outside of the site's bounds, of pages and of sitemaps: they are not read.
    #[serde(default)]
    pub foreign: u32,
    /// Some of them; at most 5.
    #[serde(default)]
    pub foreign_examples: Vec<String>,
}

/// A bound that kept the crawl from seeing more.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum LimitHit {
    /// The plan's page limit.
    MaxPages,
    /// The plan's depth limit.
    MaxDepth,
    /// The limit of link targets beyond pages.
    MaxChecks,
    /// URLs longer than 2,048 characters were left out.
    UrlLength,
    /// A path segment repeats three times or more: probably an endless tree.
    RepeatedSegments,
    /// More than 100 queries on one path: probably an endless list or calendar.
    QueryVariants,
    /// The time for one crawl was used up.
    Duration,
    /// Not all sitemaps were read, or not all that they list: more than 500, or more than the plan has
    /// pages.
    Sitemaps,
    /// A page has 20,000 links; those after them were not read.
    LinksOfPage,
    /// robots.txt asks for more than 30 seconds between two requests: 30 were kept. Nothing was left out
    /// for it.
    CrawlDelay,
}

impl LimitHit {
    /// Whether something was left out, so that what was seen is a part of the site.
    #[must_use]
    pub const fn leaves_out(self) -> bool {
        !matches!(self, Self::CrawlDelay)
    }
}

/// One thing a crawl has seen, small enough to be recorded by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CrawlStep {
    /// Where the crawl begins and what belongs to the site.
    Started {
        /// The first URL, normalised.
        start: String,
        /// The site's bounds.
        scope: SiteScope,
        /// When.
        at: DateTime<Utc>,
    },
    /// robots.txt was read.
    Robots(RobotsFact),
    /// `/llms.txt` was asked for, and something answered.
    LlmsTxt(LlmsTxtFact),
    /// A sitemap was read.
    Sitemap(SitemapFact),
    /// How a directory says "not found".
    Probe(DirectoryProbe),
    /// A page was read. Of its content, an observation keeps what links are judged by.
    Page(Box<PageContent>),
    /// A link target was checked.
    Check(Box<TargetCheck>),
    /// A page of an earlier crawl that nothing leads to any more was asked for.
    Revisit(Box<TargetCheck>),
    /// A bound was reached.
    Limit(LimitHit),
    /// The crawl is complete.
    Finished {
        /// When.
        at: DateTime<Utc>,
    },
}

crate::json!(CrawlStep);

/// Everything a crawl has seen.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteObservation {
    /// The first URL, normalised.
    pub start: String,
    /// The site's bounds.
    pub scope: SiteScope,
    /// When the crawl began.
    pub started_at: DateTime<Utc>,
    /// When it was first complete; `None` while it was not.
    pub finished_at: Option<DateTime<Utc>>,
    /// robots.txt.
    pub robots: Option<RobotsFact>,
    /// `/llms.txt`; `None` where nothing answered, or robots.txt forbids asking.
    pub llms_txt: Option<LlmsTxtFact>,
    /// Sitemaps.
    pub sitemaps: Vec<SitemapFact>,
    /// Pages, by URL.
    pub pages: Vec<WebPage>,
    /// Checks, by URL.
    pub checks: Vec<TargetCheck>,
    /// What became of pages of an earlier crawl that nothing leads to any more, by URL.
    pub revisits: Vec<TargetCheck>,
    /// Bounds that were reached.
    pub limits: BTreeSet<LimitHit>,
}

impl SiteObservation {
    /// A crawl that has seen nothing yet.
    #[must_use]
    pub fn begun(start: String, scope: SiteScope, at: DateTime<Utc>) -> Self {
        Self {
            start,
            scope,
            started_at: at,
            finished_at: None,
            robots: None,
            llms_txt: None,
            sitemaps: Vec::new(),
            pages: Vec::new(),
            checks: Vec::new(),
            revisits: Vec::new(),
            limits: BTreeSet::new(),
        }
    }

    /// Takes in what was seen next. Nothing is seen twice.
    pub fn add(&mut self, step: CrawlStep) {
        match step {
            CrawlStep::Started { .. } | CrawlStep::Probe(_) => {}
            CrawlStep::Robots(fact) => self.robots = Some(fact),
            CrawlStep::LlmsTxt(fact) => self.llms_txt = Some(fact),
            CrawlStep::Sitemap(fact) => self.sitemaps.push(fact),
            CrawlStep::Page(page) => self.pages.push(WebPage::from(&*page)),
            CrawlStep::Check(check) => self.checks.push(*check),
            CrawlStep::Revisit(check) => self.revisits.push(*check),
            CrawlStep::Limit(limit) => {
                self.limits.insert(limit);
            }
            CrawlStep::Finished { at } => self.finished_at = self.finished_at.or(Some(at)),
        }
    }

    /// In an order that does not depend on what answered first.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.pages.sort_by(|a, b| a.url.cmp(&b.url));
        self.checks.sort_by(|a, b| a.url.cmp(&b.url));
        self.revisits.sort_by(|a, b| a.url.cmp(&b.url));
        self.sitemaps.sort_by(|a, b| a.url.cmp(&b.url));
        self
    }
}
