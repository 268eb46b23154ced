//! Events of a tab: errors, policy violations, requests, dialogs.

use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The binding through which the watcher script reports policy violations.
pub const BINDING: &str = "tellTheTest";

/// A request of a page.
#[derive(Debug, Clone)]
pub struct SentRequest {
    /// `GET`, `POST` …
    pub method: String,
    pub url: String,
    /// Status of the response; `None` before it arrives.
    pub status: Option<u64>,
    /// Resource type: `Document`, `Fetch`, `Image` …
    pub kind: String,
    /// Encoded bytes including headers; `None` until loading finishes.
    pub bytes: Option<u64>,
    /// Request headers known so far, in lower case.
    pub headers: HashMap<String, String>,
    id: String,
    /// The loader id of the document.
    loader: String,
    is_pending: bool,
}

#[derive(Default)]
struct EventLog {
    errors: Vec<String>,
    dialogs: Vec<String>,
    requests: Vec<SentRequest>,
    /// The loader id of the displayed document.
    loader: String,
    declines_dialogs: bool,
}

/// Events of a tab and its frames.
#[derive(Default)]
pub struct TabEvents {
    log: Mutex<EventLog>,
}

impl TabEvents {
    fn log(&self) -> MutexGuard<'_, EventLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn errors(&self) -> Vec<String> {
        self.log().errors.clone()
    }

    /// Removes the first error that contains the text; returns whether there was one.
    pub fn take_error(&self, words: &str) -> bool {
        let mut log = self.log();
        let at = log.errors.iter().position(|it| it.contains(words));
        at.map(|at| log.errors.remove(at)).is_some()
    }

    /// Messages of dialogs so far.
    pub fn dialogs(&self) -> Vec<String> {
        self.log().dialogs.clone()
    }

    /// Whether dialogs are accepted from now on.
    pub fn answer_dialogs(&self, yes: bool) {
        self.log().declines_dialogs = !yes;
    }

    pub fn requests(&self) -> Vec<SentRequest> {
        self.log().requests.clone()
    }

    /// Whether no request of the displayed page is pending. Requests of an earlier page may never be reported as
    /// finished.
    pub fn is_quiet(&self) -> bool {
        let log = self.log();
        !{ log.requests.iter() }.any(|it| it.is_pending && it.loader == log.loader)
    }

    /// Records an event; returns a command to send at once.
    pub fn record(&self, method: &str, params: &Value) -> Option<(&'static str, Value)> {
        let mut log = self.log();
        match method {
            "Runtime.consoleAPICalled" => {
                let kind = params["type"].as_str().unwrap_or_default();
                if ["error", "warning", "assert"].contains(&kind) {
                    log.errors
                        .push(format!("console {kind}: {}", params["args"]));
                }
            }
            "Runtime.exceptionThrown" => {
                let details = &params["exceptionDetails"];
                let words = details["exception"]["description"].as_str();
                let words = words.or_else(|| details["text"].as_str());
                log.errors
                    .push(format!("exception: {}", words.unwrap_or_default()));
            }
            "Runtime.bindingCalled" if params["name"] == BINDING => {
                log.errors
                    .push(format!("refused by policy: {}", text(&params["payload"])));
            }
            "Log.entryAdded" => {
                let entry = &params["entry"];
                // The browser requests an icon if the response is not a page.
                let is_icon = text(&entry["url"]).ends_with("/favicon.ico");
                let is_bad = entry["level"] == "error" || entry["source"] == "security";
                if is_bad && !is_icon {
                    let (source, words) = (text(&entry["source"]), text(&entry["text"]));
                    let url = text(&entry["url"]);
                    log.errors.push(format!("log {source}: {words} ({url})"));
                }
            }
            "Page.frameNavigated" if params["frame"]["parentId"].is_null() => {
                log.loader = text(&params["frame"]["loaderId"]);
            }
            "Page.javascriptDialogOpening" => {
                let words = text(&params["message"]);
                if params["type"] == "alert" {
                    // Our pages use no alert: an injected script ran.
                    log.errors.push(format!("alert: {words}"));
                }
                log.dialogs.push(words);
                let accept = json!({ "accept": !log.declines_dialogs });
                return Some(("Page.handleJavaScriptDialog", accept));
            }
            "Inspector.targetCrashed" => log.errors.push("the tab crashed".to_owned()),
            _ => log.record_network(method, params),
        }
        None
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn headers(of: &Value) -> impl Iterator<Item = (String, String)> {
    let headers = of["headers"].as_object().into_iter().flatten();
    headers.map(|(name, value)| (name.to_lowercase(), text(value)))
}

impl EventLog {
    /// Records network events.
    fn record_network(&mut self, method: &str, params: &Value) {
        let id = &params["requestId"];
        let sent = self.requests.iter_mut().rfind(|it| *id == it.id);
        match (method, sent) {
            ("Network.requestWillBeSent", before) => {
                if let Some(before) = before {
                    // The response of a redirect is part of the next request's event.
                    let redirected = params["redirectResponse"]["status"].as_u64();
                    before.status = redirected.or(before.status);
                    before.is_pending = false;
                }
                let request = &params["request"];
                self.requests.push(SentRequest {
                    method: text(&request["method"]),
                    url: text(&request["url"]),
                    status: None,
                    kind: text(&params["type"]),
                    bytes: None,
                    headers: headers(request).collect(),
                    id: text(id),
                    loader: text(&params["loaderId"]),
                    is_pending: true,
                });
            }
            ("Network.requestWillBeSentExtraInfo", Some(sent)) => {
                sent.headers.extend(headers(params));
            }
            // Also sent if the page may not read the response.
            ("Network.responseReceivedExtraInfo", Some(sent)) => {
                sent.status = params["statusCode"].as_u64();
            }
            ("Network.responseReceived", Some(sent)) => {
                sent.status = params["response"]["status"].as_u64();
                // The response stays open if the script does not read it completely.
                sent.is_pending &= params["type"] != "Fetch";
            }
            ("Network.loadingFinished", Some(sent)) => {
                sent.bytes = params["encodedDataLength"].as_f64().map(to_bytes);
                sent.is_pending = false;
            }
            ("Network.loadingFailed", sent) => {
                let url = sent.map_or_else(String::new, |it| {
                    it.is_pending = false;
                    it.url.clone()
                });
                let reason = text(&params["errorText"]);
                // Requests are aborted when the page is left.
                if params["canceled"] != true && reason != "net::ERR_ABORTED" {
                    let blocked = text(&params["blockedReason"]);
                    let error = format!("request failed: {reason} {blocked} {url}");
                    self.errors.push(error);
                }
            }
            _ => {}
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of bytes"
)]
fn to_bytes(bytes: f64) -> u64 {
    bytes as u64
}
