//! Google's two sources of vitals on loopback, in their documented formats.

use super::loopback::Loopback;
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The accepted key.
pub const KEY: &str = "AIza-canary-0123456789";

/// Configured answers and received requests.
#[derive(Default)]
pub struct Known {
    /// LCP at the 75th percentile by page or origin, ms.
    pub lcp: BTreeMap<String, u32>,
    /// Status and code for every request.
    pub failure: Option<(u16, &'static str)>,
    /// Response time.
    pub pause: Duration,
    /// CrUX queries: page or origin, and device.
    pub queries: Vec<(String, String)>,
    /// PageSpeed Insights loads: page and device.
    pub loaded: Vec<(String, String)>,
}

pub struct Google {
    pub address: SocketAddr,
    known: Arc<Mutex<Known>>,
    _server: Loopback,
}

type Shared = web::Data<Arc<Mutex<Known>>>;

impl Google {
    pub fn start() -> Self {
        let known = Arc::new(Mutex::new(Known::default()));
        let shared = web::Data::new(Arc::clone(&known));
        let server = Loopback::start(move |app| {
            app.app_data(shared.clone())
                .route("/v1/records:queryRecord", web::post().to(crux))
                .route(
                    "/pagespeedonline/v5/runPagespeed",
                    web::get().to(page_speed),
                );
        });
        Self {
            address: server.address,
            known,
            _server: server,
        }
    }

    pub fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

fn error(code: u16, status: &str) -> HttpResponse {
    let message = match status {
        "NOT_FOUND" => "chrome ux report data not found",
        "INVALID_ARGUMENT" => "API key not valid. Please pass a valid API key.",
        _ => "The service is currently unavailable.",
    };
    let body = json!({ "error": { "code": code, "message": message, "status": status } });
    HttpResponse::build(code.try_into().unwrap()).json(body)
}

/// All endpoints take the key in the query.
fn refusal(known: &Known, query: &BTreeMap<String, String>) -> Option<HttpResponse> {
    if query.get("key").map(String::as_str) != Some(KEY) {
        return Some(error(400, "INVALID_ARGUMENT"));
    }
    known.failure.map(|(code, status)| error(code, status))
}

async fn crux(
    shared: Shared,
    query: web::Query<BTreeMap<String, String>>,
    question: web::Json<Value>,
) -> HttpResponse {
    let pause = lock(&shared).pause;
    tokio::time::sleep(pause).await;
    let mut known = lock(&shared);
    let (kind, about) = ["url", "origin"]
        .into_iter()
        .find_map(|kind| Some((kind, question[kind].as_str()?.to_owned())))
        .unwrap();
    let device = question["formFactor"].as_str().unwrap_or("").to_owned();
    if let Some(refusal) = refusal(&known, &query) {
        return refusal;
    }
    known.queries.push((about.clone(), device.clone()));
    let Some(lcp) = known.lcp.get(&about) else {
        return error(404, "NOT_FOUND");
    };
    HttpResponse::Ok().json(json!({
        "record": {
            "key": { kind: about, "formFactor": device },
            "metrics": {
                "largest_contentful_paint": {
                    "histogram": [
                        { "start": 0, "end": 2500, "density": 0.82 },
                        { "start": 2500, "end": 4000, "density": 0.12 },
                        { "start": 4000, "density": 0.06 },
                    ],
                    "percentiles": { "p75": lcp },
                },
                "cumulative_layout_shift": {
                    "histogram": [
                        { "start": "0.00", "end": "0.10", "density": 0.9 },
                        { "start": "0.10", "end": "0.25", "density": 0.06 },
                        { "start": "0.25", "density": 0.04 },
                    ],
                    "percentiles": { "p75": "0.05" },
                },
            },
            "collectionPeriod": {
                "firstDate": { "year": 2026, "month": 10, "day": 24 },
                "lastDate": { "year": 2026, "month": 11, "day": 20 },
            },
        },
    }))
}

async fn page_speed(shared: Shared, query: web::Query<BTreeMap<String, String>>) -> HttpResponse {
    let mut known = lock(&shared);
    if let Some(refusal) = refusal(&known, &query) {
        return refusal;
    }
    let page = query["url"].clone();
    known.loaded.push((page.clone(), query["strategy"].clone()));
    HttpResponse::Ok().json(json!({
        "captchaResult": "CAPTCHA_NOT_NEEDED", "kind": "pagespeedonline#result", "id": page,
        "lighthouseResult": {
            "requestedUrl": page, "finalUrl": page, "finalDisplayedUrl": page,
            "lighthouseVersion": "12.8.2", "fetchTime": "2026-11-21T10:00:00.000Z", "runWarnings": [],
            "audits": {
                "first-contentful-paint": { "score": 0.9, "numericValue": 1800.5 },
                "largest-contentful-paint": { "score": 0.7, "numericValue": 3100.25 },
                "cumulative-layout-shift": { "score": 1, "numericValue": 0.02 },
                "total-blocking-time": { "score": 1, "numericValue": 120 },
                "speed-index": { "score": 0.8, "numericValue": 3900 },
                "server-response-time": { "score": 1, "numericValue": 210 },
            },
            "categories": { "performance": { "id": "performance", "score": 0.84 } },
            "timing": { "total": 12000 },
        },
        "analysisUTCTimestamp": "2026-11-21T10:00:20.000Z",
    }))
}
