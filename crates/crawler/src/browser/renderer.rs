//! Renders the pages of a crawl. One browser renders them one after the other, each in its own browser context. It
//! starts with the first page and is replaced after it died, was killed or has rendered [`MAX_PAGES`]. Its only
//! network route is the egress proxy.

use super::egress_proxy::EgressProxy;
use super::process::Browser;
use super::protocol::Protocol;
use super::settings::BrowserSettings;
use super::tab::{RenderError, RenderedHtml, Tab};
use super::{as_startup_error, process, watch_limits};
use crate::fetch::Fetcher;
use analysis::observation::page_content::RenderFailure;
use domain::ports::page_speed::LabError;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;
use url::Url;

/// Time for a browser to start and report its version.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Time per page beyond the render limit: opening, answering, closing.
const GRACE: Duration = Duration::from_secs(15);

/// Pages after which the browser is replaced, which bounds memory leaks.
const MAX_PAGES: u32 = 100;

/// Consecutive failed starts after which this crawl stops trying.
const MAX_FAILED_STARTS: u32 = 3;

/// Dropping it ends its browser.
pub struct Renderer {
    fetcher: Arc<Fetcher>,
    settings: BrowserSettings,
    /// Limits concurrent pages over all crawls of the process.
    tabs: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<RunningBrowser>,
    failed_starts: u32,
}

struct RunningBrowser {
    browser: Browser,
    proxy: EgressProxy,
    protocol: Protocol,
    pages: u32,
}

impl Renderer {
    pub fn new(fetcher: Arc<Fetcher>, settings: BrowserSettings, tabs: Arc<Semaphore>) -> Self {
        Self {
            fetcher,
            settings,
            tabs,
            state: Mutex::default(),
        }
    }

    /// Renders a page that robots.txt allows until it is idle or its time is over. Counts as one request to its host.
    pub async fn render(&self, url: &Url) -> Result<RenderedHtml, RenderError> {
        let mut state = self.state.lock().await;
        let _tab = self.tabs.acquire().await;
        let _host_permit = self.fetcher.acquire_host_permit(url).await;
        let mut used = state.running.take().filter(|it| it.pages < MAX_PAGES);
        loop {
            let was_used = used.is_some();
            let mut running = match used.take() {
                Some(running) => running,
                None => self.start(&mut state).await?,
            };
            running.pages += 1;
            let limit = self.settings.render_limit + GRACE;
            let outcome = timeout(limit, running.render(&self.settings, self.agent(), url)).await;
            let outcome = outcome.unwrap_or_else(|_| Err(RenderFailure::TimedOut.into()));
            match &outcome {
                Err(it) if it.needs_new_browser() => {
                    running.browser.end().await;
                    // A browser that died of an earlier page is not this page's failure.
                    if was_used && it.reason == RenderFailure::BrowserFailed {
                        continue;
                    }
                }
                _ => state.running = Some(running),
            }
            return outcome;
        }
    }

    /// Ends the browser and waits until its processes and files are gone.
    pub async fn end(&self) {
        let running = self.state.lock().await.running.take();
        if let Some(running) = running {
            running.browser.end().await;
        }
    }

    /// The crawler's user agent: servers may answer others differently.
    fn agent(&self) -> String {
        self.fetcher.settings.user_agent()
    }

    async fn start(&self, state: &mut State) -> Result<RunningBrowser, RenderError> {
        if state.failed_starts >= MAX_FAILED_STARTS {
            return Err(RenderFailure::BrowserFailed.into());
        }
        match self.launch().await {
            Ok(running) => {
                state.failed_starts = 0;
                Ok(running)
            }
            Err(error) => {
                state.failed_starts += 1;
                tracing::warn!(%error, "a browser for rendering did not start");
                Err(RenderFailure::BrowserFailed.into())
            }
        }
    }

    async fn launch(&self) -> Result<RunningBrowser, LabError> {
        let program = self.settings.program();
        let program = program.ok_or_else(|| LabError::Browser("there is none".to_owned()))?;
        let rules = Arc::clone(&self.fetcher.settings);
        let user = process::browser_uid(&self.settings);
        let proxy = EgressProxy::start(rules, self.settings.traffic_limit, user).await;
        let proxy =
            proxy.map_err(|_| LabError::Browser("no free port for the egress proxy".to_owned()))?;
        let (browser, mut protocol) = Browser::guarded(&program, &self.settings, proxy.port())?;
        let first = async {
            let version = protocol.call::<Value>(None, "Browser.getVersion", json!({}));
            version.await.map_err(|it| as_startup_error(it.into()))?;
            let all = json!({"discover": true});
            let discovery = protocol.execute(None, "Target.setDiscoverTargets", all);
            discovery.await.map_err(LabError::from)
        };
        let started = timeout(START_LIMIT, first).await;
        if let Err(error) = started.unwrap_or(Err(LabError::TimedOut)) {
            browser.end().await;
            return Err(error);
        }
        Ok(RunningBrowser {
            browser,
            proxy,
            protocol,
            pages: 0,
        })
    }
}

impl RunningBrowser {
    async fn render(
        &mut self,
        settings: &BrowserSettings,
        agent: String,
        url: &Url,
    ) -> Result<RenderedHtml, RenderError> {
        self.proxy.reset_traffic();
        let page = async {
            let mut tab = Tab::open(&mut self.protocol, &agent, url).await?;
            let shown = tab.render(settings.render_limit).await;
            // Ending the browser closes its tabs.
            if !matches!(&shown, Err(it) if it.needs_new_browser()) {
                tab.close().await?;
            }
            shown
        };
        tokio::select! {
            shown = page => shown,
            () = watch_limits(&self.browser, &self.proxy, settings.memory_limit) => Err(RenderFailure::TooHeavy.into()),
        }
    }
}
