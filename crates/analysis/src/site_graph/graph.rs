//! The site: its pages, the addresses they lead to, its sitemaps.

use super::{
    card::PageCard,
    target::Target,
    urls::{UrlId, UrlIds},
};
use crate::observation::{
    page_content::PageContent,
    web_site::{SiteScope, SitemapFact, TargetCheck},
};
use crate::text::{duplicates::Fingerprint, likeness::shingles};
use chrono::{DateTime, NaiveDate, Utc};
use std::{collections::HashMap, sync::Arc};

/// A site.
#[derive(Debug, Clone)]
pub struct SiteGraph {
    /// Numbers of all addresses that were met.
    pub urls: UrlIds,
    /// Where the crawl began.
    pub start: UrlId,
    /// Its pages, in the order in which they were added.
    pub cards: Vec<PageCard>,
    /// Its sitemaps.
    pub sitemaps: Vec<SitemapCard>,
    /// Whether they, and what they list, were read as a whole.
    pub sitemaps_are_read: bool,
    by_url: HashMap<UrlId, usize>,
    targets: HashMap<UrlId, Target>,
}

/// What the main text of a page is compared by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedText {
    /// `None` for a text without words.
    pub fingerprint: Option<Fingerprint>,
    /// Its shingles, sorted.
    pub shingles: Vec<u64>,
}

/// A sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapCard {
    /// Where.
    pub url: UrlId,
    /// Why it could not be read, as a code.
    pub problem: Option<String>,
    /// Whether robots.txt or another sitemap names it.
    pub named: bool,
    /// The status of the answer; `None` where there was none.
    pub status: Option<u16>,
    /// Entries outside of the site's bounds.
    pub foreign: u32,
    /// Some of them; at most 5.
    pub foreign_examples: Vec<String>,
    /// How many entries it has.
    pub entries: u32,
    /// The pages of the site that it lists.
    pub pages: Vec<ListedPage>,
}

/// A page that a sitemap lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedPage {
    /// Which.
    pub url: UrlId,
    /// It says that the page changed after it was read.
    pub is_of_the_future: bool,
}

/// What is known of an address.
#[derive(Debug, Clone, Copy)]
pub enum Known<'a> {
    /// It is a page that was read.
    Page(usize, &'a PageCard),
    /// It leads to a page that was read, over redirects.
    Redirect(&'a Target, Option<(usize, &'a PageCard)>),
    /// It answered or failed, and is no page that was read.
    Other(&'a Target),
    /// It was not asked for.
    Nothing,
}

impl SiteGraph {
    /// A site without pages.
    #[must_use]
    pub fn new(start: &str, scope: SiteScope) -> Self {
        let mut urls = UrlIds::new(scope);
        Self {
            start: urls.id(start),
            urls,
            cards: Vec::new(),
            sitemaps: Vec::new(),
            sitemaps_are_read: true,
            by_url: HashMap::new(),
            targets: HashMap::new(),
        }
    }

    /// Adds a page; one that is there already is replaced. Answers with what its main text is
    /// compared by.
    pub fn add_page(&mut self, page: &PageContent) -> AddedText {
        self.add_page_with(page, None)
    }

    /// The same for who has the hashes of its names, so that they are kept once.
    pub fn add_page_with(&mut self, page: &PageContent, names: Option<Arc<[u64]>>) -> AddedText {
        // A part of a text is like no other.
        let text = if page.is_cut() {
            String::new()
        } else {
            page.text.main.text()
        };
        let shingles = shingles(&text);
        let fingerprint = Fingerprint::with_shingles(&text, &shingles);
        let digest = fingerprint.as_ref().map(|it| it.digest);
        let mut card = PageCard::of(page, digest, &mut self.urls);
        if let Some(names) = names {
            card.names = Some(names);
        }
        let number = *self.by_url.entry(card.url).or_insert(self.cards.len());
        if number < self.cards.len() {
            self.cards[number] = card;
        } else {
            self.cards.push(card);
        }
        AddedText {
            fingerprint,
            shingles,
        }
    }

    /// Adds what asking for an address brought.
    pub fn add_check(&mut self, check: &TargetCheck) {
        let target = Target::of(check, &mut self.urls);
        let url = self.urls.id(&check.url);
        self.targets.insert(url, target);
    }

    /// Adds a sitemap that was read at a moment.
    pub fn add_sitemap(&mut self, fact: &SitemapFact, at: DateTime<Utc>) {
        let pages = fact.pages.iter().map(|it| ListedPage {
            url: self.urls.id(it),
            is_of_the_future: fact
                .last_modified
                .get(it)
                .is_some_and(|said| is_after(said, at)),
        });
        let pages = pages.collect();
        let card = SitemapCard {
            url: self.urls.id(&fact.url),
            problem: fact.problem.clone(),
            named: fact.named,
            status: fact.status,
            foreign: fact.foreign,
            foreign_examples: fact.foreign_examples.clone(),
            entries: fact.entries,
            pages,
        };
        self.sitemaps.push(card);
    }

    /// What is known of an address.
    #[must_use]
    pub fn know(&self, url: UrlId) -> Known<'_> {
        if let Some((number, card)) = self.page(url) {
            return Known::Page(number, card);
        }
        match self.targets.get(&url) {
            Some(target) if target.hops > 0 => Known::Redirect(target, self.page(target.landed)),
            Some(target) => Known::Other(target),
            None => Known::Nothing,
        }
    }

    /// The page at an address, with its number.
    #[must_use]
    pub fn page(&self, url: UrlId) -> Option<(usize, &PageCard)> {
        let number = *self.by_url.get(&url)?;
        Some((number, &self.cards[number]))
    }

    /// The page that an address leads to, over redirects if need be.
    #[must_use]
    pub fn page_behind(&self, url: UrlId) -> Option<(usize, &PageCard)> {
        match self.know(url) {
            Known::Page(number, card) => Some((number, card)),
            Known::Redirect(_, page) => page,
            _ => None,
        }
    }

    /// Every address that was asked for and is no page, or only leads to one.
    pub fn targets(&self) -> impl Iterator<Item = (UrlId, &Target)> {
        self.targets.iter().map(|(url, target)| (*url, target))
    }
}

/// Whether a date of a sitemap, a day or a moment, is later than a moment; a day counts from the
/// time zone that is first to have it.
fn is_after(said: &str, at: DateTime<Utc>) -> bool {
    if let Ok(moment) = DateTime::parse_from_rfc3339(said) {
        return moment > at;
    }
    let day = said.get(..10).and_then(|it| it.parse::<NaiveDate>().ok());
    day.is_some_and(|day| day > (at + chrono::TimeDelta::hours(14)).date_naive())
}
