//! Converts messages between Actix (http 0.2) and rmcp (http 1).

use crate::problem::{Code, Problem};
use crate::response::{ApiResponse, EventStream};
use actix_web::HttpRequest;
use actix_web::http::header::HeaderMap;
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use futures_util::StreamExt;
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::{
    SessionManager, StreamableHttpServerConfig, StreamableHttpService,
};
use std::{convert::Infallible, sync::Arc};

/// Header fields passed on to rmcp; never a token.
const FORWARDED_HEADERS: [&str; 9] = [
    "accept",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "origin",
];
const ACCEPT_BOTH: http::HeaderValue =
    http::HeaderValue::from_static("application/json, text/event-stream");
/// Prefix of header fields that repeat an argument.
const PARAMETER_PREFIX: &str = "mcp-param-";

pub enum Reply {
    /// One JSON text, or an empty body.
    Complete(ApiResponse),
    /// Events, the last of which is the response.
    Stream(EventStream),
}

pub struct Transport<H, M> {
    service: StreamableHttpService<H, M>,
}

impl<H: ServerHandler + Send + 'static, M: SessionManager> Transport<H, M> {
    /// Calls `handler` for each message. Host and Origin are already checked ([`crate::checks::origin_check::check`]).
    pub fn new(
        handler: impl Fn() -> H + Send + Sync + 'static,
        sessions: Arc<M>,
        config: StreamableHttpServerConfig,
    ) -> Self {
        let config = config.disable_allowed_hosts().disable_allowed_origins();
        Self {
            service: StreamableHttpService::new(move || Ok(handler()), sessions, config),
        }
    }

    /// `extensions` carry the caller. Fails with refusals of rmcp that are plain text.
    pub async fn respond(
        &self,
        request: &HttpRequest,
        body: Bytes,
        extensions: http::Extensions,
    ) -> Result<Reply, Problem> {
        let response = self
            .service
            .handle(to_rmcp_request(request, body, extensions))
            .await;
        let (head, body) = response.into_parts();
        let content_type = head.headers.get(http::header::CONTENT_TYPE);
        let content_type = content_type
            .and_then(|it| it.to_str().ok())
            .unwrap_or_default();
        if content_type.starts_with("text/event-stream") {
            return Ok(Reply::Stream(EventStream {
                headers: session_header(&head.headers),
                events: body.into_data_stream().boxed_local(),
            }));
        }
        let is_json = content_type.starts_with("application/json");
        let text = text_of(body).await;
        let status = head.status.as_u16();
        if status >= 400 && !is_json {
            return Err(refused(status, &text));
        }
        let mut answer = ApiResponse::text(status, text);
        answer.cache = "no-store";
        answer.headers = session_header(&head.headers);
        Ok(Reply::Complete(answer))
    }
}

fn session_header(headers: &http::HeaderMap) -> Vec<(&'static str, String)> {
    let session = headers
        .get("mcp-session-id")
        .and_then(|it| it.to_str().ok());
    session
        .map(|it| ("Mcp-Session-Id", it.to_owned()))
        .into_iter()
        .collect()
}

async fn text_of(body: BoxBody<Bytes, Infallible>) -> String {
    let collected = body.collect().await;
    let bytes = collected.map_or_else(|never| match never {}, http_body_util::Collected::to_bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn to_rmcp_request(
    request: &HttpRequest,
    body: Bytes,
    extensions: http::Extensions,
) -> http::Request<Full<Bytes>> {
    let mut translated = http::Request::new(Full::new(body));
    *translated.method_mut() = match *request.method() {
        Method::GET => http::Method::GET,
        Method::DELETE => http::Method::DELETE,
        _ => http::Method::POST,
    };
    *translated.headers_mut() = forwarded_headers(request.headers());
    *translated.extensions_mut() = extensions;
    translated
}

fn forwarded_headers(headers: &HeaderMap) -> http::HeaderMap {
    let mut read = http::HeaderMap::new();
    for (name, value) in headers {
        let is_read = FORWARDED_HEADERS.contains(&name.as_str())
            || name.as_str().starts_with(PARAMETER_PREFIX);
        if let (true, Ok(name), Ok(value)) = (
            is_read,
            http::HeaderName::from_bytes(name.as_str().as_bytes()),
            http::HeaderValue::from_bytes(value.as_bytes()),
        ) {
            read.append(name, value);
        }
    }
    if accepts_anything(&read) {
        read.insert(http::header::ACCEPT, ACCEPT_BOTH);
    }
    read
}

/// `*/*`, the default of `curl`, means both types; rmcp requires them by name.
fn accepts_anything(headers: &http::HeaderMap) -> bool {
    let accept = headers.get_all(http::header::ACCEPT).iter();
    let ranges = accept.filter_map(|it| it.to_str().ok());
    ranges.flat_map(|it| it.split(',')).any(|range| {
        let (kind, weight) = range.split_once(';').unwrap_or((range, ""));
        kind.trim() == "*/*" && weight.trim() != "q=0"
    })
}

/// Converts a plain-text refusal of rmcp to a problem document.
fn refused(status: u16, text: &str) -> Problem {
    let (code, hint) = match StatusCode::from_u16(status) {
        Ok(StatusCode::NOT_ACCEPTABLE) => (
            Code::NotAcceptable,
            "Send Accept: application/json, text/event-stream.",
        ),
        Ok(StatusCode::UNSUPPORTED_MEDIA_TYPE) => (
            Code::UnsupportedMediaType,
            "Send one JSON-RPC 2.0 message as application/json.",
        ),
        Ok(StatusCode::PAYLOAD_TOO_LARGE) => (Code::PayloadTooLarge, "Send a smaller message."),
        Ok(StatusCode::NOT_FOUND) => (Code::NotFound, "Begin with initialize."),
        Ok(it) if it.is_client_error() => (
            Code::InvalidHeader,
            "Send MCP-Protocol-Version: 2026-07-28, 2025-11-25 or 2025-06-18.",
        ),
        _ => (Code::InternalError, "Send the message again."),
    };
    Problem::new(code, text).hint(hint)
}
