//! What has been recorded, by this attempt and by earlier ones.

use analysis::observation::web_site::{
    CrawlStep, DirectoryProbe, LimitHit, SiteObservation, SitemapFact, TargetCheck, WebPage,
};
use domain::ports::site_reader::{Continue, CrawlJournal, SiteReadError};
use std::collections::{HashMap, HashSet};

/// What a crawl has seen so far, and where new steps go. Of pages only what the crawl itself needs
/// stays in memory; the journal has them whole.
pub struct Record<'a> {
    journal: &'a dyn CrawlJournal,
    site: Option<SiteObservation>,
    probes: Vec<DirectoryProbe>,
    /// Places in the observation.
    pages: HashMap<String, usize>,
    checks: HashMap<String, usize>,
    sitemaps: HashMap<String, usize>,
    revisited: HashSet<String>,
}

impl<'a> Record<'a> {
    /// Loads what earlier attempts recorded.
    pub async fn load(journal: &'a dyn CrawlJournal) -> Result<Self, SiteReadError> {
        let mut record = Self {
            journal,
            site: None,
            probes: Vec::new(),
            pages: HashMap::new(),
            checks: HashMap::new(),
            sitemaps: HashMap::new(),
            revisited: HashSet::new(),
        };
        let mut behind = None;
        loop {
            let steps = journal.recorded(behind).await?;
            let Some(last) = steps.last() else {
                return Ok(record);
            };
            behind = Some(last.place);
            for recorded in steps {
                record.remember(recorded.step);
            }
        }
    }

    /// Adds steps; they are safe when this returns. What is known already is left out.
    pub async fn add(&mut self, mut steps: Vec<CrawlStep>) -> Result<(), SiteReadError> {
        let mut added = HashSet::new();
        steps.retain(|step| match step {
            CrawlStep::Page(page) => {
                !self.pages.contains_key(&page.url) && added.insert(page.url.clone())
            }
            _ => true,
        });
        if steps.is_empty() {
            return Ok(());
        }
        let decision = self.journal.record(&steps).await?;
        for step in steps {
            self.remember(step);
        }
        match decision {
            Continue::Yes => Ok(()),
            Continue::No => Err(SiteReadError::Stopped),
        }
    }

    /// Notes a bound, once.
    pub async fn limit(&mut self, limit: LimitHit) -> Result<(), SiteReadError> {
        let is_known = |site: &SiteObservation| site.limits.contains(&limit);
        if self.site.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        self.add(vec![CrawlStep::Limit(limit)]).await
    }

    fn remember(&mut self, step: CrawlStep) {
        if let CrawlStep::Probe(probe) = step {
            self.probes.push(probe);
            return;
        }
        let Some(site) = &mut self.site else {
            // Nothing is recorded before the start.
            if let CrawlStep::Started { start, scope, at } = step {
                self.site = Some(SiteObservation::begun(start, scope, at));
            }
            return;
        };
        match &step {
            CrawlStep::Page(page) => {
                self.pages.insert(page.url.clone(), site.pages.len());
            }
            CrawlStep::Check(check) => {
                self.checks.insert(check.url.clone(), site.checks.len());
            }
            CrawlStep::Revisit(check) => {
                self.revisited.insert(check.url.clone());
            }
            CrawlStep::Sitemap(fact) => {
                self.sitemaps.insert(fact.url.clone(), site.sitemaps.len());
            }
            _ => {}
        }
        site.add(step);
    }

    pub const fn journal(&self) -> &'a dyn CrawlJournal {
        self.journal
    }

    /// What was seen, once it is known where to begin.
    pub fn site(&self) -> Option<&SiteObservation> {
        self.site.as_ref()
    }

    pub fn page(&self, url: &str) -> Option<&WebPage> {
        Some(&self.site()?.pages[*self.pages.get(url)?])
    }

    pub fn check(&self, url: &str) -> Option<&TargetCheck> {
        Some(&self.site()?.checks[*self.checks.get(url)?])
    }

    pub fn sitemap(&self, url: &str) -> Option<&SitemapFact> {
        Some(&self.site()?.sitemaps[*self.sitemaps.get(url)?])
    }

    pub fn is_known(&self, url: &str) -> bool {
        self.pages.contains_key(url) || self.checks.contains_key(url)
    }

    /// Whether it was asked for because an earlier crawl knew it.
    pub fn was_revisited(&self, url: &str) -> bool {
        self.revisited.contains(url)
    }

    pub fn counts(&self) -> (u64, u64) {
        (self.pages.len() as u64, self.checks.len() as u64)
    }

    pub fn probes(&self) -> impl Iterator<Item = &DirectoryProbe> {
        self.probes.iter()
    }

    pub fn pages(&self) -> impl Iterator<Item = &WebPage> {
        self.site.iter().flat_map(|it| &it.pages)
    }

    /// What was seen, in an order of its own.
    pub fn into_site(self) -> Option<SiteObservation> {
        self.site.map(SiteObservation::sorted)
    }
}
