//! Runs handlers shared by agents and sessions. Requests with an idempotency key are executed once.

use crate::answer::{Answer, LOOK_AGAIN, PROBLEM};
use crate::endpoint::{AgentHandler, Call};
use crate::links::{Link, Surface};
use crate::problem::{Code, Problem};
use crate::route_table::Verb;
use crate::services::Services;
use crate::{counted, links, refusals};
use actix_web::HttpRequest;
use chrono::SecondsFormat;
use domain::idempotency::{Fingerprint, OnceOnly, StoredAnswer};
use domain::ids::{AccountId, CallerId};
use domain::use_cases::repeats::Found;
use serde_json::{Map, Value};
use std::sync::Arc;

const HEADER: &str = "Idempotency-Key";
const MOST_LENGTH: usize = 255;

/// `None` unless it is a POST with a key: other methods are idempotent already.
pub fn asked(
    request: &HttpRequest,
    verb: Verb,
    body: &Map<String, Value>,
    caller: CallerId,
) -> Result<Option<OnceOnly>, Problem> {
    if verb != Verb::Post {
        return Ok(None);
    }
    let mut given = request.headers().get_all(HEADER);
    let Some(value) = given.next() else {
        return Ok(None);
    };
    let key = value.to_str().ok().and_then(key);
    let key = key.filter(|_| given.next().is_none()).ok_or_else(|| {
        let problem = Problem::new(Code::InvalidHeader, "The Idempotency-Key cannot be used.");
        problem
            .with("header", HEADER)
            .hint("Send one key of 1 to 255 visible ASCII characters, for example a UUID, or none.")
    })?;
    Ok(Some(under(key, verb, request.path(), body, caller)))
}

pub fn under(
    key: String,
    verb: Verb,
    path: &str,
    body: &Map<String, Value>,
    caller: CallerId,
) -> OnceOnly {
    let fingerprint = Fingerprint::of(
        verb.name(),
        path,
        canonical(&Value::Object(body.clone())).as_bytes(),
    );
    OnceOnly {
        key,
        fingerprint,
        caller,
    }
}

/// Bare or quoted (draft-ietf-httpapi-idempotency-key-header).
pub fn key(text: &str) -> Option<String> {
    let text = text.trim();
    let bare = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .unwrap_or(text);
    let fits = (1..=MOST_LENGTH).contains(&bare.len())
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
            let told = names.iter().map(|name| {
                let name_text = Value::String((*name).clone());
                format!("{name_text}:{}", canonical(&members[*name]))
            });
            format!("{{{}}}", told.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let told: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", told.join(","))
        }
        plain => plain.to_string(),
    }
}

/// Calls the handler unless a response is stored for the key.
pub async fn call(
    services: &Arc<Services>,
    handler: AgentHandler,
    call: Call,
    request_id: &str,
) -> Result<Answer, Problem> {
    let (account, surface, once) = (call.account(), call.caller.surface(), call.once.clone());
    if let Some(once) = &once
        && let Some(answer) = repeated(services, account, surface, once).await?
    {
        return Ok(answer);
    }
    let handling = handler(Arc::clone(services), call);
    let outcome = services.patiently(handling).await;
    match &once {
        Some(once) => settle(services, account, surface, once, outcome, request_id).await,
        None => outcome,
    }
}

/// `None` for the first request with the key. Fails if the account stored too many bytes recently.
async fn repeated(
    services: &Services,
    account: AccountId,
    surface: Surface,
    request: &OnceOnly,
) -> Result<Option<Answer>, Problem> {
    match services.core.look_up_repeat(account, request).await? {
        Found::Nothing => {
            let counted = services.limiter.count_kept(account);
            let besides =
                "or at once without an Idempotency-Key: answers of many MiB are kept for such keys";
            counted.map_err(|it| refusals::too_many(&it, besides))?;
            Ok(None)
        }
        Found::Answered(answer) => Ok(Some(replay(answer, surface))),
        Found::Reused { first_used_at } => {
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

fn replay(stored: StoredAnswer, surface: Surface) -> Answer {
    counted::replayed();
    let mut answer = if stored.status < 400 {
        Answer::text(stored.status, stored.body)
    } else {
        let refusal = links::retold(stored.body, surface);
        Answer {
            content_type: PROBLEM,
            ..Answer::text(stored.status, refusal)
        }
    };
    answer.cache = "no-store";
    answer.location = stored.location.and_then(|it| Link::of_kept(None, &it));
    if let Some(tag) = stored.etag {
        answer = answer.header("ETag", tag);
    }
    if stored.status == 202 {
        answer = answer.header("Retry-After", LOOK_AGAIN);
    }
    answer.header("Idempotent-Replayed", "true")
}

/// Stores the outcome for replay: successes, and refusals that depend on stored data. Other refusals are temporary or
/// fixed by the caller, who may then retry with the same key.
async fn settle(
    services: &Services,
    account: AccountId,
    surface: Surface,
    request: &OnceOnly,
    mut outcome: Result<Answer, Problem>,
    request_id: &str,
) -> Result<Answer, Problem> {
    let stored = match &mut outcome {
        Ok(answer) if answer.is_kept => {
            services.limiter.weigh_kept(account, answer.body.len());
            return outcome;
        }
        Ok(answer) => answer.stored(),
        Err(problem) if problem.code == Code::IdempotencyInProgress => {
            let earlier = repeated(services, account, surface, request).await?;
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
            StoredAnswer {
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
    services.limiter.weigh_kept(account, stored.body.len());
    services
        .core
        .remember_answer(account, request, &stored)
        .await?;
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_visible_ascii_bare_or_quoted() {
        assert_eq!(key("abc"), key("\"abc\""));
        assert_eq!(key(&"k".repeat(255)), Some("k".repeat(255)));
        for wrong in ["", "\"\"", "a b", "é", "a\"b", &"k".repeat(256)] {
            assert_eq!(key(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn bodies_that_mean_the_same_have_one_text() {
        let one = json!({ "b": [1, { "y": null, "x": "\"" }], "a": true });
        let other = json!({ "a": true, "b": [1, { "x": "\"", "y": null }] });
        assert_eq!(canonical(&one), canonical(&other));
        assert_ne!(canonical(&one), canonical(&json!({ "a": true, "b": [1] })));
        assert_eq!(canonical(&json!({ "a": [2, 1] })), "{\"a\":[2,1]}");
    }
}
