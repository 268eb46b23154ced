//! Reads a request body: media type, size, time limit, one JSON object.

use crate::http::json_guard;
use crate::limits::BodyLimit;
use crate::problem::{Code, Problem};
use crate::route_table::Verb;
use actix_web::http::header;
use actix_web::http::header::HeaderMap;
use actix_web::web::BytesMut;
use actix_web::{HttpRequest, web};
use futures_util::StreamExt;
use serde_json::{Map, Value, json};

/// Empty for methods without a body.
pub async fn read(
    verb: Verb,
    request: &HttpRequest,
    payload: web::Payload,
    limit: BodyLimit,
) -> Result<Map<String, Value>, Problem> {
    if verb.accepted_types().is_empty() {
        return Ok(Map::new());
    }
    check_type(verb, request.headers())?;
    let bytes = raw(request, payload, limit).await?;
    json_guard::parse(&bytes).map_err(|wrong| {
        let problem = Problem::new(
            Code::MalformedJson,
            format!("The body cannot be read: {}.", wrong.reason),
        );
        let position = json!({ "line": wrong.line, "column": wrong.column });
        problem.with("position", position).hint(format!(
            "Send one JSON object in UTF-8, each member once, nested at most {} deep.",
            json_guard::MAX_DEPTH
        ))
    })
}

pub async fn raw(
    request: &HttpRequest,
    payload: web::Payload,
    limit: BodyLimit,
) -> Result<BytesMut, Problem> {
    let max_bytes = limit.max_bytes;
    if content_length(request.headers()).is_some_and(|length| length > max_bytes as u64) {
        return Err(too_large(max_bytes));
    }
    let late = |_| {
        let problem = Problem::new(Code::RequestTimeout, "The body did not arrive in time.");
        problem.header("Connection", "close")
    };
    let collecting = tokio::time::timeout(limit.timeout, collect(payload, max_bytes));
    collecting.await.map_err(late)?
}

pub fn check_type(verb: Verb, headers: &HeaderMap) -> Result<(), Problem> {
    let accepted = verb.accepted_types();
    let unsupported = |detail: &str, mend: &str| {
        let problem =
            Problem::new(Code::UnsupportedMediaType, detail).with("accepted", accepted.to_vec());
        let accept = if verb == Verb::Patch {
            "Accept-Patch"
        } else {
            "Accept-Post"
        };
        problem.hint(mend).header(accept, accepted.join(", "))
    };
    let send = format!("Send Content-Type: {}.", accepted.join(" or "));
    let encoding = headers
        .get(header::CONTENT_ENCODING)
        .map(|value| value.to_str().unwrap_or("?"));
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        return Err(unsupported(
            "Compressed bodies are not read.",
            "Send the body uncompressed, without Content-Encoding.",
        )
        .header("Accept-Encoding", "identity"));
    }
    let Some(text) = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
    else {
        return Err(unsupported(
            "The request does not say what its body is.",
            &send,
        ));
    };
    let mut parts = text.split(';').map(|part| part.trim().to_ascii_lowercase());
    let kind = parts.next().unwrap_or_default();
    if !accepted.contains(&kind.as_str()) {
        let detail = format!("A body of the type {kind} is not read here.");
        return Err(unsupported(&detail, &send));
    }
    let other_charset = parts.any(|part| {
        part.strip_prefix("charset=")
            .is_some_and(|name| name.trim_matches('"') != "utf-8")
    });
    if other_charset {
        Err(unsupported(
            "Only UTF-8 is read.",
            "Send the body in UTF-8, with charset=utf-8 or without a charset.",
        ))
    } else {
        Ok(())
    }
}

/// `Content-Length`.
fn content_length(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

fn too_large(max_bytes: usize) -> Problem {
    let problem = Problem::new(
        Code::PayloadTooLarge,
        format!("The body is larger than {max_bytes} bytes."),
    );
    problem
        .with("limitBytes", max_bytes)
        .hint("Send the data in several requests.")
        .header("Connection", "close")
}

async fn collect(mut payload: web::Payload, max_bytes: usize) -> Result<BytesMut, Problem> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Problem::new(Code::MalformedJson, "The body broke off."))?;
        if bytes.len() + chunk.len() > max_bytes {
            return Err(too_large(max_bytes));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
