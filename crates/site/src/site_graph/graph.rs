use super::node::PageNode;
use super::target::Target;
use super::urls::{UrlId, UrlIds};
use crate::observation::page_content::PageContent;
use crate::observation::web_site::{CrawlScope, SitemapFact, TargetCheck};
use crate::text::{duplicates::Fingerprint, similarity::shingles};
use chrono::{DateTime, NaiveDate, Utc};
use std::{collections::HashMap, sync::Arc};

#[derive(Debug, Clone)]
pub struct SiteGraph {
    pub urls: UrlIds,
    pub start: UrlId,
    /// In insertion order.
    pub nodes: Vec<PageNode>,
    pub sitemaps: Vec<Sitemap>,
    /// Sitemaps and the pages they list were read completely.
    pub sitemaps_are_read: bool,
    by_url: HashMap<UrlId, usize>,
    targets: HashMap<UrlId, Target>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedText {
    /// `None` without words.
    pub fingerprint: Option<Fingerprint>,
    /// Sorted.
    pub shingles: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sitemap {
    pub url: UrlId,
    /// A machine code.
    pub problem: Option<String>,
    /// In robots.txt or another sitemap.
    pub named: bool,
    /// `None` without a response.
    pub status: Option<u16>,
    pub foreign: u32,
    /// At most 5.
    pub foreign_examples: Vec<String>,
    pub entries: u32,
    pub pages: Vec<ListedPage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedPage {
    pub url: UrlId,
    /// `lastmod` is later than the crawl.
    pub is_in_future: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum Resolved<'a> {
    Page(usize, &'a PageNode),
    /// With the page it leads to, if that was read.
    Redirect(&'a Target, Option<(usize, &'a PageNode)>),
    /// Answered or failed; not a page that was read.
    Other(&'a Target),
    Unknown,
}

impl SiteGraph {
    pub fn new(start: &str, scope: CrawlScope) -> Self {
        let mut urls = UrlIds::new(scope);
        Self {
            start: urls.id(start),
            urls,
            nodes: Vec::new(),
            sitemaps: Vec::new(),
            sitemaps_are_read: true,
            by_url: HashMap::new(),
            targets: HashMap::new(),
        }
    }

    /// Replaces an existing page.
    pub fn add_page(&mut self, page: &PageContent) -> AddedText {
        self.add_page_with(page, None)
    }

    /// Shares `names`, which are hashes.
    pub fn add_page_with(&mut self, page: &PageContent, names: Option<Arc<[u64]>>) -> AddedText {
        // Truncated text is not compared.
        let text = if page.is_truncated() {
            String::new()
        } else {
            page.text.main.text()
        };
        let shingles = shingles(&text);
        let fingerprint = Fingerprint::with_shingles(&text, &shingles);
        let digest = fingerprint.as_ref().map(|it| it.digest);
        let mut node = PageNode::of(page, digest, &mut self.urls);
        if let Some(names) = names {
            node.names = Some(names);
        }
        let number = *self.by_url.entry(node.url).or_insert(self.nodes.len());
        if number < self.nodes.len() {
            self.nodes[number] = node;
        } else {
            self.nodes.push(node);
        }
        AddedText {
            fingerprint,
            shingles,
        }
    }

    pub fn add_check(&mut self, check: &TargetCheck) {
        let target = Target::of(check, &mut self.urls);
        let url = self.urls.id(&check.url);
        self.targets.insert(url, target);
    }

    pub fn add_sitemap(&mut self, fact: &SitemapFact, at: DateTime<Utc>) {
        let pages = fact.pages.iter().map(|it| ListedPage {
            url: self.urls.id(it),
            is_in_future: fact
                .last_modified
                .get(it)
                .is_some_and(|date| is_after(date, at)),
        });
        let pages = pages.collect();
        let sitemap = Sitemap {
            url: self.urls.id(&fact.url),
            problem: fact.problem.clone(),
            named: fact.named,
            status: fact.status,
            foreign: fact.foreign,
            foreign_examples: fact.foreign_examples.clone(),
            entries: fact.entries,
            pages,
        };
        self.sitemaps.push(sitemap);
    }

    pub fn resolve(&self, url: UrlId) -> Resolved<'_> {
        if let Some((number, node)) = self.page(url) {
            return Resolved::Page(number, node);
        }
        match self.targets.get(&url) {
            Some(target) if target.hops > 0 => {
                Resolved::Redirect(target, self.page(target.final_url))
            }
            Some(target) => Resolved::Other(target),
            None => Resolved::Unknown,
        }
    }

    pub fn page(&self, url: UrlId) -> Option<(usize, &PageNode)> {
        let number = *self.by_url.get(&url)?;
        Some((number, &self.nodes[number]))
    }

    /// Follows redirects.
    pub fn final_page(&self, url: UrlId) -> Option<(usize, &PageNode)> {
        match self.resolve(url) {
            Resolved::Page(number, node) => Some((number, node)),
            Resolved::Redirect(_, page) => page,
            _ => None,
        }
    }

    /// URLs that are not pages, or redirect to one.
    pub fn targets(&self) -> impl Iterator<Item = (UrlId, &Target)> {
        self.targets.iter().map(|(url, target)| (*url, target))
    }
}

/// `date` is a date or a moment; a date begins in the time zone UTC+14.
fn is_after(date: &str, at: DateTime<Utc>) -> bool {
    if let Ok(moment) = DateTime::parse_from_rfc3339(date) {
        return moment > at;
    }
    let day = date.get(..10).and_then(|it| it.parse::<NaiveDate>().ok());
    day.is_some_and(|day| day > (at + chrono::TimeDelta::hours(14)).date_naive())
}
