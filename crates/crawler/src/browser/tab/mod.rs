//! One page in a shared browser: opened in its own browser context, rendered until idle, read, closed.

mod events;
mod messages;

use super::protocol::{Event, Protocol, ProtocolError};
use super::requests::Requests;
use analysis::observation::{page_content::RenderFailure, page_url::normalize};
use messages::Context;
use serde_json::{Value, json};
use std::{collections::HashSet, time::Duration};
use tokio::time::{Instant, timeout};
use url::Url;

/// How long no request may be open before a page counts as idle.
const IDLE_PERIOD: Duration = Duration::from_secs(1);

const TICK: Duration = Duration::from_millis(100);

/// Time limit for reading the document.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Limits of a document, in elements and UTF-16 code units.
const MAX_ELEMENTS: usize = 200_000;
const MAX_UNITS: usize = 8 << 20;

/// Blocked resource types, which do not affect text.
const BLOCKED_RESOURCES: [&str; 3] = ["Image", "Media", "Font"];

/// Returns the document without `noscript`, `false` when too large. Prototype methods: form fields can shadow its
/// own.
const DOCUMENT: &str = r#"(() => {
  const all = (name) => Document.prototype.getElementsByTagName.call(document, name);
  const of = (kind, name, it) => Object.getOwnPropertyDescriptor(kind.prototype, name).get.call(it);
  if (all("*").length > MAX_ELEMENTS) return false;
  for (const it of Array.from(all("noscript"))) Element.prototype.remove.call(it);
  const type = of(Document, "doctype", document) ? "<!doctype html>" : "";
  const root = of(Document, "documentElement", document);
  const html = root ? of(Element, "outerHTML", root) : "";
  return html.length > MAX_UNITS ? false : type + html.toWellFormed();
})()"#;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedHtml {
    pub html: String,
    pub settled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderError {
    pub reason: RenderFailure,
    pub detail: Option<String>,
}

impl RenderError {
    /// Whether the browser must be replaced, because a hung or heavy page may keep it busy.
    pub const fn needs_new_browser(&self) -> bool {
        matches!(
            self.reason,
            RenderFailure::TimedOut | RenderFailure::TooHeavy | RenderFailure::BrowserFailed
        )
    }
}

impl From<RenderFailure> for RenderError {
    fn from(reason: RenderFailure) -> Self {
        Self {
            reason,
            detail: None,
        }
    }
}

impl From<ProtocolError> for RenderError {
    fn from(error: ProtocolError) -> Self {
        tracing::debug!(%error, "a page was not rendered");
        match error {
            // The page causes most of the browser's messages.
            ProtocolError::LimitExceeded => RenderFailure::TooHeavy.into(),
            _ => RenderFailure::BrowserFailed.into(),
        }
    }
}

pub struct Tab<'a> {
    protocol: &'a mut Protocol,
    agent: String,
    /// The page's normalized URL.
    target_url: String,
    context: String,
    /// Id of the target and of its main frame.
    frame: String,
    session: String,
    /// Sessions of the page, its frames and workers; others belong to closed pages.
    sessions: HashSet<String>,
    requests: Requests,
    loader: Option<String>,
    has_document: bool,
    is_loaded: bool,
    is_crashed: bool,
    other_url: Option<String>,
}

impl<'a> Tab<'a> {
    pub async fn open(
        protocol: &'a mut Protocol,
        agent: &str,
        url: &Url,
    ) -> Result<Self, ProtocolError> {
        let own = json!({"disposeOnDetach": true});
        let context: Context = protocol
            .call(None, "Target.createBrowserContext", own)
            .await?;
        let context = context.browser_context_id;
        let nothing = json!({"behavior": "deny", "browserContextId": context});
        protocol
            .execute(None, "Browser.setDownloadBehavior", nothing)
            .await?;
        let (frame, session) = protocol.open_page(Some(&context)).await?;
        let screen =
            json!({"mobile": false, "width": 1_350, "height": 940, "deviceScaleFactor": 1});
        let orders = [
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({"enabled": true})),
            ("Emulation.setDeviceMetricsOverride", screen),
        ];
        for (method, params) in orders.into_iter().chain(events::setup_commands(agent)) {
            protocol.execute(Some(&session), method, params).await?;
        }
        Ok(Self {
            protocol,
            agent: agent.to_owned(),
            target_url: normalize(url).0,
            context,
            frame,
            sessions: HashSet::from([session.clone()]),
            session,
            requests: Requests::default(),
            loader: None,
            has_document: false,
            is_loaded: false,
            is_crashed: false,
            other_url: None,
        })
    }

    /// Loads the page, waits until it is idle or `limit` is over, and returns its document.
    pub async fn render(&mut self, limit: Duration) -> Result<RenderedHtml, RenderError> {
        let until = Instant::now() + limit;
        let to = json!({"url": self.target_url});
        // `Page.navigate` answers only after events that must be answered first.
        self.protocol
            .send(Some(&self.session), "Page.navigate", to)
            .await?;
        let settled = self.wait(until).await?;
        self.check_page()?;
        if !self.has_document {
            return Err(RenderFailure::TimedOut.into());
        }
        let html = self.document().await?;
        // The page may have navigated meanwhile.
        self.check_page()?;
        Ok(RenderedHtml { html, settled })
    }

    pub async fn close(self) -> Result<(), RenderError> {
        let which = json!({"browserContextId": self.context});
        let closed = self
            .protocol
            .execute(None, "Target.disposeBrowserContext", which);
        match timeout(ANSWER_TIMEOUT, closed).await {
            Ok(closed) => Ok(closed?),
            Err(_) => Err(RenderFailure::TimedOut.into()),
        }
    }

    /// True when the page became idle, false when its time was over.
    async fn wait(&mut self, until: Instant) -> Result<bool, RenderError> {
        let mut resting = None;
        loop {
            let now = Instant::now();
            if now >= until {
                return Ok(false);
            }
            if let Some(event) = self.next((now + TICK).min(until)).await? {
                self.handle_event(event).await?;
            }
            self.check_page()?;
            if self.is_loaded && self.requests.open_count() == 0 {
                let since = *resting.get_or_insert(Instant::now());
                if since.elapsed() >= IDLE_PERIOD {
                    return Ok(true);
                }
            } else {
                resting = None;
            }
        }
    }

    async fn next(&mut self, until: Instant) -> Result<Option<Event>, ProtocolError> {
        let remaining = until.saturating_duration_since(Instant::now());
        match timeout(remaining, self.protocol.event()).await {
            Ok(event) => Ok(Some(event?)),
            Err(_) => Ok(None),
        }
    }

    /// Fails when the tab can no longer become the requested page.
    fn check_page(&self) -> Result<(), RenderError> {
        let failed = |reason, detail| Err(RenderError { reason, detail });
        if self.is_crashed {
            return failed(RenderFailure::TooHeavy, None);
        }
        if let Some(address) = &self.other_url {
            return failed(RenderFailure::LedElsewhere, Some(address.clone()));
        }
        let Some(page) = self.requests.document_requests().next_back() else {
            return Ok(());
        };
        match page.status {
            Some(status) if !(200..300).contains(&status) => {
                failed(RenderFailure::Status, Some(status.to_string()))
            }
            Some(_) if !page.media_type.contains("html") => failed(RenderFailure::NotHtml, None),
            // Includes connections that the proxy refused; the reason is not disclosed.
            _ if page.error.is_some() => failed(RenderFailure::Unreachable, None),
            _ => Ok(()),
        }
    }

    async fn document(&mut self) -> Result<String, RenderError> {
        let expression = DOCUMENT
            .replace("MAX_ELEMENTS", &MAX_ELEMENTS.to_string())
            .replace("MAX_UNITS", &MAX_UNITS.to_string());
        let evaluation = self
            .protocol
            .evaluate(&self.session, &self.frame, &expression);
        let answer = match timeout(ANSWER_TIMEOUT, evaluation).await {
            // The page is busy or keeps replacing its document.
            Err(_) | Ok(Err(ProtocolError::Refused { .. })) => {
                return Err(RenderFailure::TimedOut.into());
            }
            Ok(answer) => answer?,
        };
        match answer {
            Value::String(html) => Ok(html),
            Value::Bool(_) => Err(RenderFailure::TooHeavy.into()),
            _ => Err(RenderFailure::BrowserFailed.into()),
        }
    }
}
