//! One request and its response, without following redirects.

use super::body::{Body, BodyLimit, read_body};
use super::bot_challenge::{is_challenge_body, is_challenge_response};
use super::clients::Clients;
use super::error::FetchError;
use crate::{guard::vet_url, limits::FetchLimits, settings::CrawlerSettings};
use analysis::observation::page_content::{ResponseFacts, ResponseHeaders};
use analysis::observation::web_site::FetchFailure;
use domain::kept_pages::Validators;
use reqwest::header::{HeaderMap, HeaderName};
use reqwest::{Method, Response, header};
use std::time::Duration;
use tokio::time::{Instant, timeout};
use url::Url;

#[derive(Debug, Clone, Copy)]
pub enum Want {
    /// Headers, by `HEAD`.
    Head,
    /// Headers, by `GET`.
    Headers,
    /// Body, if it is HTML.
    Html,
    /// Any body, up to a limit.
    Everything(BodyLimit),
}

pub struct HopResponse {
    pub status: u16,
    /// Target of a redirect, as sent.
    pub location: Option<String>,
    pub content_type: Option<String>,
    pub charset: Option<String>,
    pub challenge: bool,
    pub retry_after: Option<Duration>,
    pub headers: ResponseHeaders,
    /// `Content-Length`.
    pub length: Option<u64>,
    /// From the request to the headers.
    pub first_byte: Duration,
    pub body: Option<Body>,
    pub body_failure: Option<FetchError>,
}

const CHALLENGE_BODY_LIMIT: BodyLimit = BodyLimit {
    encoded: 64 * 1024,
    decoded: 256 * 1024,
};

/// `limits` may be narrower than those of the settings.
pub async fn send(
    clients: &Clients,
    settings: &CrawlerSettings,
    limits: &FetchLimits,
    url: &Url,
    want: Want,
    validators: Option<&Validators>,
) -> Result<HopResponse, FetchError> {
    vet_url(url, settings).map_err(|_| FetchError::unreachable())?;
    let begun = Instant::now();
    let response_timeout = limits.dns + limits.connect + limits.first_byte;
    let response = timeout(
        response_timeout.min(limits.total),
        request(clients, url, want, validators),
    )
    .await
    .map_err(|_| FetchError::new(FetchFailure::Timeout, "noAnswer"))??;
    let first_byte = begun.elapsed();
    vet_peer(&response, settings, url)?;
    vet_headers(response.headers(), settings)?;
    let mut answer = HopResponse::of(&response);
    answer.first_byte = first_byte;
    if answer.location.is_none() {
        let limits = FetchLimits {
            total: limits.total.saturating_sub(first_byte),
            ..limits.clone()
        };
        answer.read(response, &limits, want).await;
    }
    Ok(answer)
}

async fn request(
    clients: &Clients,
    url: &Url,
    want: Want,
    validators: Option<&Validators>,
) -> Result<Response, FetchError> {
    let route = clients
        .route(url)
        .map_err(|it| FetchError::from_reqwest(&it))?;
    let method = match want {
        Want::Head => Method::HEAD,
        _ => Method::GET,
    };
    let mut request = route
        .client
        .request(method, route.url)
        .header(header::ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8")
        .header(header::ACCEPT_ENCODING, "gzip, deflate");
    if let Some(host) = route.host {
        request = request.header(header::HOST, host);
    }
    if let Some(etag) = validators.and_then(|it| it.etag.as_deref()) {
        request = request.header(header::IF_NONE_MATCH, etag);
    }
    if let Some(date) = validators.and_then(|it| it.last_modified.as_deref()) {
        request = request.header(header::IF_MODIFIED_SINCE, date);
    }
    request
        .send()
        .await
        .map_err(|it| FetchError::from_reqwest(&it))
}

/// Second check: the connector already connects to vetted addresses only.
fn vet_peer(response: &Response, settings: &CrawlerSettings, url: &Url) -> Result<(), FetchError> {
    let fine = |peer: std::net::SocketAddr| {
        settings.may_connect_to(peer.ip()) || settings.is_operator_host(url)
    };
    if response.remote_addr().is_none_or(fine) {
        Ok(())
    } else {
        Err(FetchError::unreachable())
    }
}

fn vet_headers(headers: &HeaderMap, settings: &CrawlerSettings) -> Result<(), FetchError> {
    let bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum();
    let limits = &settings.limits;
    if bytes > limits.header_bytes || headers.len() > limits.headers {
        return Err(FetchError::new(FetchFailure::Malformed, "headersTooLarge"));
    }
    Ok(())
}

impl HopResponse {
    pub fn response_facts(&self) -> ResponseFacts {
        let body = self.body.as_ref();
        ResponseFacts {
            ttfb_ms: u32::try_from(self.first_byte.as_millis()).ok(),
            body_bytes: body.map_or(0, |it| it.bytes.len() as u64),
            received_bytes: body.map_or(0, |it| it.received as u64),
            headers: self.headers.clone(),
        }
    }

    fn of(response: &Response) -> Self {
        let headers = response.headers();
        let status = response.status().as_u16();
        let media = text(headers, &header::CONTENT_TYPE);
        Self {
            status,
            location: location(status, headers),
            content_type: media.as_deref().and_then(media_type),
            charset: media.as_deref().and_then(charset),
            challenge: is_challenge_response(status, headers),
            retry_after: text(headers, &header::RETRY_AFTER)
                .and_then(|it| it.trim().parse().ok())
                .map(Duration::from_secs),
            headers: headers_of_interest(headers),
            length: text(headers, &header::CONTENT_LENGTH).and_then(|it| it.trim().parse().ok()),
            first_byte: Duration::ZERO,
            body: None,
            body_failure: None,
        }
    }

    async fn read(&mut self, response: Response, limits: &FetchLimits, want: Want) {
        let whole = BodyLimit {
            encoded: limits.encoded_bytes,
            decoded: limits.decoded_bytes,
        };
        let success = (200..300).contains(&self.status);
        let maybe_html = matches!(
            self.content_type.as_deref(),
            None | Some("text/html" | "application/xhtml+xml")
        );
        let limit = match want {
            Want::Head | Want::Headers => return,
            Want::Everything(limit) if success => limit,
            Want::Html if success && maybe_html => whole,
            _ if matches!(self.status, 403 | 429 | 503) && maybe_html => CHALLENGE_BODY_LIMIT,
            _ => return,
        };
        match read_body(response, limit, limits).await {
            Ok(body) if success => {
                if self.content_type.is_none() && starts_like_html(&body.bytes) {
                    self.content_type = Some("text/html".to_owned());
                }
                self.body = Some(body);
            }
            Ok(body) => self.challenge |= is_challenge_body(&body.bytes),
            Err(failed) if success => self.body_failure = Some(failed),
            Err(_) => {}
        }
    }
}

pub fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

fn location(status: u16, headers: &HeaderMap) -> Option<String> {
    if !is_redirect(status) {
        return None;
    }
    let value = headers.get(header::LOCATION)?;
    // Servers send UTF-8 where only ASCII is allowed, and browsers accept it.
    Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    value.to_str().ok().map(str::to_owned)
}

fn headers_of_interest(headers: &HeaderMap) -> ResponseHeaders {
    let mut kept = ResponseHeaders::default();
    for (name, value) in headers {
        // Servers send other encodings where only ASCII is allowed.
        kept.add(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
    }
    kept
}

fn media_type(text: &str) -> Option<String> {
    let name = text.split(';').next()?.trim().to_ascii_lowercase();
    name.contains('/').then_some(name)
}

fn charset(text: &str) -> Option<String> {
    let mut parameters = text.split(';').skip(1);
    parameters.find_map(|it| {
        let (name, value) = it.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.to_owned())
    })
}

fn starts_like_html(bytes: &[u8]) -> bool {
    let start: Vec<u8> = bytes
        .iter()
        .copied()
        .skip_while(|it| it.is_ascii_whitespace() || !it.is_ascii())
        .take(9)
        .collect();
    let start = start.to_ascii_lowercase();
    start.starts_with(b"<!doctype") || start.starts_with(b"<html")
}
