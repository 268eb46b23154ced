//! What a tab says without being asked: errors, what its policy refused, requests, dialogs.

use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The name by which pages' watchers tell of refusals by the policy.
pub const BINDING: &str = "tellTheTest";

/// A request that a page made.
#[derive(Debug, Clone)]
pub struct Sent {
    /// `GET`, `POST` …
    pub method: String,
    /// Where to.
    pub url: String,
    /// The answer's status; nothing before there is one.
    pub status: Option<u64>,
    /// What kind of request: `Document`, `Fetch`, `Image` …
    pub kind: String,
    /// What came over the wire, headers included, in bytes; nothing before it is all there.
    pub bytes: Option<u64>,
    /// The request's headers, as far as they are known, with small letters.
    pub headers: HashMap<String, String>,
}

#[derive(Default)]
struct Told {
    troubles: Vec<String>,
    dialogs: Vec<String>,
    sent: Vec<Sent>,
    places: HashMap<String, usize>,
    /// Requests under way, with the document that wants them.
    in_flight: HashMap<String, String>,
    /// The document that is shown.
    loader: String,
    declines: bool,
}

/// What was heard of one tab and its frames.
#[derive(Default)]
pub struct Heard {
    told: Mutex<Told>,
}

impl Heard {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What went wrong so far.
    pub fn troubles(&self) -> Vec<String> {
        self.told().troubles.clone()
    }

    /// Takes out the first trouble with these words; whether there was one.
    pub fn forgive(&self, words: &str) -> bool {
        let mut told = self.told();
        let at = told.troubles.iter().position(|it| it.contains(words));
        at.map(|at| told.troubles.remove(at)).is_some()
    }

    /// Questions that were asked in dialogs so far.
    pub fn dialogs(&self) -> Vec<String> {
        self.told().dialogs.clone()
    }

    /// From now on questions are answered so.
    pub fn answer_dialogs(&self, yes: bool) {
        self.told().declines = !yes;
    }

    /// Requests so far.
    pub fn sent(&self) -> Vec<Sent> {
        self.told().sent.clone()
    }

    /// Whether nothing is under way for the page that is shown. What was for the page before it may
    /// never be told to have ended.
    pub fn is_quiet(&self) -> bool {
        let told = self.told();
        !told.in_flight.values().any(|it| *it == told.loader)
    }

    /// Notes an event; answers with what is to be said at once.
    pub fn take(&self, method: &str, params: &Value) -> Option<(&'static str, Value)> {
        let mut told = self.told();
        match method {
            "Runtime.consoleAPICalled" => {
                let kind = params["type"].as_str().unwrap_or_default();
                if ["error", "warning", "assert"].contains(&kind) {
                    told.troubles
                        .push(format!("console {kind}: {}", params["args"]));
                }
            }
            "Runtime.exceptionThrown" => {
                let details = &params["exceptionDetails"];
                let words = details["exception"]["description"].as_str();
                let words = words.or_else(|| details["text"].as_str());
                told.troubles
                    .push(format!("exception: {}", words.unwrap_or_default()));
            }
            "Runtime.bindingCalled" if params["name"] == BINDING => {
                told.troubles
                    .push(format!("refused by policy: {}", text(&params["payload"])));
            }
            "Log.entryAdded" => {
                let entry = &params["entry"];
                // The browser itself looks for an icon where the answer is no page.
                let is_icon = text(&entry["url"]).ends_with("/favicon.ico");
                let is_bad = entry["level"] == "error" || entry["source"] == "security";
                if is_bad && !is_icon {
                    let (source, words) = (text(&entry["source"]), text(&entry["text"]));
                    let url = text(&entry["url"]);
                    told.troubles.push(format!("log {source}: {words} ({url})"));
                }
            }
            "Page.frameNavigated" if params["frame"]["parentId"].is_null() => {
                told.loader = text(&params["frame"]["loaderId"]);
            }
            "Page.javascriptDialogOpening" => {
                let words = text(&params["message"]);
                if params["type"] == "alert" {
                    // None of our pages does this: a script of somebody else's ran.
                    told.troubles.push(format!("alert: {words}"));
                }
                told.dialogs.push(words);
                let accept = json!({ "accept": !told.declines });
                return Some(("Page.handleJavaScriptDialog", accept));
            }
            "Inspector.targetCrashed" => told.troubles.push("the tab crashed".to_owned()),
            _ => told.take_of_network(method, params),
        }
        None
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Told {
    /// Notes what became of requests.
    fn take_of_network(&mut self, method: &str, params: &Value) {
        let id = || text(&params["requestId"]);
        match method {
            "Network.requestWillBeSent" => {
                let request = &params["request"];
                let headers = request["headers"].as_object().into_iter().flatten();
                let sent = Sent {
                    method: text(&request["method"]),
                    url: text(&request["url"]),
                    // A redirect's answer comes with the request that follows it.
                    status: None,
                    kind: text(&params["type"]),
                    bytes: None,
                    headers: headers
                        .map(|(name, value)| (name.to_lowercase(), text(value)))
                        .collect(),
                };
                let before = self.places.get(&id()).copied();
                if let (Some(at), Some(status)) =
                    (before, params["redirectResponse"]["status"].as_u64())
                {
                    self.sent[at].status = Some(status);
                }
                let place = self.sent.len();
                self.places.insert(id(), place);
                self.in_flight.insert(id(), text(&params["loaderId"]));
                self.sent.push(sent);
            }
            "Network.requestWillBeSentExtraInfo" => {
                if let Some(at) = self.places.get(&id()).copied() {
                    let headers = params["headers"].as_object().into_iter().flatten();
                    let headers = headers.map(|(name, value)| (name.to_lowercase(), text(value)));
                    self.sent[at].headers.extend(headers);
                }
            }
            // It comes also where the answer is kept from the page.
            "Network.responseReceivedExtraInfo" => {
                if let Some(at) = self.places.get(&id()).copied() {
                    self.sent[at].status = params["statusCode"].as_u64();
                }
            }
            "Network.responseReceived" => {
                if let Some(at) = self.places.get(&id()).copied() {
                    self.sent[at].status = params["response"]["status"].as_u64();
                }
                // A script that does not read the answer to its end leaves it open.
                if params["type"] == "Fetch" {
                    self.in_flight.remove(&id());
                }
            }
            "Network.loadingFinished" => {
                if let Some(at) = self.places.get(&id()).copied() {
                    self.sent[at].bytes = params["encodedDataLength"].as_f64().map(whole);
                }
                self.in_flight.remove(&id());
            }
            "Network.loadingFailed" => {
                self.in_flight.remove(&id());
                let reason = text(&params["errorText"]);
                // What is left for another page is broken off.
                if params["canceled"] != true && reason != "net::ERR_ABORTED" {
                    let at = self.places.get(&id()).copied();
                    let url = at.map(|at| self.sent[at].url.clone()).unwrap_or_default();
                    let blocked = text(&params["blockedReason"]);
                    self.troubles
                        .push(format!("request failed: {reason} {blocked} {url}"));
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
fn whole(bytes: f64) -> u64 {
    bytes as u64
}
