//! Pages as a browser shows them, for the second look of a crawl. One browser shows all pages of a crawl, one after the
//! other, each in a profile of its own that is gone with the page. It starts with the first page, and another one
//! starts when it died, was killed or has shown many. As with every browser of the lab, its only way out is the gate.

use super::gate::Gate;
use super::process::Browser;
use super::protocol::Protocol;
use super::settings::LabSettings;
use super::tab::{NotShown, Shown, Tab};
use super::{process, unprepared, watch};
use crate::fetch::Fetcher;
use analysis::observation::page_content::RenderFailure;
use domain::ports::page_speed::LabError;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;
use url::Url;

/// How long a browser may take to start and to say which one it is.
const START_LIMIT: Duration = Duration::from_secs(30);

/// What a page may take beside the time in which it is to come to rest: opening, answering, closing.
const GRACE: Duration = Duration::from_secs(15);

/// Pages after which a browser is let go: what it leaks goes with it.
const MOST_PAGES: u32 = 100;

/// Browsers that did not start, one after the other, before no further one is tried in this crawl.
const MOST_STARTS: u32 = 3;

/// Shows the pages of one crawl. Dropping it ends its browser.
pub struct Renderer {
    fetcher: Arc<Fetcher>,
    settings: LabSettings,
    /// How many pages are shown at the same time, over all crawls of the process.
    tabs: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    failed_starts: u32,
}

struct Running {
    browser: Browser,
    gate: Gate,
    protocol: Protocol,
    pages: u32,
}

impl Renderer {
    pub fn new(fetcher: Arc<Fetcher>, settings: LabSettings, tabs: Arc<Semaphore>) -> Self {
        Self {
            fetcher,
            settings,
            tabs,
            state: Mutex::default(),
        }
    }

    /// Shows a page that robots.txt allows, and takes its document at rest or when time is over. One request to its host.
    pub async fn show(&self, url: &Url) -> Result<Shown, NotShown> {
        let mut state = self.state.lock().await;
        let _tab = self.tabs.acquire().await;
        let _turn = self.fetcher.turn(url).await;
        let mut used = state.running.take().filter(|it| it.pages < MOST_PAGES);
        loop {
            let was_used = used.is_some();
            let mut running = match used.take() {
                Some(running) => running,
                None => self.start(&mut state).await?,
            };
            running.pages += 1;
            let limit = self.settings.render_limit + GRACE;
            let outcome = timeout(limit, running.show(&self.settings, self.agent(), url)).await;
            let outcome = outcome.unwrap_or_else(|_| Err(RenderFailure::TimedOut.into()));
            match &outcome {
                Err(it) if it.is_the_browsers_fault() => {
                    running.browser.end().await;
                    // One that died of the page before is no fault of this one.
                    if was_used && it.reason == RenderFailure::BrowserFailed {
                        continue;
                    }
                }
                _ => state.running = Some(running),
            }
            return outcome;
        }
    }

    /// Ends the browser, and waits until nothing of it is left.
    pub async fn end(&self) {
        let running = self.state.lock().await.running.take();
        if let Some(running) = running {
            running.browser.end().await;
        }
    }

    /// Pages are to see who asks, as the crawler said it: a server may answer others differently.
    fn agent(&self) -> String {
        self.fetcher.settings.user_agent()
    }

    async fn start(&self, state: &mut State) -> Result<Running, NotShown> {
        if state.failed_starts >= MOST_STARTS {
            return Err(RenderFailure::BrowserFailed.into());
        }
        match self.started().await {
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

    async fn started(&self) -> Result<Running, LabError> {
        let program = self.settings.program();
        let program = program.ok_or_else(|| LabError::Browser("there is none".to_owned()))?;
        let rules = Arc::clone(&self.fetcher.settings);
        let user = process::user(&self.settings);
        let gate = Gate::open(rules, self.settings.traffic_limit, user).await;
        let gate = gate.map_err(|_| LabError::Browser("no port is free".to_owned()))?;
        let (browser, mut protocol) = Browser::guarded(&program, &self.settings, gate.port())?;
        let first = async {
            let version = protocol.ask::<Value>(None, "Browser.getVersion", json!({}));
            version.await.map_err(|it| unprepared(it.into()))?;
            let all = json!({"discover": true});
            let told = protocol.order(None, "Target.setDiscoverTargets", all);
            told.await.map_err(LabError::from)
        };
        let told = timeout(START_LIMIT, first).await;
        if let Err(error) = told.unwrap_or(Err(LabError::TimedOut)) {
            browser.end().await;
            return Err(error);
        }
        Ok(Running {
            browser,
            gate,
            protocol,
            pages: 0,
        })
    }
}

impl Running {
    async fn show(
        &mut self,
        settings: &LabSettings,
        agent: String,
        url: &Url,
    ) -> Result<Shown, NotShown> {
        self.gate.count_anew();
        let page = async {
            let mut tab = Tab::open(&mut self.protocol, &agent, url).await?;
            let shown = tab.show(settings.render_limit).await;
            // A browser that is let go takes its pages with it.
            if !matches!(&shown, Err(it) if it.is_the_browsers_fault()) {
                tab.close().await?;
            }
            shown
        };
        tokio::select! {
            shown = page => shown,
            () = watch(&self.browser, &self.gate, settings.memory_limit) => Err(RenderFailure::TooHeavy.into()),
        }
    }
}
