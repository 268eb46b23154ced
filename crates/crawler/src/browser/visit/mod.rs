//! One load of one page: set up, navigate, wait until quiet, read the observers, compute the metrics.

mod commands;
mod events;
mod messages;

pub use commands::gzip_size;

use super::device::Device;
use super::protocol::{Event, Protocol, ProtocolError, WORLD};
use super::quiet::Quiet;
use super::requests::Requests;
use super::run::Witnesses;
use super::settings::LabSettings;
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
    settings: &'a LabSettings,
    device: Device,
    session: String,
    frame: String,
    requests: Requests,
    quiet: Quiet,
    trace: Trace,
    sessions: usize,
    final_url: String,
    traced: bool,
    warnings: Vec<String>,
}

impl From<ProtocolError> for LabError {
    fn from(error: ProtocolError) -> Self {
        match error {
            // The page causes most of the browser's messages.
            ProtocolError::TooMuch => Self::TooHeavy,
            other => Self::Browser(other.to_string()),
        }
    }
}

impl<'a> Visit<'a> {
    pub async fn prepare(
        mut protocol: Protocol,
        settings: &'a LabSettings,
        device: Device,
        ours: &str,
    ) -> Result<Self, LabError> {
        let version: Version = protocol.ask(None, "Browser.getVersion", json!({})).await?;
        let chrome = version.product.split('/').nth(1).unwrap_or_default();
        let nothing = json!({"behavior": "deny"});
        protocol
            .order(None, "Browser.setDownloadBehavior", nothing)
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
                device.user_agent(chrome, ours),
            ),
            ("Network.emulateNetworkConditions", device.network()),
            ("Emulation.setCPUThrottlingRate", device.processor()),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source": OBSERVERS, "worldName": WORLD}),
            ),
            (
                "Target.setAutoAttach",
                json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}),
            ),
        ];
        for (method, params) in orders {
            protocol.order(Some(&session), method, params).await?;
        }
        protocol
            .order(None, "Target.setDiscoverTargets", json!({"discover": true}))
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
            traced: false,
            warnings: Vec::new(),
        })
    }

    pub async fn load(mut self, url: &str) -> Result<LabRun, LabError> {
        self.settle().await?;
        let what = json!({
            "transferMode": "ReportEvents",
            "traceConfig": {
                "recordMode": "recordUntilFull",
                "traceBufferSizeInKb": 200 * 1024,
                "includedCategories": CATEGORIES,
                "excludedCategories": ["*"],
            },
        });
        self.order("Tracing.start", what).await?;
        self.navigate(url).await?;
        self.wait().await?;
        let seen = self.ask_the_page().await;
        self.end_trace().await?;
        self.judge_the_page()?;
        let gzip = self.compress().await;
        let load = self.trace.load();
        let load =
            load.ok_or_else(|| LabError::Browser("its trace has no navigation".to_owned()))?;
        let witnesses = Witnesses {
            final_url: self.final_url,
            load,
            resources: self.requests.facts(&gzip),
            requests: &self.requests,
            seen,
            warnings: self.warnings,
        };
        Ok(witnesses.conclude())
    }

    async fn order(&mut self, method: &str, params: Value) -> Result<(), LabError> {
        Ok(self
            .protocol
            .order(Some(&self.session), method, params)
            .await?)
    }

    /// Waits until the blank page is loaded and the browser has finished starting.
    async fn settle(&mut self) -> Result<(), LabError> {
        let until = Instant::now() + self.settings.settling;
        while let Some(event) = self.next(until).await? {
            self.hear(event).await?;
        }
        self.quiet.restart();
        Ok(())
    }

    async fn navigate(&mut self, url: &str) -> Result<(), LabError> {
        let to = json!({"url": url});
        let session = Some(self.session.as_str());
        let navigated: Navigated = self.protocol.ask(session, "Page.navigate", to).await?;
        if let Some(loader) = &navigated.loader_id {
            self.requests.navigation(loader);
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
                self.hear(event).await?;
            }
            let now = Instant::now();
            self.quiet.requests(self.requests.under_way(), now);
            if self.quiet.has_lasted(self.settings.quiet, now) {
                match self.idle_for().await {
                    Some(idle) if idle < self.settings.quiet => {
                        let rest = self.settings.quiet.saturating_sub(idle);
                        let until = (now + rest).min(limit);
                        while let Some(event) = self.next(until).await? {
                            self.hear(event).await?;
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
        let patience = until.saturating_duration_since(Instant::now());
        match timeout(patience, self.protocol.event()).await {
            Ok(event) => Ok(Some(event?)),
            Err(_) => Ok(None),
        }
    }

    async fn end_trace(&mut self) -> Result<(), LabError> {
        self.order("Tracing.end", json!({})).await?;
        while !self.traced {
            let event = self.protocol.event().await?;
            self.hear(event).await?;
        }
        Ok(())
    }

    /// An error page is not measured.
    fn judge_the_page(&self) -> Result<(), LabError> {
        let page = self.requests.page().next_back();
        let status = page.and_then(|it| it.status);
        match (page, status) {
            (_, Some(status)) if status >= 400 => Err(LabError::Status(status)),
            (Some(page), Some(_)) if !page.media_type.contains("html") => Err(LabError::NotHtml),
            (Some(page), None) if page.error.is_some() => Err(LabError::Unreachable),
            _ => Ok(()),
        }
    }
}
