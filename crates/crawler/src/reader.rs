use crate::browser::{BrowserSettings, LabRunner, Renderer, StaticReader, browser_version};
use crate::crawl::Crawl;
use crate::fetch::Fetcher;
use crate::settings::CrawlerSettings;
use analysis::observation::web_site::SiteObservation;
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::host_throttle::HostThrottle;
use domain::ports::page_speed::NotConfigured;
use domain::ports::randomness::Randomness;
use domain::ports::site_reader::{CrawlJournal, CrawlPlan, SiteReadError, SiteReader};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Pages rendered concurrently, over all crawls: more would slow each other down.
const MAX_TABS: usize = 2;

/// One reader serves all crawls of a process, because politeness applies across crawls.
pub struct PoliteReader {
    pub(crate) fetcher: Arc<Fetcher>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    browser_settings: BrowserSettings,
    tabs: Arc<Semaphore>,
}

impl PoliteReader {
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
            browser_settings: BrowserSettings::default(),
            tabs: Arc::new(Semaphore::new(MAX_TABS)),
        }
    }

    /// Throttles requests per site together with other processes.
    #[must_use]
    pub fn with_shared_throttle(self, throttle: Arc<dyn HostThrottle>) -> Self {
        let (clock, randomness) = (Arc::clone(&self.clock), Arc::clone(&self.randomness));
        let settings = CrawlerSettings::clone(&self.fetcher.settings);
        let fetcher = Fetcher::new(settings, clock, randomness).with_shared_throttle(throttle);
        Self {
            fetcher: Arc::new(fetcher),
            ..self
        }
    }

    /// Renders pages with these browser settings, where a plan asks for it.
    #[must_use]
    pub fn with_browser(self, lab: BrowserSettings) -> Self {
        Self {
            browser_settings: lab,
            ..self
        }
    }

    /// Its loads share the reader's throttle: a load counts as one request.
    #[must_use]
    pub fn lab_runner(&self, settings: BrowserSettings) -> LabRunner {
        LabRunner::with_throttle(settings, Arc::clone(&self.fetcher))
    }

    /// Shares the reader's throttle: a page with all its files counts as one request.
    #[must_use]
    pub fn static_reader(&self) -> StaticReader {
        StaticReader::with_throttle(Arc::clone(&self.fetcher))
    }

    /// `None` if the plan does not render, or without a browser.
    fn renderer(&self, plan: &CrawlPlan) -> Option<Renderer> {
        let is_wanted = plan.render.pages() > 0 && self.missing_browser().is_none();
        is_wanted.then(|| {
            let (fetcher, tabs) = (Arc::clone(&self.fetcher), Arc::clone(&self.tabs));
            Renderer::new(fetcher, self.browser_settings.clone(), tabs)
        })
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
            self.renderer(plan),
        );
        crawl.await?.run().await
    }

    fn missing_browser(&self) -> Option<NotConfigured> {
        self.browser_settings
            .missing("without it, pages are not rendered")
    }

    async fn browser(&self) -> Option<String> {
        let program = self.browser_settings.program()?;
        let place = program.display();
        let name = browser_version(&program, &self.browser_settings).await;
        Some(name.map_or_else(|| place.to_string(), |it| format!("{it} ({place})")))
    }
}
