//! What has been recorded, by this attempt and by earlier ones.

use analysis::observation::web_site::{
    CrawlStep, DirectoryProbe, LimitHit, RobotsFact, SitemapFact, TargetCheck, WebPage,
};
use domain::ports::site_reader::{Continue, CrawlJournal, SiteReadError};
use std::collections::{HashMap, HashSet};

/// All steps of a crawl so far, and where new ones go.
pub struct Record<'a> {
    journal: &'a dyn CrawlJournal,
    steps: Vec<CrawlStep>,
    /// The steps by what they are about, as numbers into `steps`.
    pages: HashMap<String, usize>,
    checks: HashMap<String, usize>,
    sitemaps: HashMap<String, usize>,
    limits: HashSet<LimitHit>,
}

impl<'a> Record<'a> {
    /// Loads what earlier attempts recorded.
    pub async fn load(journal: &'a dyn CrawlJournal) -> Result<Self, SiteReadError> {
        let mut record = Self {
            journal,
            steps: Vec::new(),
            pages: HashMap::new(),
            checks: HashMap::new(),
            sitemaps: HashMap::new(),
            limits: HashSet::new(),
        };
        for step in journal.recorded().await? {
            record.remember(step);
        }
        Ok(record)
    }

    /// Adds steps; they are safe when this returns.
    pub async fn add(&mut self, steps: Vec<CrawlStep>) -> Result<(), SiteReadError> {
        if steps.is_empty() {
            return Ok(());
        }
        let decision = self.journal.record(steps.clone()).await?;
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
        if self.limits.contains(&limit) {
            return Ok(());
        }
        self.add(vec![CrawlStep::Limit(limit)]).await
    }

    fn remember(&mut self, step: CrawlStep) {
        let number = self.steps.len();
        match &step {
            CrawlStep::Page(page) => {
                self.pages.insert(page.url.clone(), number);
            }
            CrawlStep::Check(check) => {
                self.checks.insert(check.url.clone(), number);
            }
            CrawlStep::Sitemap(fact) => {
                self.sitemaps.insert(fact.url.clone(), number);
            }
            CrawlStep::Limit(limit) => {
                self.limits.insert(*limit);
            }
            _ => {}
        }
        self.steps.push(step);
    }

    pub fn journal(&self) -> &dyn CrawlJournal {
        self.journal
    }

    pub fn page(&self, url: &str) -> Option<&WebPage> {
        match &self.steps[*self.pages.get(url)?] {
            CrawlStep::Page(page) => Some(page),
            _ => None,
        }
    }

    pub fn check(&self, url: &str) -> Option<&TargetCheck> {
        match &self.steps[*self.checks.get(url)?] {
            CrawlStep::Check(check) => Some(check),
            _ => None,
        }
    }

    pub fn sitemap(&self, url: &str) -> Option<&SitemapFact> {
        match &self.steps[*self.sitemaps.get(url)?] {
            CrawlStep::Sitemap(fact) => Some(fact),
            _ => None,
        }
    }

    pub fn is_known(&self, url: &str) -> bool {
        self.pages.contains_key(url) || self.checks.contains_key(url)
    }

    pub fn counts(&self) -> (u64, u64) {
        (self.pages.len() as u64, self.checks.len() as u64)
    }

    pub fn robots(&self) -> Option<&RobotsFact> {
        self.steps.iter().find_map(|it| match it {
            CrawlStep::Robots(fact) => Some(fact),
            _ => None,
        })
    }

    pub fn probes(&self) -> impl Iterator<Item = &DirectoryProbe> {
        self.steps.iter().filter_map(|it| match it {
            CrawlStep::Probe(probe) => Some(probe),
            _ => None,
        })
    }

    pub fn pages(&self) -> impl Iterator<Item = &WebPage> {
        self.steps.iter().filter_map(|it| match it {
            CrawlStep::Page(page) => Some(&**page),
            _ => None,
        })
    }

    pub fn steps(&self) -> &[CrawlStep] {
        &self.steps
    }

    pub fn into_steps(self) -> Vec<CrawlStep> {
        self.steps
    }
}
