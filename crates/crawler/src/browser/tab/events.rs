use super::messages::{RequestPaused, RequestWillBeSent};
use super::{BLOCKED_RESOURCES, Tab};
use crate::browser::messages::{FrameNavigated, Lifecycle, TargetEvent};
use crate::browser::popups::close_popup;
use crate::browser::protocol::{Event, ProtocolError};
use analysis::{observation::page_url::normalize, text::words::shortened};
use serde_json::{Value, json};
use url::Url;

const MAX_SESSIONS: usize = 64;

const MAX_URL: usize = 2_048;

pub(super) fn setup_commands(agent: &str) -> Vec<(&'static str, Value)> {
    let stops = BLOCKED_RESOURCES.iter().chain(["Document"].iter());
    let stops: Vec<Value> = stops.map(|it| json!({"resourceType": it})).collect();
    let attach = json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true});
    let small = json!({"maxTotalBufferSize": 1 << 20, "maxResourceBufferSize": 1 << 18});
    vec![
        ("Network.enable", small),
        ("Network.setUserAgentOverride", json!({"userAgent": agent})),
        ("Network.setCacheDisabled", json!({"cacheDisabled": true})),
        ("Fetch.enable", json!({"patterns": stops})),
        ("Target.setAutoAttach", attach),
    ]
}

impl Tab<'_> {
    /// Records an event, and answers those that block the page.
    pub(super) async fn handle_event(&mut self, event: Event) -> Result<(), ProtocolError> {
        let text = event.params.get();
        let session = event.session.clone().unwrap_or_default();
        let is_of_page = session == self.session;
        if event.method == "Target.targetCreated" {
            return close_popup(self.protocol, text, &self.frame).await;
        }
        if !self.sessions.contains(&session) {
            return Ok(());
        }
        match event.method.as_str() {
            "Page.lifecycleEvent" if is_of_page => self.handle_lifecycle(text),
            "Page.frameNavigated" if is_of_page => self.handle_navigation(text),
            "Page.javascriptDialogOpening" => {
                // An open dialog blocks the page.
                let no = json!({"accept": false});
                self.protocol
                    .send(Some(&session), "Page.handleJavaScriptDialog", no)
                    .await?;
            }
            "Fetch.requestPaused" => self.answer_paused_request(&session, text).await?,
            "Target.attachedToTarget" => self.attach_target(text).await?,
            "Inspector.targetCrashed" if is_of_page => self.is_crashed = true,
            _ => {
                self.requests.record(&event);
                if is_of_page && event.method == "Network.requestWillBeSent" {
                    self.handle_request(text);
                }
            }
        }
        Ok(())
    }

    /// A document request of the main frame has its loader's id.
    fn handle_request(&mut self, text: &str) {
        if let Ok(sent) = serde_json::from_str::<RequestWillBeSent>(text)
            && sent.frame_id.as_deref() == Some(&self.frame)
            && sent.request_id == sent.loader_id
        {
            self.requests.set_navigation(&sent.loader_id);
        }
    }

    fn handle_lifecycle(&mut self, text: &str) {
        if let Ok(event) = serde_json::from_str::<Lifecycle>(text)
            && event.frame_id == self.frame
            && event.name == "load"
            && Some(&event.loader_id) == self.loader.as_ref()
        {
            self.is_loaded = true;
        }
    }

    /// The main frame starts a new document.
    fn handle_navigation(&mut self, text: &str) {
        let Ok(event) = serde_json::from_str::<FrameNavigated>(text) else {
            return;
        };
        if event.frame.id == self.frame && event.frame.url.starts_with("http") {
            self.is_loaded = false;
            self.has_document = event.frame.unreachable_url.is_none();
            self.loader = Some(event.frame.loader_id);
            // Navigations without a request bypass interception.
            if !self.is_target_url(&event.frame.url) {
                self.other_url = Some(shortened(&event.frame.url, MAX_URL).to_owned());
            }
        }
    }

    fn is_target_url(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|it| normalize(&it).0 == self.target_url)
    }

    /// Blocks images, media and fonts, and navigation to another page, which may be forbidden.
    async fn answer_paused_request(
        &mut self,
        session: &str,
        text: &str,
    ) -> Result<(), ProtocolError> {
        let Ok(paused) = serde_json::from_str::<RequestPaused>(text) else {
            return Ok(());
        };
        let which = &paused.request_id;
        let is_page = paused.resource_type == "Document" && paused.frame_id == self.frame;
        let refused = if is_page && !self.is_target_url(&paused.request.url) {
            let address = shortened(&paused.request.url, MAX_URL).to_owned();
            self.other_url.get_or_insert(address);
            Some("Aborted")
        } else if BLOCKED_RESOURCES.contains(&paused.resource_type.as_str()) {
            Some("BlockedByClient")
        } else {
            None
        };
        let (method, params) = match refused {
            Some(reason) => (
                "Fetch.failRequest",
                json!({"requestId": which, "errorReason": reason}),
            ),
            None => ("Fetch.continueRequest", json!({"requestId": which})),
        };
        self.protocol.send(Some(session), method, params).await?;
        Ok(())
    }

    /// New frames and workers are paused until resumed here.
    async fn attach_target(&mut self, text: &str) -> Result<(), ProtocolError> {
        let Ok(event) = serde_json::from_str::<TargetEvent>(text) else {
            return Ok(());
        };
        let Some(session) = event.session_id.filter(|it| *it != self.session) else {
            return Ok(());
        };
        let is_listened_to = self.sessions.len() < MAX_SESSIONS;
        if is_listened_to {
            for (method, params) in setup_commands(&self.agent) {
                self.protocol.send(Some(&session), method, params).await?;
            }
        }
        let go = "Runtime.runIfWaitingForDebugger";
        self.protocol.send(Some(&session), go, json!({})).await?;
        if is_listened_to {
            self.sessions.insert(session);
        }
        Ok(())
    }
}
