//! Page speed facts where no browser can load the page: time to first byte and, per file, bytes on the wire,
//! compression, freshness and render blocking; no paint metrics. Files are requested one after the other. Server
//! response time is unknown, because time to first byte includes connecting.

use super::{caching::freshness_lifetime, requests::is_text, visit::gzip_size};
use crate::extract::{LoadedFile, read_page_files};
use crate::fetch::clients::Clients;
use crate::fetch::{Body, BodyLimit, Fetcher, read_body};
use crate::guard::vet_url;
use crate::settings::CrawlerSettings;
use analysis::observation::vitals::{ResourceFact, ResourceKind, StaticFacts};
use async_trait::async_trait;
use domain::ports::page_speed::{LabError, LabOrder, StaticVitals};
use reqwest::header::{HeaderMap, HeaderName};
use reqwest::{Response, header};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};
use url::Url;

const MAX_FILES: usize = 100;

const READ_TIMEOUT: Duration = Duration::from_mins(1);

const CUT_SHORT: &str = "filesCutShort";

pub struct StaticReader {
    settings: Arc<CrawlerSettings>,
    clients: Clients,
    /// Throttles requests per host; `None` in tests.
    throttle_fetcher: Option<Arc<Fetcher>>,
}

impl StaticReader {
    pub fn new(settings: CrawlerSettings) -> Self {
        let settings = Arc::new(settings);
        Self {
            clients: Clients::new(Arc::clone(&settings)),
            settings,
            throttle_fetcher: None,
        }
    }

    /// Throttles its requests together with a fetcher's.
    pub(crate) fn with_throttle(fetcher: Arc<Fetcher>) -> Self {
        let settings = Arc::clone(&fetcher.settings);
        Self {
            clients: Clients::new(Arc::clone(&settings)),
            settings,
            throttle_fetcher: Some(fetcher),
        }
    }

    async fn send(&self, url: &Url) -> Result<Response, LabError> {
        vet_url(url, &self.settings).map_err(|_| LabError::Unreachable)?;
        let route = self.clients.route(url).map_err(|_| LabError::Unreachable)?;
        let mut request = route
            .client
            .get(route.url)
            .header(header::ACCEPT, "*/*")
            .header(header::ACCEPT_ENCODING, "gzip, deflate");
        if let Some(host) = route.host {
            request = request.header(header::HOST, host);
        }
        let limits = &self.settings.limits;
        let response_timeout = limits.dns + limits.connect + limits.first_byte;
        match timeout(response_timeout, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if error.is_timeout() => Err(LabError::TimedOut),
            Ok(Err(_)) => Err(LabError::Unreachable),
            Err(_) => Err(LabError::TimedOut),
        }
    }

    async fn page(&self, start: &Url) -> Result<Page, LabError> {
        let begun = Instant::now();
        let (mut url, mut redirected) = (start.clone(), Duration::ZERO);
        for _ in 0..=self.settings.limits.redirects {
            let response = self.send(&url).await?;
            let Some(next) = redirect(&response, &url) else {
                return Ok(Page {
                    url,
                    response,
                    first_byte: begun.elapsed(),
                    redirected,
                });
            };
            url = next;
            redirected = begun.elapsed();
        }
        Err(LabError::Unreachable)
    }

    async fn body(&self, response: Response) -> Result<Body, LabError> {
        let limits = &self.settings.limits;
        let limit = BodyLimit {
            encoded: limits.encoded_bytes,
            decoded: limits.decoded_bytes,
        };
        let body = read_body(response, limit, limits).await;
        body.map_err(|_| LabError::Unreachable)
    }

    /// A file that cannot be fetched has no status.
    async fn file(&self, named: &LoadedFile) -> ResourceFact {
        let mut fact = ResourceFact {
            url: named.url.clone(),
            kind: named.kind,
            status: None,
            transfer_bytes: None,
            is_compressed: false,
            gzip_bytes: None,
            fresh_for: None,
            blocks_rendering: named.blocks_rendering,
        };
        let Ok(url) = Url::parse(&named.url) else {
            return fact;
        };
        if let Ok(page) = self.page(&url).await {
            let head = ResponseHead::of(&page.response);
            head.describe(&mut fact);
            if let Ok(body) = self.body(page.response).await {
                head.set_sizes(&mut fact, &body);
            }
        }
        fact
    }
}

struct Page {
    url: Url,
    response: Response,
    first_byte: Duration,
    redirected: Duration,
}

/// `None` for an unusable redirect, which counts as a final answer.
fn redirect(response: &Response, url: &Url) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(header::LOCATION)?;
    url.join(String::from_utf8_lossy(location.as_bytes()).trim())
        .ok()
}

struct ResponseHead {
    status: u16,
    media_type: String,
    charset: Option<String>,
    is_compressed: bool,
    fresh_for: Option<u64>,
    bytes: u64,
}

impl ResponseHead {
    fn of(response: &Response) -> Self {
        let headers = response.headers();
        let header_value = |name: HeaderName| headers.get(name)?.to_str().ok();
        let media = header_value(header::CONTENT_TYPE)
            .unwrap_or_default()
            .to_ascii_lowercase();
        Self {
            status: response.status().as_u16(),
            charset: media
                .split_once("charset=")
                .map(|it| it.1.trim_matches(['"', ' ']).to_owned()),
            media_type: media
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned(),
            is_compressed: header_value(header::CONTENT_ENCODING)
                .is_some_and(|it| it.trim() != "identity"),
            fresh_for: freshness_lifetime(
                header_value(header::CACHE_CONTROL),
                header_value(header::EXPIRES),
                header_value(header::DATE),
            ),
            bytes: header_bytes(headers),
        }
    }

    fn describe(&self, fact: &mut ResourceFact) {
        fact.status = Some(self.status);
        fact.is_compressed = self.is_compressed;
        fact.fresh_for = self.fresh_for;
    }

    /// Sets the sizes, if the body is complete.
    fn set_sizes(&self, fact: &mut ResourceFact, body: &Body) {
        if body.truncation != analysis::observation::web_site::Truncation::None {
            return;
        }
        fact.transfer_bytes = Some(self.bytes + body.received as u64);
        if !self.is_compressed && is_text(&self.media_type) {
            fact.gzip_bytes = Some(gzip_size(&body.bytes));
        }
    }
}

/// Header bytes in HTTP/1.1 encoding.
fn header_bytes(headers: &HeaderMap) -> u64 {
    headers
        .iter()
        .map(|(name, value)| (name.as_str().len() + value.len() + 4) as u64)
        .sum()
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

#[async_trait]
impl StaticVitals for StaticReader {
    async fn analyze(&self, order: &LabOrder) -> Result<StaticFacts, LabError> {
        let start = Url::parse(&order.url)
            .map_err(|_| LabError::Order("the address is not a valid URL"))?;
        if !matches!(start.scheme(), "http" | "https") {
            return Err(LabError::Order("only http and https are loaded"));
        }
        let _host_permit = match &self.throttle_fetcher {
            Some(fetcher) => Some(fetcher.acquire_host_permit(&start).await),
            None => None,
        };
        let until = Instant::now() + READ_TIMEOUT;
        let page = self.page(&start).await?;
        let head = ResponseHead::of(&page.response);
        if head.status >= 400 {
            return Err(LabError::Status(head.status));
        }
        if !head.media_type.contains("html") {
            return Err(LabError::NotHtml);
        }
        let body = self.body(page.response).await?;
        let named = read_page_files(&body.bytes, head.charset.as_deref(), &page.url);
        let mut document = ResourceFact {
            url: page.url.to_string(),
            kind: ResourceKind::Document,
            status: None,
            transfer_bytes: None,
            is_compressed: false,
            gzip_bytes: None,
            fresh_for: None,
            blocks_rendering: false,
        };
        head.describe(&mut document);
        head.set_sizes(&mut document, &body);
        let (mut resources, mut warnings) = (vec![document], Vec::new());
        for file in named.files.iter().take(MAX_FILES) {
            let rest = until.saturating_duration_since(Instant::now());
            match timeout(rest, self.file(file)).await {
                Ok(fact) => resources.push(fact),
                Err(_) => break,
            }
        }
        if resources.len() <= named.files.len() {
            warnings.push(CUT_SHORT.to_owned());
        }
        Ok(StaticFacts {
            form_factor: order.form_factor,
            final_url: page.url.to_string(),
            ttfb_ms: Some(ms(page.first_byte)),
            redirects_ms: Some(ms(page.redirected)),
            server_response_ms: None,
            unsized_images: named.unsized_images,
            resources,
            warnings,
        })
    }
}
