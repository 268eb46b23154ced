use super::Crawl;
use crate::fetch::{BodyLimit, Want};
use crate::robots::RobotsRules;
use crate::sitemap;
use crate::sitemap::{Sitemap, SitemapEntry};
use analysis::observation::{
    page_url::normalize,
    web_site::{CrawlStep, FetchFailure, Fetched, LimitHit, SitemapFact, Truncation},
};
use domain::ports::site_reader::{Count, SiteReadError};
use std::collections::{HashSet, VecDeque};
use url::Url;

const MAX_SITEMAPS: usize = 500;
/// Examples kept of entries outside the site.
const MAX_FOREIGN: usize = 5;

struct FetchedSitemap {
    sitemap: Sitemap,
    status: Option<u16>,
}

impl Crawl<'_> {
    pub(super) async fn read_sitemaps(&mut self) -> Result<Vec<String>, SiteReadError> {
        let named = self.named_sitemaps();
        let usual = self.context.start.join("/sitemap.xml").ok();
        let mut waiting: VecDeque<(String, bool)> = if named.is_empty() {
            usual.map(|it| (it.into(), false)).into_iter().collect()
        } else {
            named.into_iter().map(|it| (it, true)).collect()
        };
        let mut met: HashSet<String> = waiting.iter().map(|it| it.0.clone()).collect();
        let mut read = 0;
        let mut pages = Vec::new();
        while let Some((url, named)) = waiting.pop_front() {
            self.sitemaps = Count {
                done: read as u64,
                total: (read + 1 + waiting.len()) as u64,
            };
            self.report_progress();
            read += 1;
            self.record.ensure_running()?;
            let (fact, further) = self.read_sitemap(&url, named).await?;
            pages.extend(fact.pages);
            for url in further {
                if met.insert(url.clone()) && met.len() <= MAX_SITEMAPS {
                    waiting.push_back((url, true));
                }
            }
            if read >= MAX_SITEMAPS || self.is_over_time() {
                break;
            }
        }
        self.sitemaps.done = read as u64;
        self.sitemaps.total = read as u64;
        let is_cut = pages.len() > self.plan.max_pages as usize;
        if is_cut || !waiting.is_empty() || met.len() > MAX_SITEMAPS {
            self.record.record_limit(LimitHit::Sitemaps).await?;
        }
        pages.truncate(self.plan.max_pages as usize);
        Ok(pages)
    }

    fn named_sitemaps(&self) -> Vec<String> {
        let robots = self.record.site().and_then(|it| it.robots.as_ref());
        let text = robots.map_or("", |it| &it.text);
        let rules = RobotsRules::parse(text, &self.context.fetcher.settings.product);
        let named = rules.sitemaps.iter();
        named
            .filter_map(|it| self.context.start.join(it).ok())
            .map(|it| normalize(&it).0)
            .collect()
    }

    async fn read_sitemap(
        &mut self,
        url: &str,
        named: bool,
    ) -> Result<(SitemapFact, Vec<String>), SiteReadError> {
        if let Some(fact) = self.record.sitemap(url) {
            return Ok((fact.clone(), fact.sitemaps.clone()));
        }
        let FetchedSitemap { sitemap, status } = self.fetch_sitemap(url).await;
        let max_pages = self.plan.max_pages as usize;
        let own = |entry: &SitemapEntry| {
            let url = self.context.start.join(&entry.url).ok()?;
            self.context.scope.contains(&url).then(|| normalize(&url).0)
        };
        let all = || sitemap.pages.iter().chain(&sitemap.sitemaps);
        let foreign = || all().filter(|it| self.is_foreign(it)).map(|it| &it.url);
        let dated = |entry: &SitemapEntry| Some((own(entry)?, entry.last_modified?.text()));
        let fact = SitemapFact {
            url: url.to_owned(),
            // One more than the limit, to detect truncation.
            pages: { sitemap.pages.iter() }
                .filter_map(own)
                .take(max_pages.saturating_add(1))
                .collect(),
            last_modified: sitemap
                .pages
                .iter()
                .filter_map(dated)
                .take(max_pages)
                .collect(),
            sitemaps: sitemap
                .sitemaps
                .iter()
                .filter_map(own)
                .take(MAX_SITEMAPS)
                .collect(),
            entries: to_u32(all().count()),
            problem: sitemap.problem.map(str::to_owned),
            named,
            status,
            foreign: to_u32(foreign().count()),
            foreign_examples: foreign().take(MAX_FOREIGN).cloned().collect(),
        };
        self.record
            .add(vec![CrawlStep::Sitemap(fact.clone())])
            .await?;
        let further = fact.sitemaps.clone();
        Ok((fact, further))
    }

    fn is_foreign(&self, entry: &SitemapEntry) -> bool {
        let url = self.context.start.join(&entry.url);
        url.is_ok_and(|it| {
            matches!(it.scheme(), "http" | "https") && !self.context.scope.contains(&it)
        })
    }

    async fn fetch_sitemap(&self, url: &str) -> FetchedSitemap {
        let failed = |problem, status| FetchedSitemap {
            sitemap: Sitemap {
                problem: Some(problem),
                ..Sitemap::default()
            },
            status,
        };
        let Ok(url) = Url::parse(url) else {
            return failed("invalidUrl", None);
        };
        if !self.context.robots.allows(self.context.fetcher, &url).await {
            return failed("blockedByRobots", None);
        }
        let limit = BodyLimit {
            encoded: sitemap::MAX_BYTES,
            decoded: sitemap::MAX_BYTES,
        };
        let answer = self
            .context
            .fetcher
            .fetch_with_retries(&url, Want::Everything(limit), Some(&self.context.robots))
            .await;
        let fetched = answer.fetched;
        let status = fetched.status;
        let Some(body) = answer.body.filter(|_| fetched.is_success()) else {
            return failed(failure_code(&fetched), status);
        };
        let is_cut = body.truncation == Truncation::AtLimit;
        let read = tokio::task::spawn_blocking(move || Sitemap::read(&body.bytes)).await;
        let Ok(mut sitemap) = read else {
            return failed("notXml", status);
        };
        if is_cut {
            sitemap.problem = Some("tooLarge");
        }
        FetchedSitemap { sitemap, status }
    }
}

fn failure_code(fetched: &Fetched) -> &'static str {
    let is_success = fetched.status.is_some_and(|it| (200..300).contains(&it));
    match (fetched.failure, fetched.status) {
        (_, Some(404 | 410)) => "absent",
        (Some(FetchFailure::Incomplete), _) if is_success => "cutOff",
        (Some(_), _) if is_success => "undecodable",
        _ => "unavailable",
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
