//! One load of one page: set up, navigate, wait until it is quiet, ask, and take the figures.

use super::{
    device::Device,
    protocol::{Event, Protocol, ProtocolError},
    quiet::Quiet,
    requests::{Request, Requests},
    run::{Seen, Witnesses},
    settings::LabSettings,
    trace::{CATEGORIES, Trace},
};
use analysis::observation::vitals::LabRun;
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::ports::page_speed::LabError;
use flate2::{Compression, write::GzEncoder};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{collections::HashMap, io::Write, time::Duration};
use tokio::time::{Instant, timeout};

/// The script that looks from inside the page, and the world it looks from.
const OBSERVERS: &str = include_str!("page.js");
const WORLD: &str = "sightline";

/// The page was measured although it never became quiet.
const LOAD_TIMED_OUT: &str = "loadTimedOut";

/// How often to look whether it is quiet when nothing happens.
const TICK: Duration = Duration::from_millis(100);

/// How long the page's observers may take to answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// Files whose gzip size is tried, and the longest of them, bytes.
const MOST_COMPRESSED: usize = 20;
const LONGEST_COMPRESSED: usize = 4 * 1024 * 1024;

/// Frames and workers of a page that are listened to.
const MOST_SESSIONS: usize = 64;

/// A page being loaded.
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

#[derive(Deserialize)]
struct Version {
    product: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigated {
    loader_id: Option<String>,
    error_text: Option<String>,
    is_download: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    execution_context_id: i64,
}

#[derive(Deserialize)]
struct Evaluated {
    result: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseBody {
    body: String,
    base64_encoded: bool,
}

#[derive(Deserialize)]
struct FrameNavigated {
    frame: Frame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    id: String,
    loader_id: String,
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    frame_id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetEvent {
    session_id: Option<String>,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
}

impl From<ProtocolError> for LabError {
    fn from(error: ProtocolError) -> Self {
        Self::Browser(error.to_string())
    }
}

impl<'a> Visit<'a> {
    /// Opens a page of that device, with everything that listens in place.
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
        let blank = json!({"url": "about:blank"});
        let page: Created = protocol.ask(None, "Target.createTarget", blank).await?;
        let attach = json!({"targetId": page.target_id, "flatten": true});
        let attached: Attached = protocol.ask(None, "Target.attachToTarget", attach).await?;
        let session = Some(attached.session_id.as_str());
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
            protocol.order(session, method, params).await?;
        }
        protocol
            .order(None, "Target.setDiscoverTargets", json!({"discover": true}))
            .await?;
        Ok(Self {
            protocol,
            settings,
            device,
            session: attached.session_id,
            // The main frame of a page has the page's id.
            trace: Trace::of_frame(&page.target_id),
            frame: page.target_id,
            requests: Requests::default(),
            quiet: Quiet::default(),
            sessions: 0,
            final_url: String::new(),
            traced: false,
            warnings: Vec::new(),
        })
    }

    /// Loads the page and takes the figures.
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

    /// Waits until the blank page is there and the browser is done starting.
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
            // Among others what the gate refuses: the difference is nobody's business.
            Some(_) => Err(LabError::Unreachable),
        }
    }

    /// Listens until everything has been quiet for long enough, or for as long as a page may take.
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

    async fn hear(&mut self, event: Event) -> Result<(), LabError> {
        let text = event.params.get();
        let own = event.session.as_deref() == Some(&self.session);
        match event.method.as_str() {
            "Page.lifecycleEvent" if own => self.hear_lifecycle(text),
            "Page.frameNavigated" if own => self.hear_navigation(text),
            "Page.javascriptDialogOpening" => {
                // A dialog would hold the page for ever.
                let session = event.session.as_deref();
                let no = json!({"accept": false});
                self.protocol
                    .tell(session, "Page.handleJavaScriptDialog", no)
                    .await?;
            }
            "Target.attachedToTarget" => self.listen_to(text).await?,
            "Target.targetCreated" => self.close_popup(text).await?,
            "Inspector.targetCrashed" => return Err(LabError::TooHeavy),
            "Tracing.dataCollected" => self.trace.read(&event.params),
            "Tracing.tracingComplete" => self.traced = true,
            _ => self.requests.note(&event),
        }
        Ok(())
    }

    fn hear_lifecycle(&mut self, text: &str) {
        let Ok(event) = serde_json::from_str::<Lifecycle>(text) else {
            return;
        };
        if event.frame_id == self.frame {
            match event.name.as_str() {
                "load" => self.quiet.loaded(Instant::now()),
                "firstContentfulPaint" => self.quiet.painted(Instant::now()),
                _ => {}
            }
        }
    }

    /// A page may go elsewhere by itself; what counts is where it stays.
    fn hear_navigation(&mut self, text: &str) {
        if let Ok(event) = serde_json::from_str::<FrameNavigated>(text)
            && event.frame.id == self.frame
            && event.frame.url.starts_with("http")
        {
            self.quiet.restart();
            self.requests.navigation(&event.frame.loader_id);
            self.final_url = event.frame.url;
        }
    }

    /// A frame or a worker of the page waits until somebody listens; it has the page's network.
    async fn listen_to(&mut self, text: &str) -> Result<(), LabError> {
        let Ok(event) = serde_json::from_str::<TargetEvent>(text) else {
            return Ok(());
        };
        let Some(session) = event.session_id.filter(|it| *it != self.session) else {
            return Ok(());
        };
        self.sessions += 1;
        let session = Some(session.as_str());
        if self.sessions <= MOST_SESSIONS {
            let listen =
                json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true});
            for (method, params) in [
                ("Network.enable", json!({})),
                ("Network.emulateNetworkConditions", self.device.network()),
                ("Target.setAutoAttach", listen),
            ] {
                self.protocol.tell(session, method, params).await?;
            }
        }
        let go = "Runtime.runIfWaitingForDebugger";
        self.protocol.tell(session, go, json!({})).await?;
        Ok(())
    }

    /// No page opens another.
    async fn close_popup(&mut self, text: &str) -> Result<(), LabError> {
        if let Ok(event) = serde_json::from_str::<TargetEvent>(text)
            && event.target_info.kind == "page"
            && event.target_info.target_id != self.frame
        {
            let which = json!({"targetId": event.target_info.target_id});
            self.protocol
                .tell(None, "Target.closeTarget", which)
                .await?;
        }
        Ok(())
    }

    /// Evaluates in the observers' world; `None` when the page does not answer in time.
    async fn evaluate(&mut self, expression: &str) -> Option<Value> {
        let session = self.session.clone();
        let asked = async {
            let world = json!({"frameId": self.frame, "worldName": WORLD});
            let world: World = self
                .protocol
                .ask(Some(&session), "Page.createIsolatedWorld", world)
                .await?;
            let what = json!({
                "contextId": world.execution_context_id,
                "expression": expression,
                "returnByValue": true,
            });
            let answer = self.protocol.ask(Some(&session), "Runtime.evaluate", what);
            let answer: Evaluated = answer.await?;
            Ok::<Value, ProtocolError>(answer.result["value"].clone())
        };
        timeout(ANSWER_LIMIT, asked).await.ok()?.ok()
    }

    /// For how long no task was long; `None` when the page does not answer.
    async fn idle_for(&mut self) -> Option<Duration> {
        let idle = self.evaluate("sightline.idleFor()").await?.as_f64()?;
        Some(Duration::from_secs_f64(
            (idle / 1_000.0).clamp(0.0, 3_600.0),
        ))
    }

    async fn ask_the_page(&mut self) -> Option<Seen> {
        let told = self.evaluate("sightline.tell()").await?;
        serde_json::from_str(told.as_str()?).ok()
    }

    async fn end_trace(&mut self) -> Result<(), LabError> {
        self.order("Tracing.end", json!({})).await?;
        while !self.traced {
            let event = self.protocol.event().await?;
            self.hear(event).await?;
        }
        Ok(())
    }

    /// An error page is not the page.
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

    /// How long the largest uncompressed texts would be as gzip.
    async fn compress(&mut self) -> HashMap<(Option<String>, String), u64> {
        let texts: Vec<Request> = self
            .requests
            .compressible()
            .take(MOST_COMPRESSED)
            .cloned()
            .collect();
        let mut sizes = HashMap::new();
        for text in texts {
            let which = json!({"requestId": text.id});
            let session = text.session.as_deref();
            let asked = self.protocol.ask(session, "Network.getResponseBody", which);
            // A body that was let go is not tried.
            let Ok(Ok::<ResponseBody, _>(answer)) = timeout(ANSWER_LIMIT, asked).await else {
                continue;
            };
            let bytes = if answer.base64_encoded {
                STANDARD.decode(&answer.body).unwrap_or_default()
            } else {
                answer.body.into_bytes()
            };
            if (1..=LONGEST_COMPRESSED).contains(&bytes.len()) {
                sizes.insert((text.session, text.id), gzip_size(&bytes));
            }
        }
        sizes
    }
}

/// The length as gzip at its usual level.
pub fn gzip_size(bytes: &[u8]) -> u64 {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes);
    written
        .and_then(|()| encoder.finish())
        .map_or(0, |it| it.len() as u64)
}
