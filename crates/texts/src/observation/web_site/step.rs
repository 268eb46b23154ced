use super::{CrawlScope, DirectoryProbe, TargetCheck, WebPage};
use crate::{ToSchema, observation::page_content::PageContent};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotsState {
    Rules,
    /// 4xx, too many or invalid redirects: no restriction.
    Absent,
    /// 5xx or no response: nothing may be fetched.
    Unavailable,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsFact {
    pub origin: String,
    pub state: RobotsState,
    /// At most 500 KiB.
    pub text: String,
}

/// Of the origin where the crawl began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmsTxtFact {
    pub status: u16,
    /// At most 64 KiB.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SitemapFact {
    pub url: String,
    /// Pages of the site, normalized; no more than the crawl can use.
    pub pages: Vec<String>,
    /// By URL: RFC 3339 or a day; only for sitemaps in W3C format.
    #[serde(default)]
    pub last_modified: BTreeMap<String, String>,
    pub sitemaps: Vec<String>,
    pub entries: u32,
    /// A machine code.
    pub problem: Option<String>,
    /// In robots.txt or another sitemap; false for a guess at the usual URL.
    #[serde(default)]
    pub named: bool,
    /// `None` without an answer.
    #[serde(default)]
    pub status: Option<u16>,
    /// Pages and sitemaps outside the site, not read.
    #[serde(default)]
    pub foreign: u32,
    /// At most 5.
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
    /// Only a part of the site was crawled.
    pub const fn truncates_crawl(self) -> bool {
        !matches!(self, Self::CrawlDelay)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CrawlStep {
    Started {
        /// Normalized.
        start: String,
        scope: CrawlScope,
        at: DateTime<Utc>,
    },
    Robots(RobotsFact),
    /// Only with a response.
    LlmsTxt(LlmsTxtFact),
    Sitemap(SitemapFact),
    Probe(DirectoryProbe),
    /// [`SiteObservation`] keeps only a [`WebPage`].
    Page(Box<PageContent>),
    Check(Box<TargetCheck>),
    /// A page of an earlier crawl that no crawled page links to.
    Revisit(Box<TargetCheck>),
    Limit(LimitHit),
    Finished {
        at: DateTime<Utc>,
    },
}

crate::json!(CrawlStep);

#[derive(Debug, Clone, PartialEq)]
pub struct SiteObservation {
    /// Normalized.
    pub start: String,
    pub scope: CrawlScope,
    pub started_at: DateTime<Utc>,
    /// First completion; `None` before.
    pub finished_at: Option<DateTime<Utc>>,
    pub robots: Option<RobotsFact>,
    /// `None` without a response, or if forbidden by robots.txt.
    pub llms_txt: Option<LlmsTxtFact>,
    pub sitemaps: Vec<SitemapFact>,
    pub pages: Vec<WebPage>,
    pub checks: Vec<TargetCheck>,
    /// Pages of an earlier crawl that no crawled page links to.
    pub revisits: Vec<TargetCheck>,
    pub limits: BTreeSet<LimitHit>,
}

impl SiteObservation {
    pub fn started(start: String, scope: CrawlScope, at: DateTime<Utc>) -> Self {
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

    /// Steps must be unique.
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

    /// By URL, independent of the order of responses.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.pages.sort_by(|a, b| a.url.cmp(&b.url));
        self.checks.sort_by(|a, b| a.url.cmp(&b.url));
        self.revisits.sort_by(|a, b| a.url.cmp(&b.url));
        self.sitemaps.sort_by(|a, b| a.url.cmp(&b.url));
        self
    }
}
