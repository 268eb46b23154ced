use crate::http_client::RawResponse;
use crate::resilience::{CallFailure, Repeat, retry_after};
use chrono::{DateTime, Utc};
use domain::ports::search_results::ProviderError;

/// In characters.
const MAX_REASON_LENGTH: usize = 200;

/// Failure for an error status; `message` is the supplier's message.
pub(crate) fn status_failure(
    answer: &RawResponse,
    message: &str,
    now: DateTime<Utc>,
) -> CallFailure {
    let safe = |error| CallFailure {
        error,
        repeat: Repeat::Safe,
    };
    match answer.status.as_u16() {
        401 | 403 => CallFailure::pointless(ProviderError::Unauthorized),
        402 => CallFailure::pointless(ProviderError::OutOfFunds),
        429 => safe(ProviderError::RateLimited {
            retry_after: { answer.retry_after.as_deref() }.and_then(|it| retry_after(it, now)),
        }),
        408 | 425 | 500..=599 => safe(ProviderError::Unavailable),
        300..=399 => CallFailure::malformed("it is a redirect"),
        _ => CallFailure::pointless(ProviderError::Refused {
            reason: shorten_reason(message),
        }),
    }
}

/// Removes a secret from a supplier's message, also in its URL-encoded form.
pub(crate) fn redact(secret: &str, message: &str) -> String {
    if secret.is_empty() {
        return message.to_owned();
    }
    let encoded: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    message.replace(secret, "…").replace(&encoded, "…")
}

pub(crate) fn shorten_reason(message: &str) -> String {
    let printable = message
        .chars()
        .map(|it| if it.is_control() { ' ' } else { it });
    let text: String = printable.take(MAX_REASON_LENGTH).collect();
    let text = text.trim();
    if text.is_empty() {
        "no reason given".to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::StatusCode;
    use std::time::Duration;

    fn limited(retry_after: &str) -> ProviderError {
        let answer = RawResponse {
            status: StatusCode::TOO_MANY_REQUESTS,
            retry_after: Some(retry_after.to_owned()),
            body: Vec::new(),
        };
        let now = DateTime::parse_from_rfc3339("2026-11-21T10:00:00Z")
            .unwrap()
            .to_utc();
        status_failure(&answer, "", now).error
    }

    #[test]
    fn retry_after_takes_seconds_or_a_date() {
        let after = |seconds| ProviderError::RateLimited {
            retry_after: seconds,
        };
        assert_eq!(limited("12"), after(Some(Duration::from_secs(12))));
        assert_eq!(
            limited("Sat, 21 Nov 2026 10:00:05 GMT"),
            after(Some(Duration::from_secs(5)))
        );
        assert_eq!(
            limited("Sat, 21 Nov 2026 09:00:00 GMT"),
            after(Some(Duration::ZERO))
        );
        assert_eq!(limited("soon"), after(None));
    }

    #[test]
    fn a_reason_is_short_and_printable() {
        assert_eq!(shorten_reason("no\r\nway"), "no  way");
        assert_eq!(shorten_reason(&"x".repeat(1000)).len(), 200);
        assert_eq!(shorten_reason(" "), "no reason given");
    }
}
