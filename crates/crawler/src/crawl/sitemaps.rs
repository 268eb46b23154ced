//! Pages that sitemaps list.

use super::Crawl;
use crate::{
    fetch::{BodyLimit, Want},
    robots::RobotsRules,
    sitemap::{self, Sitemap, SitemapEntry},
};
use analysis::observation::{
    page_url::normalise,
    web_site::{CrawlStep, SitemapFact},
};
use domain::ports::site_reader::SiteReadError;
use std::collections::{HashSet, VecDeque};
use url::Url;

/// Sitemaps of one site that are read at the most.
const MOST_SITEMAPS: usize = 50;

impl Crawl<'_> {
    /// The pages of the site that its sitemaps list, as far as the plan has room for them.
    pub(super) async fn read_sitemaps(&mut self) -> Result<Vec<String>, SiteReadError> {
        let mut waiting: VecDeque<String> = self.named_sitemaps().into();
        let mut met: HashSet<String> = waiting.iter().cloned().collect();
        let mut read = 0;
        let mut pages = Vec::new();
        while let Some(url) = waiting.pop_front() {
            read += 1;
            let (fact, further) = self.read_sitemap(&url).await?;
            pages.extend(fact.pages);
            for url in further {
                if met.len() < MOST_SITEMAPS && met.insert(url.clone()) {
                    waiting.push_back(url);
                }
            }
            if read >= MOST_SITEMAPS || self.is_late() {
                break;
            }
        }
        pages.truncate(self.plan.max_pages as usize);
        Ok(pages)
    }

    /// Those robots.txt names, else the usual place.
    fn named_sitemaps(&self) -> Vec<String> {
        let robots = self.record.site().and_then(|it| it.robots.as_ref());
        let text = robots.map_or("", |it| &it.text);
        let rules = RobotsRules::parse(text, &self.tools.fetcher.settings.product);
        let named: Vec<String> = rules
            .sitemaps
            .iter()
            .filter_map(|it| self.tools.start.join(it).ok())
            .map(|it| normalise(&it).0)
            .collect();
        if named.is_empty() {
            let usual = self.tools.start.join("/sitemap.xml").ok();
            return usual.map(String::from).into_iter().collect();
        }
        named
    }

    async fn read_sitemap(
        &mut self,
        url: &str,
    ) -> Result<(SitemapFact, Vec<String>), SiteReadError> {
        if let Some(fact) = self.record.sitemap(url) {
            return Ok((fact.clone(), fact.sitemaps.clone()));
        }
        let sitemap = self.fetch_sitemap(url).await;
        let most = self.plan.max_pages as usize;
        let own = |entry: &SitemapEntry| {
            let url = self.tools.start.join(&entry.url).ok()?;
            self.tools.scope.contains(&url).then(|| normalise(&url).0)
        };
        let dated = |entry: &SitemapEntry| Some((own(entry)?, entry.last_modified?.text()));
        let fact = SitemapFact {
            url: url.to_owned(),
            pages: sitemap.pages.iter().filter_map(own).take(most).collect(),
            last_modified: sitemap.pages.iter().filter_map(dated).take(most).collect(),
            sitemaps: sitemap
                .sitemaps
                .iter()
                .filter_map(own)
                .take(MOST_SITEMAPS)
                .collect(),
            entries: u32::try_from(sitemap.pages.len() + sitemap.sitemaps.len())
                .unwrap_or(u32::MAX),
            problem: sitemap.problem.map(str::to_owned),
        };
        self.record
            .add(vec![CrawlStep::Sitemap(fact.clone())])
            .await?;
        let further = fact.sitemaps.clone();
        Ok((fact, further))
    }

    async fn fetch_sitemap(&self, url: &str) -> Sitemap {
        let failed = |problem| Sitemap {
            problem: Some(problem),
            ..Sitemap::default()
        };
        let Ok(url) = Url::parse(url) else {
            return failed("invalidUrl");
        };
        if !self.tools.robots.allows(self.tools.fetcher, &url).await {
            return failed("blockedByRobots");
        }
        let limit = BodyLimit {
            encoded: sitemap::MOST_BYTES,
            decoded: sitemap::MOST_BYTES,
        };
        let answer = self
            .tools
            .fetcher
            .ask_patiently(&url, Want::Everything(limit), Some(&self.tools.robots))
            .await;
        let Some(body) = answer.body.filter(|_| answer.fetched.is_success()) else {
            let absent = matches!(answer.fetched.status, Some(404 | 410));
            return failed(if absent { "absent" } else { "unavailable" });
        };
        let read = tokio::task::spawn_blocking(move || Sitemap::read(&body.bytes));
        read.await.unwrap_or_else(|_| failed("notXml"))
    }
}
