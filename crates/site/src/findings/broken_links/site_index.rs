use crate::fragment::FragmentCheck;
use crate::observation::web_site::{
    CheckState, CrawlScope, Fetched, Hop, LimitHit, SiteObservation, TargetCheck, WebPage,
};
use hashbrown::HashTable;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};

#[derive(Debug)]
pub(super) struct SiteIndex {
    pub(super) scope: CrawlScope,
    /// Sorted by URL.
    pub(super) pages: Vec<WebPage>,
    checks: Vec<TargetCheck>,
    pub(super) limits: BTreeSet<LimitHit>,
    /// Indices into `pages`, then `checks`; a page hides a check of its URL.
    indices: HashTable<u32>,
    hasher: RandomState,
}

pub(super) enum Resolved<'a> {
    Checked {
        response: Response<'a>,
        /// The page at the final URL, if it was read.
        page: Option<&'a WebPage>,
        /// All names in the HTML; `None` if they are not known completely.
        names: Option<Names<'a>>,
    },
    /// robots.txt forbids the request.
    Blocked,
    Unknown,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Response<'a> {
    Page(&'a WebPage),
    /// Not a page, or a page behind redirects.
    Fetched(&'a Fetched),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Names<'a> {
    /// Sorted hashes; the crawl journal has the texts.
    Hashes(&'a [u64]),
    /// Sorted texts.
    Texts(&'a [String]),
}

impl SiteIndex {
    /// Uses pages and checks, not sitemaps or robots.txt.
    pub(super) fn of(site: SiteObservation) -> Self {
        let site = site.sorted();
        let mut index = Self {
            scope: site.scope,
            pages: site.pages,
            checks: site.checks,
            limits: site.limits,
            indices: HashTable::new(),
            hasher: RandomState::new(),
        };
        let all = index.pages.len() + index.checks.len();
        for place in (0..u32::MAX).take(all) {
            index.insert(place);
        }
        index
    }

    /// The first index of a URL wins.
    fn insert(&mut self, place: u32) {
        let Self {
            pages,
            checks,
            indices: places,
            hasher,
            ..
        } = self;
        let url = url_at(pages, checks, place);
        places
            .entry(
                hasher.hash_one(url),
                |it| url_at(pages, checks, *it) == url,
                |it| hasher.hash_one(url_at(pages, checks, *it)),
            )
            .or_insert(place);
    }

    fn index_of(&self, url: &str) -> Option<usize> {
        let is_it = |it: &u32| url_at(&self.pages, &self.checks, *it) == url;
        let found = self.indices.find(self.hasher.hash_one(url), is_it);
        found.map(|it| *it as usize)
    }

    pub(super) fn page_index(&self, url: &str) -> Option<usize> {
        self.index_of(url).filter(|it| *it < self.pages.len())
    }

    fn page(&self, url: &str) -> Option<&WebPage> {
        self.pages.get(self.index_of(url)?)
    }

    pub(super) fn resolve(&self, url: &str) -> Resolved<'_> {
        let Some(place) = self.index_of(url) else {
            return Resolved::Unknown;
        };
        if let Some(page) = self.pages.get(place) {
            return Resolved::Checked {
                response: Response::Page(page),
                page: Some(page),
                names: page.names.as_deref().map(Names::Hashes),
            };
        }
        match &self.checks[place - self.pages.len()].state {
            CheckState::BlockedByRobots => Resolved::Blocked,
            CheckState::Requested { fetched, names } => {
                let page = self.page(&fetched.final_url);
                let of_page = || page.and_then(|it| it.names.as_deref()).map(Names::Hashes);
                Resolved::Checked {
                    response: Response::Fetched(fetched),
                    page,
                    names: names.as_deref().map(Names::Texts).or_else(of_page),
                }
            }
        }
    }
}

fn url_at<'a>(pages: &'a [WebPage], checks: &'a [TargetCheck], place: u32) -> &'a str {
    let place = place as usize;
    match pages.get(place) {
        Some(page) => &page.url,
        None => &checks[place - pages.len()].url,
    }
}

impl<'a> Response<'a> {
    pub(super) const fn status(self) -> Option<u16> {
        match self {
            Self::Page(page) => page.status,
            Self::Fetched(fetched) => fetched.status,
        }
    }

    pub(super) const fn attempts(self) -> u32 {
        match self {
            Self::Page(page) => page.attempts,
            Self::Fetched(fetched) => fetched.attempts,
        }
    }

    pub(super) fn detail(self) -> Option<&'a str> {
        match self {
            Self::Page(page) => page.detail.as_deref(),
            Self::Fetched(fetched) => fetched.detail.as_deref(),
        }
    }

    pub(super) fn final_url(self) -> &'a str {
        match self {
            Self::Page(page) => &page.url,
            Self::Fetched(fetched) => &fetched.final_url,
        }
    }

    pub(super) fn hops(self) -> usize {
        match self {
            Self::Page(_) => 0,
            Self::Fetched(fetched) => fetched.hops(),
        }
    }

    /// Every response in order; empty without redirects.
    pub(super) fn redirects(self) -> &'a [Hop] {
        match self {
            Self::Fetched(fetched) if fetched.hops() > 0 => &fetched.chain,
            _ => &[],
        }
    }

    pub(super) fn is_html(self) -> bool {
        match self {
            Self::Page(_) => true,
            Self::Fetched(fetched) => fetched.is_html(),
        }
    }
}

impl Names<'_> {
    pub(super) fn satisfy(self, check: &FragmentCheck) -> bool {
        match self {
            Self::Hashes(names) => check.is_met_by_hashes(names),
            Self::Texts(names) => check.is_met_by(names),
        }
    }
}
