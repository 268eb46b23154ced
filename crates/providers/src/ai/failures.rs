//! Errors of AI services. Most share a shape; some report in a message or code what the status does not say.

use crate::http_client::Answer;
use crate::resilience::{CallFailure, Repeat};
use crate::search::wire_errors::{by_status, shortened};
use chrono::{DateTime, Utc};
use domain::ports::search_results::ProviderError;
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Codes, types and reasons, in lower case.
    codes: Vec<String>,
    message: String,
    /// Retry delay given in the body.
    wait: Option<Duration>,
}

impl Said {
    /// Accepts `{"error": {…}}`, `{"error": "…"}`, `{"detail": …}`, or the first element of a list.
    pub(super) fn of(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let body = body.get(0).unwrap_or(&body);
        Self::of_error(
            body.get("error")
                .or_else(|| body.get("detail"))
                .unwrap_or(body),
        )
    }

    pub(super) fn of_error(error: &Value) -> Self {
        if let Some(message) = error.as_str() {
            return Self {
                message: message.to_owned(),
                ..Self::default()
            };
        }
        let details = error.get("details").and_then(Value::as_array);
        let details = details.map_or(&[][..], Vec::as_slice);
        let names = ["type", "code", "status"]
            .into_iter()
            .filter_map(|it| error.get(it));
        let reasons = details.iter().filter_map(|it| it.get("reason"));
        let codes = names.chain(reasons).filter_map(Value::as_str);
        let wait = details.iter().find_map(|it| it.get("retryDelay"));
        Self {
            codes: codes.map(str::to_ascii_lowercase).collect(),
            message: { error.get("message") }
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            wait: wait.and_then(Value::as_str).and_then(seconds),
        }
    }

    fn is(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|it| codes.contains(&it.as_str()))
    }

    fn is_about_money(&self) -> bool {
        let said = self.message.to_ascii_lowercase();
        self.is(&[
            "insufficient_quota",
            "billing_error",
            "billing_hard_limit_reached",
            "insufficient_credits",
        ]) || [
            "credit balance is too low",
            "insufficient credit",
            "exceeded your current quota, please check your plan and billing",
        ]
        .iter()
        .any(|it| said.contains(it))
    }

    fn is_about_the_key(&self) -> bool {
        self.is(&[
            "api_key_invalid",
            "invalid_api_key",
            "authentication_error",
            "permission_denied",
            "permission_error",
            "unauthenticated",
        ])
    }
}

/// Google's duration format: `34s`, `34.074824224s`.
fn seconds(text: &str) -> Option<Duration> {
    let number: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

pub(super) fn by_status_and_words(
    answer: &Answer,
    without_secrets: impl Fn(&str) -> String,
    now: DateTime<Utc>,
) -> CallFailure {
    let said = Said::of(&answer.body);
    if said.is_about_money() {
        // Gemini uses the same message for a quota that frees up within a minute.
        let passes = said.is(&["resource_exhausted"]) && said.wait.is_some();
        if !passes {
            return CallFailure::pointless(ProviderError::OutOfFunds);
        }
    }
    if said.is_about_the_key() {
        return CallFailure::pointless(ProviderError::Unauthorised);
    }
    let mut failure = by_status(answer, &without_secrets(&said.message), now);
    if let ProviderError::RateLimited { retry_after } = &mut failure.error {
        *retry_after = retry_after.or(said.wait);
    }
    failure
}

/// An error in a response with a success status. Whether the work done so far is billed is not documented.
pub(super) fn inside(error: &Value, without_secrets: impl Fn(&str) -> String) -> CallFailure {
    let said = Said::of_error(error);
    let uncertain = |error| CallFailure {
        error,
        repeat: Repeat::Uncertain,
    };
    if said.is_about_money() {
        CallFailure::pointless(ProviderError::OutOfFunds)
    } else if said.is_about_the_key() {
        CallFailure::pointless(ProviderError::Unauthorised)
    } else if said.is(&[
        "rate_limit_exceeded",
        "rate_limit_error",
        "too_many_requests",
        "request_rate_limit_exceeded",
        "resource_exhausted",
    ]) {
        uncertain(ProviderError::RateLimited {
            retry_after: said.wait,
        })
    } else if said.is(&[
        "invalid_prompt",
        "invalid_request",
        "invalid_request_error",
        "invalid_model",
        "invalid_parameter",
        "invalid_argument",
        "query_too_long",
        "invalid_tool_input",
    ]) {
        let reason = shortened(&without_secrets(&said.message));
        CallFailure::pointless(ProviderError::Refused { reason })
    } else {
        uncertain(ProviderError::Unavailable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_are_understood_however_they_are_wrapped() {
        let error = json!({"message": "no", "type": "Invalid_Request", "code": 400});
        for body in [
            json!({"error": error}),
            json!([{"error": error}]),
            json!({"detail": error}),
        ] {
            let said = Said::of(body.to_string().as_bytes());
            assert_eq!(
                (said.message.as_str(), said.codes.len()),
                ("no", 1),
                "{body}"
            );
            assert!(said.is(&["invalid_request"]));
        }
        assert_eq!(Said::of(b"<html>"), Said::default());
        assert_eq!(Said::of(br#"{"error": "gone"}"#).message, "gone");
    }

    #[test]
    fn patience_may_be_asked_for_in_the_body() {
        let body = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}
        ]}});
        let said = Said::of(body.to_string().as_bytes());
        assert_eq!(said.wait, Some(Duration::from_millis(7_500)));
    }
}
