//! Writes responses and problems with their common headers; one log line per request.

use crate::endpoint::Deprecation;
use crate::http::transfer::{add_security_headers, reads_gzip, with_body};
use crate::limits::{RateLimitState, Slot};
use crate::links::Surface;
use crate::problem::{Code, Problem};
use crate::request_metrics;
use crate::response::{ApiResponse, EventStream, PROBLEM};
use crate::services::Services;
use actix_http::encoding::Encoder;
use actix_web::http::header::{ContentEncoding, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use domain::ids::{AccountId, SessionId, TokenId};
use domain::ports::randomness::Randomness;
use domain::token::PlainToken;
use futures_util::StreamExt;
use std::{sync::Arc, time::Instant};
use tracing::Span;

const REQUEST_ID: &str = "x-request-id";
const TRACE_PARENT: &str = "traceparent";
/// In bytes; shorter bodies are not compressed.
const MIN_COMPRESSED: usize = 1_024;

/// CSP of responses that are not pages: deny everything.
const DENY_ALL_CSP: &str = "default-src 'none'; frame-ancestors 'none'";

pub struct Exchange {
    method: Method,
    began: Instant,
    base_url: String,
    reads_gzip: bool,
    pub trace: Trace,
}

/// Logged with the response. Not the path, which may contain pasted secrets.
#[derive(Debug, Clone)]
pub struct Trace {
    /// From the request, or generated.
    pub id: String,
    /// Trace id of `traceparent`, if sent.
    pub traceparent_id: Option<String>,
    /// Path template of the route table.
    pub route: &'static str,
    /// The `{id}` of the route, for example the project that is changed.
    pub route_id: Option<i64>,
    pub caller: CallerInfo,
    pub deprecated: Option<Deprecation>,
    pub surface: Surface,
}

#[derive(Debug, Clone, Default)]
pub struct CallerInfo {
    pub account: Option<AccountId>,
    /// Never the token itself.
    pub token: Option<TokenId>,
    pub session: Option<SessionId>,
    pub rate_limits: Vec<RateLimitState>,
}

impl Exchange {
    pub fn begin(request: &HttpRequest, services: &Arc<Services>) -> Self {
        Self {
            method: request.method().clone(),
            began: Instant::now(),
            base_url: services.config.public_base_url.clone(),
            reads_gzip: reads_gzip(request),
            trace: Trace {
                id: incoming_request_id(request)
                    .unwrap_or_else(|| new_request_id(services.core.randomness.as_ref())),
                traceparent_id: incoming_trace_id(request),
                route: "none",
                route_id: None,
                caller: CallerInfo::default(),
                deprecated: None,
                surface: Surface::Agent,
            },
        }
    }

    /// Omits the body for HEAD.
    pub fn finish(self, outcome: Result<ApiResponse, Problem>, is_head: bool) -> HttpResponse {
        let code = outcome.as_ref().err().map(|it| it.code.name());
        let response = match outcome {
            Ok(answer) => self.success_response(answer, is_head),
            Err(problem) => self.problem_response(&problem, is_head),
        };
        self.log(response.status().as_u16(), code);
        response
    }

    /// Adds the request id to log lines.
    pub fn span(&self) -> Span {
        // Error level, so that the span is enabled at every log level.
        tracing::error_span!(
            "request",
            requestId = self.trace.id,
            traceId = self.trace.traceparent_id
        )
    }

    /// `code`: of a refusal.
    fn log(&self, status: u16, code: Option<&str>) {
        let took = self.began.elapsed();
        request_metrics::record_response(&self.method, self.trace.route, status, took);
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(
            requestId = self.trace.id,
            traceId = self.trace.traceparent_id,
            method = self.method.as_str(),
            route = self.trace.route,
            id = self.trace.route_id,
            accountId = self.trace.caller.account.map(|it| it.0),
            tokenId = self.trace.caller.token.map(|it| it.0),
            sessionId = self.trace.caller.session.map(|it| it.0),
            status,
            code,
            milliseconds,
            "A request was answered."
        );
    }

    /// `lasting` is held until the last event.
    pub fn stream(self, stream: EventStream, lasting: Slot) -> HttpResponse {
        let mut response = self.response(200);
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        response.insert_header((header::CONTENT_TYPE, "text/event-stream"));
        // nginx buffers responses otherwise.
        append(&mut response, "X-Accel-Buffering", "no");
        for (name, value) in stream.headers {
            append(&mut response, name, &value);
        }
        self.log(200, None);
        response.streaming(stream.events.inspect(move |_| {
            let _ = &lasting;
        }))
    }

    fn success_response(&self, answer: ApiResponse, is_head: bool) -> HttpResponse {
        let mut response = self.response(answer.status);
        response.insert_header((header::CACHE_CONTROL, answer.cache));
        if let Some(tag) = &answer.tag {
            append(&mut response, "ETag", &tag.text());
        }
        if let Some(location) = &answer.location {
            append(
                &mut response,
                "Location",
                &location.href(self.trace.surface),
            );
        }
        for (name, value) in answer.headers {
            append(&mut response, name, &value);
        }
        if matches!(answer.status, 202 | 204 | 304) && answer.body.is_empty() {
            return response.finish();
        }
        response.insert_header((header::CONTENT_TYPE, answer.content_type));
        // A strong tag identifies the exact bytes, so such a response is never compressed.
        let is_strong = answer.tag.as_ref().is_some_and(|tag| !tag.is_weak());
        let is_worth_it = answer.body.len() >= MIN_COMPRESSED && !is_strong;
        let response = with_body(response, answer.body, is_head);
        if self.reads_gzip && is_worth_it {
            return compressed(response);
        }
        response
    }

    fn problem_response(&self, problem: &Problem, is_head: bool) -> HttpResponse {
        request_metrics::count_auth_failure(problem);
        if problem.code == Code::InternalError {
            tracing::error!(
                requestId = self.trace.id,
                "A request failed: {}",
                problem.detail
            );
        }
        let mut response = self.response(problem.code.status());
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        response.insert_header((header::CONTENT_TYPE, PROBLEM));
        if let Some(wait) = problem.retry_after {
            append(
                &mut response,
                "Retry-After",
                &wait.as_secs().max(1).to_string(),
            );
        }
        for (name, value) in &problem.headers {
            append(&mut response, name, value);
        }
        let trace = &self.trace;
        let document = problem.document(trace.surface, &self.base_url, &trace.id);
        with_body(response, document.to_string(), is_head)
    }

    fn response(&self, status: u16) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        );
        response.insert_header((REQUEST_ID, self.trace.id.as_str()));
        let depends_on = if self.trace.surface == Surface::Session {
            "Accept, Accept-Encoding, Authorization, Cookie"
        } else {
            "Accept, Accept-Encoding, Authorization"
        };
        response.insert_header((header::VARY, depends_on));
        response.insert_header((header::LINK, "</api/agent/v1/docs>; rel=\"service-desc\""));
        response.insert_header((header::CONTENT_SECURITY_POLICY, DENY_ALL_CSP));
        response.insert_header((header::REFERRER_POLICY, "no-referrer"));
        add_security_headers(&mut response, self.base_url.starts_with("https://"));
        self.append_rate_limits(&mut response);
        if let Some(end) = &self.trace.deprecated {
            append(&mut response, "Deprecation", &end.since_field());
            append(&mut response, "Sunset", &end.sunset_field());
            append(&mut response, "Link", &end.links());
        }
        response
    }

    /// `RateLimit-Policy` and `RateLimit`: one item per policy that counted the request.
    fn append_rate_limits(&self, response: &mut HttpResponseBuilder) {
        let rate_limits = &self.trace.caller.rate_limits;
        if rate_limits.is_empty() {
            return;
        }
        let listed = |item: fn(&RateLimitState) -> String| -> String {
            let items: Vec<String> = rate_limits.iter().map(item).collect();
            items.join(", ")
        };
        append(
            response,
            "RateLimit-Policy",
            &listed(RateLimitState::policy),
        );
        append(response, "RateLimit", &listed(RateLimitState::state));
    }
}

fn compressed(response: HttpResponse) -> HttpResponse {
    response
        .map_body(|head, body| Encoder::response(ContentEncoding::Gzip, head, body))
        .map_into_boxed_body()
}

fn append(response: &mut HttpResponseBuilder, name: &str, value: &str) {
    if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
        response.append_header((name, value));
    }
}

fn incoming_request_id(request: &HttpRequest) -> Option<String> {
    let given = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let fits = (8..=64).contains(&given.len())
        && given
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    // Request ids are logged, so they must not contain a token.
    let fits = fits && !given.contains(PlainToken::PREFIX);
    fits.then(|| given.to_owned())
}

/// Trace id of `traceparent` (W3C Trace Context, 3.2): 32 lowercase hex digits, not all zero.
fn incoming_trace_id(request: &HttpRequest) -> Option<String> {
    parse_traceparent(request.headers().get(TRACE_PARENT)?.to_str().ok()?).map(str::to_owned)
}

fn parse_traceparent(parent: &str) -> Option<&str> {
    let mut parts = parent.split('-');
    let (version, trace, parent, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, length: usize| {
        text.len() == length
            && text
                .bytes()
                .all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it))
    };
    let is_something = |text: &str| text.bytes().any(|it| it != b'0');
    // Version 00 has exactly these parts; later versions may have more.
    let fits = is_hex(version, 2)
        && version != "ff"
        && is_hex(flags, 2)
        && (version != "00" || parts.next().is_none());
    let fits = fits && is_hex(trace, 32) && is_something(trace);
    let fits = fits && is_hex(parent, 16) && is_something(parent);
    fits.then_some(trace)
}

/// A version 4 UUID (RFC 9562, 5.4).
fn new_request_id(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; 16];
    randomness.fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valid_traceparent_is_continued() {
        let trace = "0af7651916cd43dd8448eb211c80319c";
        let parsed = |text: String| parse_traceparent(&text).map(str::to_owned);
        let known = Some(trace.to_owned());
        assert_eq!(parsed(format!("00-{trace}-b7ad6b7169203331-01")), known);
        assert_eq!(
            parsed(format!("01-{trace}-b7ad6b7169203331-01-more")),
            known
        );
        let zeros = "0".repeat(32);
        for wrong in [
            String::new(),
            trace.to_owned(),
            format!("00-{trace}-b7ad6b7169203331-01-more"),
            format!("ff-{trace}-b7ad6b7169203331-01"),
            format!("00-{zeros}-b7ad6b7169203331-01"),
            format!("00-{trace}-0000000000000000-01"),
            format!("00-{}-b7ad6b7169203331-01", trace.to_uppercase()),
            "00-sightline_agt_xxxxxxxxxxxxxxxxxx-b7ad6b7169203331-01".to_owned(),
        ] {
            assert_eq!(parsed(wrong.clone()), None, "{wrong}");
        }
    }
}
