//! The site reader of this crate.

use crate::{crawl::Crawl, fetch::Fetcher, settings::CrawlerSettings};
use analysis::observation::web_site::SiteObservation;
use async_trait::async_trait;
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    site_reader::{CrawlJournal, CrawlPlan, SiteReadError, SiteReader},
};
use std::sync::Arc;

/// Reads sites politely. One reader serves all crawls of a process, because politeness counts
/// over all of them.
pub struct PoliteReader {
    pub(crate) fetcher: Arc<Fetcher>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
}

impl PoliteReader {
    /// A reader with these settings.
    #[must_use]
    pub fn new(
        settings: CrawlerSettings,
        clock: Arc<dyn Clock>,
        randomness: Arc<dyn Randomness>,
    ) -> Self {
        Self {
            fetcher: Arc::new(Fetcher::new(
                settings,
                Arc::clone(&clock),
                Arc::clone(&randomness),
            )),
            clock,
            randomness,
        }
    }
}

#[async_trait]
impl SiteReader for PoliteReader {
    async fn read(
        &self,
        plan: &CrawlPlan,
        journal: &dyn CrawlJournal,
    ) -> Result<SiteObservation, SiteReadError> {
        let crawl = Crawl::begin(
            &self.fetcher,
            &*self.clock,
            &*self.randomness,
            plan,
            journal,
        );
        crawl.await?.run().await
    }
}
