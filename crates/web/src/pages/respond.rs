//! Responses with pages: security headers and compression.

use super::assets::Asset;
use super::{assets, standalone_pages};
use crate::http::transfer::{add_security_headers, reads_gzip, with_body};
use crate::problem::Problem;
use crate::request_metrics;
use actix_web::http::{Method, StatusCode, header};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use flate2::Compression;

/// Content-Security-Policy: only our own scripts and styles, no external content, no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; report-to csp; report-uri /api/policy-reports";
/// For the policy's `report-to`; older browsers use `report-uri`.
const REPORTS_TO: &str = "csp=\"/api/policy-reports\"";
/// Only writing to the clipboard is allowed.
const PERMISSIONS: &str = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=(), clipboard-write=(self)";

pub fn accepts_html(request: &HttpRequest) -> bool {
    let mut named = request.headers().get_all(header::ACCEPT);
    named.any(|it| it.to_str().is_ok_and(|it| it.contains("text/html")))
}

pub struct PageResponder {
    is_head: bool,
    reads_gzip: bool,
    secure: bool,
}

impl PageResponder {
    pub fn for_request(request: &HttpRequest, secure: bool) -> Self {
        Self {
            is_head: request.method() == Method::HEAD,
            reads_gzip: reads_gzip(request),
            secure,
        }
    }

    pub fn html(&self, status: u16, text: &str) -> HttpResponse {
        let mut response = self.begin(status);
        response.insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"));
        // After signing out, the back button must not show cached data.
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        response.insert_header((header::VARY, "Accept, Cookie, Accept-Encoding"));
        if self.reads_gzip {
            response.insert_header((header::CONTENT_ENCODING, "gzip"));
            return self.body(response, assets::gzip(text.as_bytes(), Compression::fast()));
        }
        self.body(response, text.to_owned())
    }

    /// Cached forever: the URL contains the content hash.
    pub fn asset(&self, asset: Option<&Asset>) -> HttpResponse {
        let Some(asset) = asset else {
            let mut response = self.begin(404);
            response.insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"));
            response.insert_header((header::CACHE_CONTROL, "no-store"));
            return self.body(response, "There is no such file.");
        };
        let mut response = self.begin(200);
        response.insert_header((header::CONTENT_TYPE, asset.content_type));
        response.insert_header((header::CACHE_CONTROL, "public, max-age=31536000, immutable"));
        response.insert_header((header::VARY, "Accept-Encoding"));
        if self.reads_gzip {
            response.insert_header((header::CONTENT_ENCODING, "gzip"));
            return self.body(response, asset.gzip.clone());
        }
        self.body(response, asset.plain.clone())
    }

    pub fn redirect(&self, to: &str) -> HttpResponse {
        let mut response = self.begin(303);
        response.insert_header((header::LOCATION, to));
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        response.insert_header((header::VARY, "Cookie"));
        self.body(response, Vec::new())
    }

    /// 405: pages are read-only.
    pub fn method_not_allowed(&self) -> HttpResponse {
        let mut response = self.begin(405);
        response.insert_header((header::ALLOW, "GET, HEAD"));
        response.insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"));
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        self.body(
            response,
            "Pages are read with GET; changes go to the API under /api.",
        )
    }

    pub fn problem_response(&self, problem: &Problem) -> HttpResponse {
        request_metrics::count_auth_failure(problem);
        let text = standalone_pages::problem_page(problem);
        let mut response = self.html(problem.code.status(), &text);
        if problem
            .headers
            .iter()
            .any(|(name, _)| *name == "Connection")
        {
            let close = header::HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        if let Some(wait) = problem.retry_after {
            let seconds = wait.as_secs_f64().ceil().to_string();
            if let Ok(seconds) = header::HeaderValue::from_str(&seconds) {
                response.headers_mut().insert(header::RETRY_AFTER, seconds);
            }
        }
        response
    }

    pub fn busy(&self) -> HttpResponse {
        let mut response = self.begin(503);
        response.insert_header((header::RETRY_AFTER, "5"));
        response.insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"));
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        self.body(
            response,
            "The server is busy. Load the page again in a few seconds.",
        )
    }

    fn begin(&self, status: u16) -> HttpResponseBuilder {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = HttpResponse::build(status);
        response.insert_header((header::CONTENT_SECURITY_POLICY, POLICY));
        response.insert_header(("reporting-endpoints", REPORTS_TO));
        response.insert_header((header::X_FRAME_OPTIONS, "DENY"));
        response.insert_header((header::REFERRER_POLICY, "same-origin"));
        response.insert_header(("cross-origin-opener-policy", "same-origin"));
        response.insert_header(("permissions-policy", PERMISSIONS));
        add_security_headers(&mut response, self.secure);
        response
    }

    fn body(&self, response: HttpResponseBuilder, body: impl Into<Bytes>) -> HttpResponse {
        with_body(response, body, self.is_head)
    }
}
