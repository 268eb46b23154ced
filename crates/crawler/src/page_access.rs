//! Access checks of single pages, for loads outside a crawl.

use crate::crawl::try_starts;
use crate::fetch::{Fetcher, Permission, RobotsCache, Want};
use crate::reader::PoliteReader;
use analysis::observation::web_site::FetchFailure;
use async_trait::async_trait;
use domain::ports::page_speed::LabError;
use domain::ports::site_access::{SiteAccess, SiteAccessProvider};
use domain::ports::site_reader::{CrawlStart, SiteReadError, UnreachableReason};
use std::{collections::HashMap, sync::Arc};
use tokio::sync::Mutex;
use url::Url;

struct PageAccess {
    fetcher: Arc<Fetcher>,
    robots: RobotsCache,
    home: Url,
    /// Results by URL: phone and desktop loads share them.
    results: Mutex<HashMap<String, Result<(), LabError>>>,
}

#[async_trait]
impl SiteAccessProvider for PoliteReader {
    async fn open(&self, start: &CrawlStart) -> Result<Box<dyn SiteAccess>, UnreachableReason> {
        let found = try_starts(&self.fetcher, start).await;
        let (home, _, fact) = found.map_err(|error| match error {
            SiteReadError::Unreachable(unreached) => unreached,
            _ => UnreachableReason::Connection,
        })?;
        let robots = RobotsCache::default();
        robots.set(&fact, &self.fetcher.settings.product);
        Ok(Box::new(PageAccess {
            fetcher: Arc::clone(&self.fetcher),
            robots,
            home,
            results: Mutex::default(),
        }))
    }
}

impl PageAccess {
    async fn check_url(&self, url: &Url) -> Result<(), LabError> {
        match self.robots.permission(&self.fetcher, url).await {
            Permission::Granted => {}
            Permission::Refused => return Err(LabError::DisallowedByRobots),
            Permission::Unreachable(_) => return Err(LabError::Unreachable),
        }
        self.fetcher
            .set_crawl_delay(url, self.robots.crawl_delay(url).unwrap_or_default());
        let answer = self
            .fetcher
            .fetch_with_retries(url, Want::Headers, Some(&self.robots))
            .await;
        if answer.blocked {
            return Err(LabError::DisallowedByRobots);
        }
        match answer.fetched.failure {
            Some(FetchFailure::Timeout) => Err(LabError::TimedOut),
            Some(FetchFailure::Dns | FetchFailure::Connect | FetchFailure::Tls) => {
                Err(LabError::Unreachable)
            }
            // Other failures may not affect a browser.
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl SiteAccess for PageAccess {
    fn home(&self) -> String {
        self.home.to_string()
    }

    async fn check(&self, url: &str) -> Result<(), LabError> {
        let mut answers = self.results.lock().await;
        if let Some(answer) = answers.get(url) {
            return answer.clone();
        }
        let parsed =
            Url::parse(url).map_err(|_| LabError::Order("the address is not a valid URL"))?;
        let answer = self.check_url(&parsed).await;
        answers.insert(url.to_owned(), answer.clone());
        answer
    }

    async fn allows(&self, url: &str) -> bool {
        match Url::parse(url) {
            Ok(url) => self.robots.allows(&self.fetcher, &url).await,
            Err(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::CrawlerSettings;
    use domain::test_support::{CountingRandomness, FrozenClock};
    use std::time::Duration;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn loads_honor_the_crawl_delay() {
        let reader = PoliteReader::new(
            CrawlerSettings::default(),
            Arc::new(FrozenClock::default()),
            Arc::new(CountingRandomness::default()),
        );
        let page = Url::parse("https://example.com/a").unwrap();
        let begin = Instant::now();
        drop(reader.fetcher.acquire_host_permit(&page).await);
        drop(reader.fetcher.acquire_host_permit(&page).await);
        assert_eq!(begin.elapsed(), CrawlerSettings::default().per_host_delay);
        reader
            .fetcher
            .set_crawl_delay(&page, Duration::from_secs(30));
        drop(reader.fetcher.acquire_host_permit(&page).await);
        drop(reader.fetcher.acquire_host_permit(&page).await);
        assert_eq!(begin.elapsed().as_secs(), 2 + 30);
    }
}
