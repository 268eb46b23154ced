use super::messages::{Paused, Sent};
use super::{Tab, WITHHELD};
use crate::browser::messages::{FrameNavigated, Lifecycle, TargetEvent};
use crate::browser::popups::close_popup;
use crate::browser::protocol::{Event, ProtocolError};
use analysis::{observation::page_url::normalise, text::words::shortened};
use serde_json::{Value, json};
use url::Url;

const MOST_SESSIONS: usize = 64;

const MOST_ADDRESS: usize = 2_048;

pub(super) fn listening(agent: &str) -> Vec<(&'static str, Value)> {
    let stops = WITHHELD.iter().chain(["Document"].iter());
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
    pub(super) async fn hear(&mut self, event: Event) -> Result<(), ProtocolError> {
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
            "Page.lifecycleEvent" if is_of_page => self.hear_lifecycle(text),
            "Page.frameNavigated" if is_of_page => self.hear_navigation(text),
            "Page.javascriptDialogOpening" => {
                // An open dialog blocks the page.
                let no = json!({"accept": false});
                self.protocol
                    .tell(Some(&session), "Page.handleJavaScriptDialog", no)
                    .await?;
            }
            "Fetch.requestPaused" => self.answer(&session, text).await?,
            "Target.attachedToTarget" => self.listen_to(text).await?,
            "Inspector.targetCrashed" if is_of_page => self.is_crashed = true,
            _ => {
                self.requests.note(&event);
                if is_of_page && event.method == "Network.requestWillBeSent" {
                    self.hear_request(text);
                }
            }
        }
        Ok(())
    }

    /// A document request of the main frame has its loader's id.
    fn hear_request(&mut self, text: &str) {
        if let Ok(sent) = serde_json::from_str::<Sent>(text)
            && sent.frame_id.as_deref() == Some(&self.frame)
            && sent.request_id == sent.loader_id
        {
            self.requests.navigation(&sent.loader_id);
        }
    }

    fn hear_lifecycle(&mut self, text: &str) {
        if let Ok(event) = serde_json::from_str::<Lifecycle>(text)
            && event.frame_id == self.frame
            && event.name == "load"
            && Some(&event.loader_id) == self.loader.as_ref()
        {
            self.is_loaded = true;
        }
    }

    /// The main frame starts a new document.
    fn hear_navigation(&mut self, text: &str) {
        let Ok(event) = serde_json::from_str::<FrameNavigated>(text) else {
            return;
        };
        if event.frame.id == self.frame && event.frame.url.starts_with("http") {
            self.is_loaded = false;
            self.is_there = event.frame.unreachable_url.is_none();
            self.loader = Some(event.frame.loader_id);
            // Navigations without a request bypass interception.
            if !self.is_wanted(&event.frame.url) {
                self.elsewhere = Some(shortened(&event.frame.url, MOST_ADDRESS).to_owned());
            }
        }
    }

    fn is_wanted(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|it| normalise(&it).0 == self.wanted)
    }

    /// Blocks images, media and fonts, and navigation to another page, which may be forbidden.
    async fn answer(&mut self, session: &str, text: &str) -> Result<(), ProtocolError> {
        let Ok(paused) = serde_json::from_str::<Paused>(text) else {
            return Ok(());
        };
        let which = &paused.request_id;
        let is_page = paused.resource_type == "Document" && paused.frame_id == self.frame;
        let refused = if is_page && !self.is_wanted(&paused.request.url) {
            let address = shortened(&paused.request.url, MOST_ADDRESS).to_owned();
            self.elsewhere.get_or_insert(address);
            Some("Aborted")
        } else if WITHHELD.contains(&paused.resource_type.as_str()) {
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
        self.protocol.tell(Some(session), method, params).await?;
        Ok(())
    }

    /// New frames and workers are paused until resumed here.
    async fn listen_to(&mut self, text: &str) -> Result<(), ProtocolError> {
        let Ok(event) = serde_json::from_str::<TargetEvent>(text) else {
            return Ok(());
        };
        let Some(session) = event.session_id.filter(|it| *it != self.session) else {
            return Ok(());
        };
        let is_listened_to = self.sessions.len() < MOST_SESSIONS;
        if is_listened_to {
            for (method, params) in listening(&self.agent) {
                self.protocol.tell(Some(&session), method, params).await?;
            }
        }
        let go = "Runtime.runIfWaitingForDebugger";
        self.protocol.tell(Some(&session), go, json!({})).await?;
        if is_listened_to {
            self.sessions.insert(session);
        }
        Ok(())
    }
}
