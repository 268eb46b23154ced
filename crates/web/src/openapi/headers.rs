use crate::{endpoint::Endpoint, route_table::Verb};
use serde_json::{Map, Value, json};

/// The test suite's recorder finds headers that are missing here.
pub fn response_headers(endpoint: &Endpoint, status: u16) -> Map<String, Value> {
    let mut headers = Map::new();
    let mut describe = |name: &str, description: &str| {
        let header = json!({ "description": description, "schema": { "type": "string" } });
        headers.insert(name.to_owned(), header);
    };
    describe(
        "X-Request-Id",
        "Names this request in the server's logs: the caller's own, or a new one.",
    );
    let is_good = status < 300;
    let schema = endpoint.responses.iter().find(|(of, _)| *of == status);
    let makes = schema.is_some_and(|(_, schema)| *schema == "CreatedProject");
    if (endpoint.is_conditional && is_good) || makes || status == 304 {
        describe(
            "ETag",
            "Names this state of it, for If-Match and If-None-Match.",
        );
    }
    if makes || status == 202 {
        describe("Location", "Where it is found from now on.");
    }
    if is_good && endpoint.verb == Verb::Get && endpoint.has_parameter("cursor") {
        describe("Link", "`rel=\"next\"`: the next page, when there is one.");
    }
    if endpoint.verb == Verb::Post && (is_good || matches!(status, 404 | 409)) {
        describe(
            "Idempotent-Replayed",
            "`true` when this is the answer to an earlier request with the same Idempotency-Key.",
        );
    }
    match status {
        401 | 403 => describe(
            "WWW-Authenticate",
            "How to be let in: the scheme, what is wrong with the token, the scope that is needed (RFC 6750).",
        ),
        405 => describe("Allow", "The methods that there are."),
        415 if endpoint.verb == Verb::Patch => {
            describe("Accept-Patch", "The media types that are read.");
            describe("Accept-Encoding", "The encodings that are read.");
        }
        415 => {
            describe("Accept-Post", "The media types that are read.");
            describe("Accept-Encoding", "The encodings that are read.");
        }
        _ => {}
    }
    // Requests refused before authentication are not counted by token rates.
    let is_counted = !matches!(status, 401 | 403 | 405 | 414 | 431);
    if endpoint.access.scope().is_some() && is_counted {
        describe(
            "RateLimit-Policy",
            "The rates that this was counted by: quota and seconds in which it fills (draft-ietf-httpapi-ratelimit-headers-11).",
        );
        describe(
            "RateLimit",
            "What is left of each, and the seconds until it is whole again.",
        );
    }
    let may_wait = endpoint.has_parameter("wait") && status == 200;
    if may_wait || matches!(status, 202 | 409 | 429 | 503) {
        headers.insert("Retry-After".to_owned(), json!({ "description": "Seconds after which it is worth another look or try.", "schema": { "type": "integer" } }));
    }
    headers
}
