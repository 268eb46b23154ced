//! Errors of AI services. Most share a shape; some report in a message or code what the status does not say.

use crate::http_client::RawResponse;
use crate::resilience::{CallFailure, Repeat};
use crate::search::wire_errors::{shorten_reason, status_failure};
use chrono::{DateTime, Utc};
use domain::ports::search_results::ProviderError;
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServiceError {
    /// Codes, types and reasons, in lower case.
    codes: Vec<String>,
    message: String,
    /// Retry delay given in the body.
    retry_delay: Option<Duration>,
}

impl ServiceError {
    /// Accepts `{"error": {…}}`, `{"error": "…"}`, `{"detail": …}`, or the first element of a list.
    pub(super) fn from_body(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let body = body.get(0).unwrap_or(&body);
        Self::from_error(
            body.get("error")
                .or_else(|| body.get("detail"))
                .unwrap_or(body),
        )
    }

    pub(super) fn from_error(error: &Value) -> Self {
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
            retry_delay: wait.and_then(Value::as_str).and_then(seconds),
        }
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|it| codes.contains(&it.as_str()))
    }

    fn is_out_of_funds(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        self.has_code(&[
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
        .any(|it| message.contains(it))
    }

    fn is_unauthorized(&self) -> bool {
        self.has_code(&[
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

pub(super) fn response_failure(
    answer: &RawResponse,
    without_secrets: impl Fn(&str) -> String,
    now: DateTime<Utc>,
) -> CallFailure {
    let service_error = ServiceError::from_body(&answer.body);
    if service_error.is_out_of_funds() {
        // Gemini uses the same message for a quota that frees up within a minute.
        let passes =
            service_error.has_code(&["resource_exhausted"]) && service_error.retry_delay.is_some();
        if !passes {
            return CallFailure::pointless(ProviderError::OutOfFunds);
        }
    }
    if service_error.is_unauthorized() {
        return CallFailure::pointless(ProviderError::Unauthorized);
    }
    let mut failure = status_failure(answer, &without_secrets(&service_error.message), now);
    if let ProviderError::RateLimited { retry_after } = &mut failure.error {
        *retry_after = retry_after.or(service_error.retry_delay);
    }
    failure
}

/// An error in a response with a success status. Whether the work done so far is billed is not documented.
pub(super) fn body_failure(error: &Value, without_secrets: impl Fn(&str) -> String) -> CallFailure {
    let service_error = ServiceError::from_error(error);
    let uncertain = |error| CallFailure {
        error,
        repeat: Repeat::Uncertain,
    };
    if service_error.is_out_of_funds() {
        CallFailure::pointless(ProviderError::OutOfFunds)
    } else if service_error.is_unauthorized() {
        CallFailure::pointless(ProviderError::Unauthorized)
    } else if service_error.has_code(&[
        "rate_limit_exceeded",
        "rate_limit_error",
        "too_many_requests",
        "request_rate_limit_exceeded",
        "resource_exhausted",
    ]) {
        uncertain(ProviderError::RateLimited {
            retry_after: service_error.retry_delay,
        })
    } else if service_error.has_code(&[
        "invalid_prompt",
        "invalid_request",
        "invalid_request_error",
        "invalid_model",
        "invalid_parameter",
        "invalid_argument",
        "query_too_long",
        "invalid_tool_input",
    ]) {
        let reason = shorten_reason(&without_secrets(&service_error.message));
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
    fn errors_are_parsed_in_every_documented_shape() {
        let error = json!({"message": "no", "type": "Invalid_Request", "code": 400});
        for body in [
            json!({"error": error}),
            json!([{"error": error}]),
            json!({"detail": error}),
        ] {
            let service_error = ServiceError::from_body(body.to_string().as_bytes());
            assert_eq!(
                (service_error.message.as_str(), service_error.codes.len()),
                ("no", 1),
                "{body}"
            );
            assert!(service_error.has_code(&["invalid_request"]));
        }
        assert_eq!(ServiceError::from_body(b"<html>"), ServiceError::default());
        assert_eq!(
            ServiceError::from_body(br#"{"error": "gone"}"#).message,
            "gone"
        );
    }

    #[test]
    fn retry_delay_is_read_from_the_body() {
        let body = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}
        ]}});
        let service_error = ServiceError::from_body(body.to_string().as_bytes());
        assert_eq!(
            service_error.retry_delay,
            Some(Duration::from_millis(7_500))
        );
    }
}
