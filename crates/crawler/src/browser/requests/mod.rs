mod messages;

use super::{caching::freshness_lifetime, protocol::Event};
use analysis::findings::vitals::blocking_time::Span;
use analysis::observation::vitals::{ResourceFact, ResourceKind};
use messages::{LoadingFailed, LoadingFinished, RequestWillBeSent, Response, ResponseReceived};
use std::collections::HashMap;

/// Requests recorded per load; no real page makes more.
const MAX_REQUESTS: usize = 5_000;

/// Bytes kept of a URL.
const MAX_URL: usize = 2_048;

/// One request; each redirect is a separate request.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that are independent of each other"
)]
pub struct Request {
    /// Session and request id.
    pub session: Option<String>,
    pub id: String,
    pub url: String,
    method: String,
    kind: Option<ResourceKind>,
    /// Start, in seconds of the browser's clock.
    pub begun: f64,
    /// Headers received, in seconds, with the emulated network's delay.
    pub answered: Option<f64>,
    /// Server response time, in ms.
    pub server_ms: Option<f64>,
    /// End, in seconds.
    pub ended: Option<f64>,
    pub status: Option<u16>,
    failed: bool,
    bytes: Option<u64>,
    compressed: bool,
    fresh_for: Option<u64>,
    blocks: bool,
    pub media_type: String,
    pub error: Option<String>,
    is_main: bool,
}

#[derive(Debug, Default)]
pub struct Requests {
    all: Vec<Request>,
    current: HashMap<(Option<String>, String), usize>,
    /// Loader of the measured navigation.
    loader: Option<String>,
}

impl Requests {
    pub fn set_navigation(&mut self, loader: &str) {
        self.loader = Some(loader.to_owned());
        for request in &mut self.all {
            request.is_main |= request.id == loader;
        }
    }

    pub fn record(&mut self, event: &Event) {
        let text = event.params.get();
        let session = event.session.clone();
        // Malformed events are ignored.
        match event.method.as_str() {
            "Network.requestWillBeSent" => {
                if let Ok(sent) = serde_json::from_str(text) {
                    self.add_request(session, sent);
                }
            }
            "Network.responseReceived" => {
                if let Ok(received) = serde_json::from_str::<ResponseReceived>(text)
                    && let Some(request) = self.find(session, &received.request_id)
                {
                    request.kind = kind(received.kind.as_deref()).or(request.kind);
                    request.apply_response(&received.response);
                }
            }
            "Network.loadingFinished" => {
                if let Ok(finished) = serde_json::from_str::<LoadingFinished>(text)
                    && let Some(request) = self.find(session, &finished.request_id)
                {
                    request.ended = Some(finished.timestamp);
                    request.bytes = Some(byte_count(finished.encoded_data_length));
                }
            }
            "Network.loadingFailed" => {
                if let Ok(failed) = serde_json::from_str::<LoadingFailed>(text)
                    && let Some(request) = self.find(session, &failed.request_id)
                {
                    request.ended = Some(failed.timestamp);
                    request.failed = true;
                    request.error = Some(failed.error_text);
                }
            }
            _ => {}
        }
    }

    fn find(&mut self, session: Option<String>, id: &str) -> Option<&mut Request> {
        let index = *self.current.get(&(session, id.to_owned()))?;
        self.all.get_mut(index)
    }

    fn add_request(&mut self, session: Option<String>, sent: RequestWillBeSent) {
        if let Some(response) = &sent.redirect_response
            && let Some(before) = self.find(session.clone(), &sent.request_id)
        {
            before.apply_response(response);
            before.bytes = Some(byte_count(response.encoded_data_length));
            before.ended = Some(sent.timestamp);
        }
        let from_network = ["http:", "https:"]
            .iter()
            .any(|it| sent.request.url.starts_with(it));
        if !from_network || self.all.len() >= MAX_REQUESTS {
            return;
        }
        let mut url = sent.request.url;
        if url.len() > MAX_URL {
            url.truncate(url.floor_char_boundary(MAX_URL));
        }
        let key = (session.clone(), sent.request_id.clone());
        self.current.insert(key, self.all.len());
        self.all.push(Request {
            session,
            is_main: self.loader.as_ref() == Some(&sent.request_id)
                && sent.request_id == sent.loader_id,
            id: sent.request_id,
            url,
            method: sent.request.method,
            kind: kind(sent.kind.as_deref()),
            begun: sent.timestamp,
            blocks: matches!(
                sent.render_blocking_behavior.as_deref(),
                Some("Blocking" | "InBodyParserBlocking")
            ),
            ..Request::default()
        });
    }

    /// The document's requests: redirects, then the document.
    pub fn document_requests(&self) -> impl DoubleEndedIterator<Item = &Request> {
        self.all.iter().filter(|it| it.is_main)
    }

    /// The latest finished request for a URL.
    pub fn find_by_url(&self, url: &str) -> Option<&Request> {
        let bare = |it: &str| it.split('#').next().unwrap_or_default().to_owned();
        let wanted = bare(url);
        self.all
            .iter()
            .rev()
            .find(|it| it.ended.is_some() && bare(&it.url) == wanted)
    }

    pub fn open_count(&self) -> usize {
        self.all.iter().filter(|it| it.ended.is_none()).count()
    }

    /// Successful GET requests, in ms after `origin` (seconds of the browser's clock).
    pub fn spans(&self, origin: f64) -> Vec<Span> {
        let well = self.all.iter().filter(|it| {
            it.method == "GET" && !it.failed && it.status.is_some_and(|status| status < 400)
        });
        let span = |it: &Request| {
            Some(Span {
                from: (it.begun - origin) * 1_000.0,
                to: (it.ended? - origin) * 1_000.0,
            })
        };
        well.filter_map(span).collect()
    }

    /// Uncompressed text responses.
    pub fn compressible(&self) -> impl Iterator<Item = &Request> {
        self.all.iter().filter(|it| {
            it.status == Some(200)
                && !it.compressed
                && is_text(&it.media_type)
                && it.ended.is_some()
        })
    }

    /// `gzip` has sizes by session and request id.
    pub fn facts(&self, gzip: &HashMap<(Option<String>, String), u64>) -> Vec<ResourceFact> {
        let answered = self.all.iter().filter(|it| it.status.is_some());
        let fact = |it: &Request| ResourceFact {
            url: it.url.clone(),
            kind: it.kind.unwrap_or(ResourceKind::Other),
            status: it.status,
            transfer_bytes: it.bytes,
            is_compressed: it.compressed,
            gzip_bytes: gzip.get(&(it.session.clone(), it.id.clone())).copied(),
            fresh_for: it.fresh_for,
            blocks_rendering: it.blocks,
        };
        answered.map(fact).collect()
    }
}

impl Request {
    fn apply_response(&mut self, response: &Response) {
        let header = |wanted: &str| {
            let mut found = response.headers.iter();
            let found = found.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.and_then(|(_, value)| value.as_str())
        };
        self.status = Some(response.status);
        self.media_type.clone_from(&response.mime_type);
        self.compressed = header("content-encoding").is_some_and(|it| it.trim() != "identity");
        self.fresh_for =
            freshness_lifetime(header("cache-control"), header("expires"), header("date"));
        if let Some(timing) = &response.timing {
            self.answered = Some(timing.request_time + timing.receive_headers_end / 1_000.0);
            self.server_ms = Some((timing.receive_headers_start - timing.send_end).max(0.0));
        }
    }
}

fn kind(name: Option<&str>) -> Option<ResourceKind> {
    Some(match name? {
        "Document" => ResourceKind::Document,
        "Stylesheet" => ResourceKind::Stylesheet,
        "Script" => ResourceKind::Script,
        "Image" => ResourceKind::Image,
        "Font" => ResourceKind::Font,
        "Media" => ResourceKind::Media,
        _ => ResourceKind::Other,
    })
}

pub fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || ["javascript", "json", "xml", "svg", "wasm"]
            .iter()
            .any(|it| media_type.contains(it))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of bytes; saturation is fine"
)]
fn byte_count(bytes: f64) -> u64 {
    bytes.max(0.0) as u64
}

#[cfg(test)]
mod tests;
