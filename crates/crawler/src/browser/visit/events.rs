use super::Visit;
use crate::browser::messages::{FrameNavigated, Lifecycle, TargetEvent};
use crate::browser::popups::close_popup;
use crate::browser::protocol::Event;
use domain::ports::page_speed::LabError;
use serde_json::json;
use tokio::time::Instant;

const MAX_SESSIONS: usize = 64;

impl Visit<'_> {
    /// Records an event, and answers those that block the page.
    pub(super) async fn handle_event(&mut self, event: Event) -> Result<(), LabError> {
        let text = event.params.get();
        let own = event.session.as_deref() == Some(&self.session);
        match event.method.as_str() {
            "Page.lifecycleEvent" if own => self.handle_lifecycle(text),
            "Page.frameNavigated" if own => self.handle_navigation(text),
            "Page.javascriptDialogOpening" => {
                // An open dialog blocks the page.
                let session = event.session.as_deref();
                let no = json!({"accept": false});
                self.protocol
                    .send(session, "Page.handleJavaScriptDialog", no)
                    .await?;
            }
            "Target.attachedToTarget" => self.attach_target(text).await?,
            "Target.targetCreated" => {
                close_popup(&mut self.protocol, text, &self.frame).await?;
            }
            "Inspector.targetCrashed" => return Err(LabError::TooHeavy),
            "Tracing.dataCollected" => self.trace.read(&event.params),
            "Tracing.tracingComplete" => self.is_trace_complete = true,
            _ => self.requests.record(&event),
        }
        Ok(())
    }

    fn handle_lifecycle(&mut self, text: &str) {
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

    /// After client-side redirects, the last document is measured.
    fn handle_navigation(&mut self, text: &str) {
        if let Ok(event) = serde_json::from_str::<FrameNavigated>(text)
            && event.frame.id == self.frame
            && event.frame.url.starts_with("http")
        {
            self.quiet.restart();
            self.requests.set_navigation(&event.frame.loader_id);
            self.final_url = event.frame.url;
        }
    }

    /// New frames and workers are paused until resumed; they get the page's network conditions.
    async fn attach_target(&mut self, text: &str) -> Result<(), LabError> {
        let Ok(event) = serde_json::from_str::<TargetEvent>(text) else {
            return Ok(());
        };
        let Some(session) = event.session_id.filter(|it| *it != self.session) else {
            return Ok(());
        };
        self.sessions += 1;
        let session = Some(session.as_str());
        if self.sessions <= MAX_SESSIONS {
            let listen =
                json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true});
            for (method, params) in [
                ("Network.enable", json!({})),
                ("Network.emulateNetworkConditions", self.device.network()),
                ("Target.setAutoAttach", listen),
            ] {
                self.protocol.send(session, method, params).await?;
            }
        }
        let go = "Runtime.runIfWaitingForDebugger";
        self.protocol.send(session, go, json!({})).await?;
        Ok(())
    }
}
