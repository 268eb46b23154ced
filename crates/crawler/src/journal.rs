use crate::frontier::{UrlNumber, UrlSet};
use analysis::observation::page_content::PageContent;
use analysis::observation::web_site::{
    CrawlStep, DirectoryProbe, LimitHit, LinkTarget, SiteObservation, SitemapFact, TargetCheck,
    WebPage,
};
use analysis::text::interner::Interner;
use domain::ports::site_reader::{Continue, CrawlJournal, SiteReadError};
use std::collections::HashSet;
use url::Url;

const NO_INDEX: u32 = u32::MAX;

/// State of a crawl: memory has what link checks need, the journal has everything.
pub struct Record<'a> {
    journal: &'a dyn CrawlJournal,
    site: Option<SiteObservation>,
    probes: Vec<DirectoryProbe>,
    urls: Interner,
    pages: UrlIndex,
    checks: UrlIndex,
    links: Links,
    revisited: UrlSet,
    is_stopping: bool,
}

#[derive(Default)]
struct Links {
    /// By page: links that may lead to pages of the site, unique, in document order; taken when followed.
    to_follow: Vec<Box<[UrlNumber]>>,
    /// Every link target, in the order found.
    targets: Vec<UrlNumber>,
    is_target: UrlSet,
    /// Targets on the site.
    internal: UrlSet,
    /// Targets that a link addresses with a fragment.
    with_fragment: UrlSet,
}

#[derive(Debug, Clone, Copy)]
pub struct KnownTarget {
    pub number: UrlNumber,
    pub is_internal: bool,
    pub needs_anchor_names: bool,
}

#[derive(Default)]
struct UrlIndex {
    indices: Vec<u32>,
    count: u32,
}

impl UrlIndex {
    fn push(&mut self, url: UrlNumber) {
        let at = url as usize;
        if self.indices.len() <= at {
            self.indices.resize(at + 1, NO_INDEX);
        }
        self.indices[at] = self.count;
        self.count += 1;
    }

    fn get(&self, url: UrlNumber) -> Option<usize> {
        let place = self.indices.get(url as usize)?;
        (*place != NO_INDEX).then_some(*place as usize)
    }
}

impl<'a> Record<'a> {
    pub async fn load(journal: &'a dyn CrawlJournal) -> Result<Self, SiteReadError> {
        let mut record = Self {
            journal,
            site: None,
            probes: Vec::new(),
            urls: Interner::default(),
            pages: UrlIndex::default(),
            checks: UrlIndex::default(),
            links: Links::default(),
            revisited: UrlSet::default(),
            is_stopping: false,
        };
        let mut behind = None;
        loop {
            let steps = journal.recorded(behind).await?;
            let Some(last) = steps.last() else {
                return Ok(record);
            };
            behind = Some(last.sequence);
            for recorded in steps {
                record.apply(recorded.step);
            }
        }
    }

    /// Durable on return. Known pages are skipped.
    pub async fn add(&mut self, mut steps: Vec<CrawlStep>) -> Result<(), SiteReadError> {
        let mut added = HashSet::new();
        steps.retain(|step| match step {
            CrawlStep::Page(page) => {
                self.page(&page.url).is_none() && added.insert(page.url.clone())
            }
            _ => true,
        });
        if steps.is_empty() {
            return Ok(());
        }
        let decision = self.journal.record(&steps).await?;
        for step in steps {
            self.apply(step);
        }
        match decision {
            Continue::Yes => Ok(()),
            Continue::NoNewRequests => {
                self.is_stopping = true;
                Ok(())
            }
            Continue::No => Err(SiteReadError::Stopped),
        }
    }

    pub const fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    /// An error if no further request may start; called while none is running.
    pub const fn ensure_running(&self) -> Result<(), SiteReadError> {
        if self.is_stopping {
            return Err(SiteReadError::Stopped);
        }
        Ok(())
    }

    /// Records a limit once.
    pub async fn record_limit(&mut self, limit: LimitHit) -> Result<(), SiteReadError> {
        let is_known = |site: &SiteObservation| site.limits.contains(&limit);
        if self.site.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        self.add(vec![CrawlStep::Limit(limit)]).await
    }

    fn apply(&mut self, step: CrawlStep) {
        if let CrawlStep::Probe(probe) = step {
            self.probes.push(probe);
            return;
        }
        let Some(site) = &mut self.site else {
            // Nothing precedes the start.
            if let CrawlStep::Started { start, scope, at } = step {
                self.site = Some(SiteObservation::started(start, scope, at));
            }
            return;
        };
        match &step {
            CrawlStep::Page(page) => {
                self.pages.push(self.urls.intern(&page.url));
                self.links.add(page, site, &mut self.urls);
            }
            CrawlStep::Check(check) => self.checks.push(self.urls.intern(&check.url)),
            CrawlStep::Revisit(check) => {
                self.revisited.insert(self.urls.intern(&check.url));
            }
            _ => {}
        }
        site.add(step);
    }

    pub const fn journal(&self) -> &'a dyn CrawlJournal {
        self.journal
    }

    /// `None` until the start is recorded.
    pub fn site(&self) -> Option<&SiteObservation> {
        self.site.as_ref()
    }

    pub fn urls(&mut self) -> &mut Interner {
        &mut self.urls
    }

    pub fn number(&self, url: &str) -> Option<UrlNumber> {
        self.urls.get(url)
    }

    pub fn url(&self, number: UrlNumber) -> &str {
        self.urls.text(number)
    }

    pub fn page(&self, url: &str) -> Option<&WebPage> {
        self.page_at(self.urls.get(url)?)
    }

    pub fn page_at(&self, url: UrlNumber) -> Option<&WebPage> {
        self.site()?.pages.get(self.pages.get(url)?)
    }

    pub fn check(&self, url: &str) -> Option<&TargetCheck> {
        self.check_at(self.urls.get(url)?)
    }

    pub fn check_at(&self, url: UrlNumber) -> Option<&TargetCheck> {
        self.site()?.checks.get(self.checks.get(url)?)
    }

    pub fn sitemap(&self, url: &str) -> Option<&SitemapFact> {
        self.site()?.sitemaps.iter().find(|it| it.url == url)
    }

    pub fn is_known(&self, url: UrlNumber) -> bool {
        self.pages.get(url).is_some() || self.checks.get(url).is_some()
    }

    /// Whether it was requested because an earlier crawl knew it.
    pub fn was_revisited(&self, url: UrlNumber) -> bool {
        self.revisited.contains(url)
    }

    pub fn counts(&self) -> (u64, u64) {
        (self.pages.count.into(), self.checks.count.into())
    }

    pub fn take_probes(&mut self) -> Vec<DirectoryProbe> {
        std::mem::take(&mut self.probes)
    }

    /// Takes a page's links to pages of the site, in order.
    pub fn take_links(&mut self, page: UrlNumber) -> Box<[UrlNumber]> {
        let links = { self.pages.get(page) }.and_then(|it| self.links.to_follow.get_mut(it));
        links.map(std::mem::take).unwrap_or_default()
    }

    pub fn target_count(&self) -> usize {
        self.links.targets.len()
    }

    /// A link target, in the order found.
    pub fn target(&self, at: usize) -> Option<KnownTarget> {
        let links = &self.links;
        let number = *links.targets.get(at)?;
        Some(KnownTarget {
            number,
            is_internal: links.internal.contains(number),
            needs_anchor_names: links.with_fragment.contains(number),
        })
    }

    pub fn into_site(self) -> Option<SiteObservation> {
        self.site.map(SiteObservation::sorted)
    }
}

impl Links {
    fn add(&mut self, page: &PageContent, site: &SiteObservation, urls: &mut Interner) {
        let (mut own, mut met) = (Vec::new(), HashSet::new());
        for link in &page.links {
            let LinkTarget::Web { url, fragment } = &link.target else {
                continue;
            };
            let number = urls.intern(url);
            if self.is_target.insert(number) {
                self.targets.push(number);
                if Url::parse(url).is_ok_and(|it| site.scope.contains(&it)) {
                    self.internal.insert(number);
                }
            }
            if fragment.is_some() && link.is_navigable() {
                self.with_fragment.insert(number);
            }
            let may_be_page = link.may_target_page() && self.internal.contains(number);
            if may_be_page && met.insert(number) {
                own.push(number);
            }
        }
        self.to_follow.push(own.into());
    }
}
