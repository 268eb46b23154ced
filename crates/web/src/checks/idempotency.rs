//! Runs handlers shared by agents and sessions. Requests with an idempotency key are executed once.

use crate::endpoint::{AgentHandler, Call};
use crate::links::{Link, Surface};
use crate::problem::{Code, Problem};
use crate::response::{ApiResponse, PROBLEM, RETRY_AFTER_SECONDS};
use crate::route_table::Verb;
use crate::services::Services;
use crate::{links, refusals, request_metrics};
use actix_web::HttpRequest;
use chrono::SecondsFormat;
use domain::idempotency::{Fingerprint, IdempotentRequest, StoredResponse};
use domain::ids::{AccountId, CallerId};
use domain::use_cases::idempotency::IdempotencyLookup;
use serde_json::{Map, Value};
use std::sync::Arc;

const HEADER: &str = "Idempotency-Key";
const MAX_LENGTH: usize = 255;

/// `None` unless it is a POST with a key: other methods are idempotent already.
pub fn read_key(
    request: &HttpRequest,
    verb: Verb,
    body: &Map<String, Value>,
    caller: CallerId,
) -> Result<Option<IdempotentRequest>, Problem> {
    if verb != Verb::Post {
        return Ok(None);
    }
    let mut given = request.headers().get_all(HEADER);
    let Some(value) = given.next() else {
        return Ok(None);
    };
    let key = value.to_str().ok().and_then(parse_key);
    let key = key.filter(|_| given.next().is_none()).ok_or_else(|| {
        let problem = Problem::new(Code::InvalidHeader, "The Idempotency-Key cannot be used.");
        problem
            .with("header", HEADER)
            .hint("Send one key of 1 to 255 visible ASCII characters, for example a UUID, or none.")
    })?;
    Ok(Some(idempotent_request(
        key,
        verb,
        request.path(),
        body,
        caller,
    )))
}

pub fn idempotent_request(
    key: String,
    verb: Verb,
    path: &str,
    body: &Map<String, Value>,
    caller: CallerId,
) -> IdempotentRequest {
    let fingerprint = Fingerprint::of(
        verb.name(),
        path,
        canonical(&Value::Object(body.clone())).as_bytes(),
    );
    IdempotentRequest {
        key,
        fingerprint,
        caller,
    }
}

/// Bare or quoted (draft-ietf-httpapi-idempotency-key-header).
pub fn parse_key(text: &str) -> Option<String> {
    let text = text.trim();
    let bare = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .unwrap_or(text);
    let fits = (1..=MAX_LENGTH).contains(&bare.len())
        && bare
            .bytes()
            .all(|it| it.is_ascii_graphic() && it != b'"' && it != b'\\');
    fits.then(|| bare.to_owned())
}

/// Equal for equivalent bodies: sorted members, no spaces.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort_unstable();
            let entries = names.iter().map(|name| {
                let name_text = Value::String((*name).clone());
                format!("{name_text}:{}", canonical(&members[*name]))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", texts.join(","))
        }
        plain => plain.to_string(),
    }
}

/// Calls the handler unless a response is stored for the key.
pub async fn call_handler(
    services: &Arc<Services>,
    handler: AgentHandler,
    call: Call,
    request_id: &str,
) -> Result<ApiResponse, Problem> {
    let (account, surface, request) = (
        call.account(),
        call.caller.surface(),
        call.idempotent_request.clone(),
    );
    if let Some(request) = &request
        && let Some(answer) = find_stored_response(services, account, surface, request).await?
    {
        return Ok(answer);
    }
    let handling = handler(Arc::clone(services), call);
    let outcome = services.with_timeout(handling).await;
    match &request {
        Some(request) => {
            store_response(services, account, surface, request, outcome, request_id).await
        }
        None => outcome,
    }
}

/// `None` for the first request with the key. Fails if the account stored too many bytes recently.
async fn find_stored_response(
    services: &Services,
    account: AccountId,
    surface: Surface,
    request: &IdempotentRequest,
) -> Result<Option<ApiResponse>, Problem> {
    match services.core.find_stored_response(account, request).await? {
        IdempotencyLookup::Unused => {
            let counted = services.limiter.count_stored_response(account);
            let besides =
                "or at once without an Idempotency-Key: answers of many MiB are kept for such keys";
            counted.map_err(|it| refusals::too_many(&it, besides))?;
            Ok(None)
        }
        IdempotencyLookup::Replay(answer) => Ok(Some(replay(answer, surface))),
        IdempotencyLookup::Reused { first_used_at } => {
            let problem = Problem::new(
                Code::IdempotencyKeyReused,
                "The Idempotency-Key was used for another request.",
            );
            let at = first_used_at.to_rfc3339_opts(SecondsFormat::Secs, true);
            Err(problem
                .with("firstUsedAt", at)
                .hint("Send a new key for a new request; keys are kept for 24 hours."))
        }
    }
}

fn replay(stored: StoredResponse, surface: Surface) -> ApiResponse {
    request_metrics::count_replay();
    let mut answer = if stored.status < 400 {
        ApiResponse::text(stored.status, stored.body)
    } else {
        let refusal = links::render_stored_problem(stored.body, surface);
        ApiResponse {
            content_type: PROBLEM,
            ..ApiResponse::text(stored.status, refusal)
        }
    };
    answer.cache = "no-store";
    answer.location = stored.location.and_then(|it| Link::parse_stored(None, &it));
    if let Some(tag) = stored.etag {
        answer = answer.header("ETag", tag);
    }
    if stored.status == 202 {
        answer = answer.header("Retry-After", RETRY_AFTER_SECONDS);
    }
    answer.header("Idempotent-Replayed", "true")
}

/// Stores the outcome for replay: successes, and refusals that depend on stored data. Other refusals are temporary or
/// fixed by the caller, who may then retry with the same key.
async fn store_response(
    services: &Services,
    account: AccountId,
    surface: Surface,
    request: &IdempotentRequest,
    mut outcome: Result<ApiResponse, Problem>,
    request_id: &str,
) -> Result<ApiResponse, Problem> {
    let stored = match &mut outcome {
        Ok(answer) if answer.is_stored => {
            services
                .limiter
                .charge_stored_bytes(account, answer.body.len());
            return outcome;
        }
        Ok(answer) => answer.to_stored(),
        Err(problem) if problem.code == Code::IdempotencyInProgress => {
            let earlier = find_stored_response(services, account, surface, request).await?;
            return earlier.map_or(outcome, Ok);
        }
        Err(problem) if refusals::is_contention(problem) => return Err(refusals::in_progress()),
        // The request itself must change; its corrected form may use the same key.
        Err(problem)
            if matches!(
                problem.code,
                Code::DomainNotMonitorable | Code::FeatureDisabled
            ) =>
        {
            return outcome;
        }
        Err(problem) if matches!(problem.code.status(), 404 | 409) => {
            problem.add_hint("This answer is kept with its Idempotency-Key: once the cause is mended, send the request with a new key.");
            StoredResponse {
                status: problem.code.status(),
                location: None,
                etag: None,
                body: problem
                    .document(Surface::Agent, &services.config.public_base_url, request_id)
                    .to_string(),
            }
        }
        Err(_) => return outcome,
    };
    services
        .limiter
        .charge_stored_bytes(account, stored.body.len());
    services
        .core
        .store_response(account, request, &stored)
        .await?;
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_visible_ascii_bare_or_quoted() {
        assert_eq!(parse_key("abc"), parse_key("\"abc\""));
        assert_eq!(parse_key(&"k".repeat(255)), Some("k".repeat(255)));
        for wrong in ["", "\"\"", "a b", "é", "a\"b", &"k".repeat(256)] {
            assert_eq!(parse_key(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn equal_json_has_one_canonical_text() {
        let one = json!({ "b": [1, { "y": null, "x": "\"" }], "a": true });
        let other = json!({ "a": true, "b": [1, { "x": "\"", "y": null }] });
        assert_eq!(canonical(&one), canonical(&other));
        assert_ne!(canonical(&one), canonical(&json!({ "a": true, "b": [1] })));
        assert_eq!(canonical(&json!({ "a": [2, 1] })), "{\"a\":[2,1]}");
    }
}
