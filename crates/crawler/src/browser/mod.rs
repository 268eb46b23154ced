//! Headless Chromium over the DevTools protocol.
//!
//! Part of this crate because the crawler's guard decides which addresses the browser may reach (through [`gate`]),
//! and adapters do not depend on each other. Each measured load has its own browser with an empty profile;
//! afterwards, or when the load is dropped, its processes are killed and its files removed. Pages that a crawl only
//! renders share one browser ([`renderer`]). Tests of this product's pages use [`Browser`] and [`Protocol`] too.

mod caching;
mod device;
mod egress_proxy;
mod messages;
mod popups;
mod process;
mod process_list;
mod protocol;
mod quiet;
mod renderer;
mod requests;
mod run;
mod settings;
mod static_reader;
mod tab;
mod trace;
mod version;
mod visit;

pub use process::Browser;
pub use protocol::{Event, Message, Protocol, ProtocolError};
pub use renderer::Renderer;
pub use settings::{BrowserSandbox, BrowserSettings, DEFAULT_BROWSER_PATHS};
pub use static_reader::StaticReader;
pub use tab::{RenderError, RenderedHtml};
pub use version::browser_version;

use crate::{fetch::Fetcher, guard::vet_url, settings::CrawlerSettings};
use analysis::observation::vitals::{LabMeasurement, LabRun};
use analysis::provenance::Provenance;
use async_trait::async_trait;
use device::Device;
use domain::ports::page_speed::{LabError, LabOrder, LabVitals, NotConfigured};
use egress_proxy::EgressProxy;
use std::{path::Path, sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use url::Url;

const PROVIDER: &str = "chromium";

/// More runs add no information.
const MAX_RUNS: u32 = 25;

/// Failed loads after which a page that never loaded is given up.
const MAX_FAILURES: usize = 2;

const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Loads pages in headless Chromium, one at a time: parallel loads would slow each other down.
pub struct LabRunner {
    settings: BrowserSettings,
    crawler: Arc<CrawlerSettings>,
    /// Throttles loads per host; `None` in examples and tests.
    throttle_fetcher: Option<Arc<Fetcher>>,
    load_permit: Semaphore,
}

impl LabRunner {
    pub fn new(settings: BrowserSettings, crawler: CrawlerSettings) -> Self {
        Self {
            settings,
            crawler: Arc::new(crawler),
            throttle_fetcher: None,
            load_permit: Semaphore::new(1),
        }
    }

    /// Throttles its loads together with a fetcher's requests.
    pub(crate) fn with_throttle(settings: BrowserSettings, fetcher: Arc<Fetcher>) -> Self {
        Self {
            settings,
            crawler: Arc::clone(&fetcher.settings),
            throttle_fetcher: Some(fetcher),
            load_permit: Semaphore::new(1),
        }
    }

    async fn run(&self, program: &Path, device: Device, url: &Url) -> Result<LabRun, LabError> {
        let limit = self.settings.traffic_limit;
        let user = process::browser_uid(&self.settings);
        let proxy = EgressProxy::start(Arc::clone(&self.crawler), limit, user).await;
        let proxy =
            proxy.map_err(|_| LabError::Browser("no free port for the egress proxy".to_owned()))?;
        let (browser, protocol) = Browser::guarded(program, &self.settings, proxy.port())?;
        let product_token = format!(
            "{}/{} (+{})",
            self.crawler.product, self.crawler.version, self.crawler.contact
        );
        let load = async {
            let visit =
                visit::Visit::prepare(protocol, &self.settings, device, &product_token).await;
            visit.map_err(as_startup_error)?.load(url.as_str()).await
        };
        let watched = async {
            tokio::select! {
                run = load => run,
                () = watch_limits(&browser, &proxy, self.settings.memory_limit) => Err(LabError::TooHeavy),
            }
        };
        let outcome = timeout(self.settings.run_limit, watched).await;
        let outcome = outcome.unwrap_or(Err(LabError::TimedOut));
        browser.end().await;
        outcome
    }
}

/// Returns when the browser exceeds its traffic or memory limit.
async fn watch_limits(browser: &Browser, proxy: &EgressProxy, memory_limit: u64) {
    while !proxy.is_exhausted() {
        let group = browser.group();
        let memory = tokio::task::spawn_blocking(move || process_list::group_memory(group)).await;
        if memory.is_ok_and(|it| it > memory_limit) {
            return;
        }
        sleep(WATCH_INTERVAL).await;
    }
}

/// A browser that exits before its first answer did not start at all.
fn as_startup_error(error: LabError) -> LabError {
    match error {
        LabError::Browser(reason) if reason == protocol::ProtocolError::Ended.to_string() => {
            NotConfigured {
                missing: "the browser does not start, most likely because its sandbox cannot be set up".to_owned(),
                remedy: "allow unprivileged user namespaces or install Debian's chromium-sandbox; for trusted pages only, disable the sandbox in the lab's settings".to_owned(),
            }
            .into()
        }
        other => other,
    }
}

#[async_trait]
impl LabVitals for LabRunner {
    fn missing(&self) -> Option<NotConfigured> {
        self.settings
            .missing("without it, only the files of a page are analyzed")
    }

    fn provider(&self) -> String {
        PROVIDER.to_owned()
    }

    async fn load(&self, order: &LabOrder) -> Result<LabMeasurement, LabError> {
        let program = self.settings.program();
        let program = match (program, self.missing()) {
            (Some(program), _) => program,
            (None, missing) => return Err(missing.map_or(LabError::Unreachable, Into::into)),
        };
        let device = Device::of(order.form_factor);
        let device = device.ok_or(LabError::Order("the form factor must be phone or desktop"))?;
        let url = Url::parse(&order.url)
            .map_err(|_| LabError::Order("the address is not a valid URL"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(LabError::Order("only http and https are loaded"));
        }
        vet_url(&url, &self.crawler).map_err(|_| LabError::Unreachable)?;
        let run_count = order.runs.unwrap_or(self.settings.runs).clamp(1, MAX_RUNS);
        let _load_permit = self.load_permit.acquire().await;
        let (mut runs, mut failures) = (Vec::new(), Vec::new());
        for number in 1..=run_count {
            let _host_permit = match &self.throttle_fetcher {
                Some(fetcher) => Some(fetcher.acquire_host_permit(&url).await),
                None => None,
            };
            match self.run(&program, device, &url).await {
                Ok(run) => runs.push(run),
                Err(error) => {
                    tracing::warn!(number, code = error.code(), "a page load failed");
                    let is_final = !error.is_retryable();
                    failures.push(error);
                    if runs.is_empty() && (is_final || failures.len() >= MAX_FAILURES) {
                        break;
                    }
                }
            }
        }
        if runs.is_empty() {
            // Every requested run has a result or an error.
            return Err(failures.pop().unwrap_or(LabError::TimedOut));
        }
        Ok(LabMeasurement {
            form_factor: order.form_factor,
            runs,
            requested_runs: run_count,
            provider: PROVIDER.to_owned(),
            provenance: Provenance::Measured,
        })
    }
}
