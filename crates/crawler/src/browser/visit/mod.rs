//! One load of one page: set up, navigate, wait until quiet, read the observers, compute the metrics.

mod commands;
mod events;
mod messages;

pub use commands::gzip_size;

use super::device::Device;
use super::protocol::{Event, ISOLATED_WORLD, Protocol, ProtocolError};
use super::quiet::Quiet;
use super::requests::Requests;
use super::run::RunInputs;
use super::settings::BrowserSettings;
use super::trace::{CATEGORIES, Trace};
use analysis::observation::vitals::LabRun;
use domain::ports::page_speed::LabError;
use messages::{Navigated, Version};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout};

const OBSERVERS: &str = include_str!("../page.js");

/// The page was measured although it never became quiet.
const LOAD_TIMED_OUT: &str = "loadTimedOut";

const TICK: Duration = Duration::from_millis(100);

pub struct Visit<'a> {
    protocol: Protocol,
    settings: &'a BrowserSettings,
    device: Device,
    session: String,
    frame: String,
    requests: Requests,
    quiet: Quiet,
    trace: Trace,
    sessions: usize,
    final_url: String,
    is_trace_complete: bool,
    warnings: Vec<String>,
}

impl From<ProtocolError> for LabError {
    fn from(error: ProtocolError) -> Self {
        match error {
            // The page causes most of the browser's messages.
            ProtocolError::LimitExceeded => Self::TooHeavy,
            other => Self::Browser(other.to_string()),
        }
    }
}

impl<'a> Visit<'a> {
    pub async fn prepare(
        mut protocol: Protocol,
        settings: &'a BrowserSettings,
        device: Device,
        product_token: &str,
    ) -> Result<Self, LabError> {
        let version: Version = protocol.call(None, "Browser.getVersion", json!({})).await?;
        let chrome = version.product.split('/').nth(1).unwrap_or_default();
        let nothing = json!({"behavior": "deny"});
        protocol
            .execute(None, "Browser.setDownloadBehavior", nothing)
            .await?;
        // The main frame has the target's id.
        let (frame, session) = protocol.open_page(None).await?;
        let orders = [
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({"enabled": true})),
            (
                "Network.enable",
                json!({"maxTotalBufferSize": 64 << 20, "maxResourceBufferSize": 8 << 20}),
            ),
            ("Emulation.setDeviceMetricsOverride", device.screen()),
            ("Emulation.setTouchEmulationEnabled", device.touch()),
            (
                "Network.setUserAgentOverride",
                device.user_agent(chrome, product_token),
            ),
            ("Network.emulateNetworkConditions", device.network()),
            ("Emulation.setCPUThrottlingRate", device.processor()),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source": OBSERVERS, "worldName": ISOLATED_WORLD}),
            ),
            (
                "Target.setAutoAttach",
                json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}),
            ),
        ];
        for (method, params) in orders {
            protocol.execute(Some(&session), method, params).await?;
        }
        protocol
            .execute(None, "Target.setDiscoverTargets", json!({"discover": true}))
            .await?;
        Ok(Self {
            protocol,
            settings,
            device,
            session,
            trace: Trace::of_frame(&frame),
            frame,
            requests: Requests::default(),
            quiet: Quiet::default(),
            sessions: 0,
            final_url: String::new(),
            is_trace_complete: false,
            warnings: Vec::new(),
        })
    }

    pub async fn load(mut self, url: &str) -> Result<LabRun, LabError> {
        self.wait_for_startup().await?;
        let trace_params = json!({
            "transferMode": "ReportEvents",
            "traceConfig": {
                "recordMode": "recordUntilFull",
                "traceBufferSizeInKb": 200 * 1024,
                "includedCategories": CATEGORIES,
                "excludedCategories": ["*"],
            },
        });
        self.execute("Tracing.start", trace_params).await?;
        self.navigate(url).await?;
        self.wait().await?;
        let seen = self.read_observers().await;
        self.end_trace().await?;
        self.check_response()?;
        let gzip = self.gzip_sizes().await;
        let load = self.trace.load();
        let load =
            load.ok_or_else(|| LabError::Browser("its trace has no navigation".to_owned()))?;
        let witnesses = RunInputs {
            final_url: self.final_url,
            load,
            resources: self.requests.facts(&gzip),
            requests: &self.requests,
            observed: seen,
            warnings: self.warnings,
        };
        Ok(witnesses.into_run())
    }

    async fn execute(&mut self, method: &str, params: Value) -> Result<(), LabError> {
        Ok(self
            .protocol
            .execute(Some(&self.session), method, params)
            .await?)
    }

    /// Waits until the blank page is loaded and the browser has finished starting.
    async fn wait_for_startup(&mut self) -> Result<(), LabError> {
        let until = Instant::now() + self.settings.warm_up;
        while let Some(event) = self.next(until).await? {
            self.handle_event(event).await?;
        }
        self.quiet.restart();
        Ok(())
    }

    async fn navigate(&mut self, url: &str) -> Result<(), LabError> {
        let to = json!({"url": url});
        let session = Some(self.session.as_str());
        let navigated: Navigated = self.protocol.call(session, "Page.navigate", to).await?;
        if let Some(loader) = &navigated.loader_id {
            self.requests.set_navigation(loader);
        }
        if navigated.is_download == Some(true) {
            return Err(LabError::NotHtml);
        }
        match navigated.error_text.as_deref() {
            None | Some("") => Ok(()),
            Some("net::ERR_TIMED_OUT" | "net::ERR_CONNECTION_TIMED_OUT") => Err(LabError::TimedOut),
            // Includes connections that the proxy refused; the reason is not disclosed.
            Some(_) => Err(LabError::Unreachable),
        }
    }

    /// Waits until the page has been quiet for long enough, or until the load limit.
    async fn wait(&mut self) -> Result<(), LabError> {
        let limit = Instant::now() + self.settings.load_limit;
        while Instant::now() < limit {
            let tick = (Instant::now() + TICK).min(limit);
            if let Some(event) = self.next(tick).await? {
                self.handle_event(event).await?;
            }
            let now = Instant::now();
            self.quiet.requests(self.requests.open_count(), now);
            if self.quiet.has_lasted(self.settings.quiet, now) {
                match self.idle_for().await {
                    Some(idle) if idle < self.settings.quiet => {
                        let rest = self.settings.quiet.saturating_sub(idle);
                        let until = (now + rest).min(limit);
                        while let Some(event) = self.next(until).await? {
                            self.handle_event(event).await?;
                        }
                    }
                    Some(_) => return Ok(()),
                    None => break,
                }
            }
        }
        self.warnings.push(LOAD_TIMED_OUT.to_owned());
        Ok(())
    }

    async fn next(&mut self, until: Instant) -> Result<Option<Event>, LabError> {
        let remaining = until.saturating_duration_since(Instant::now());
        match timeout(remaining, self.protocol.event()).await {
            Ok(event) => Ok(Some(event?)),
            Err(_) => Ok(None),
        }
    }

    async fn end_trace(&mut self) -> Result<(), LabError> {
        self.execute("Tracing.end", json!({})).await?;
        while !self.is_trace_complete {
            let event = self.protocol.event().await?;
            self.handle_event(event).await?;
        }
        Ok(())
    }

    /// An error page is not measured.
    fn check_response(&self) -> Result<(), LabError> {
        let page = self.requests.document_requests().next_back();
        let status = page.and_then(|it| it.status);
        match (page, status) {
            (_, Some(status)) if status >= 400 => Err(LabError::Status(status)),
            (Some(page), Some(_)) if !page.media_type.contains("html") => Err(LabError::NotHtml),
            (Some(page), None) if page.error.is_some() => Err(LabError::Unreachable),
            _ => Ok(()),
        }
    }
}
