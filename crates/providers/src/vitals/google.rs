//! Google APIs: the key in the query, errors as `{"error": {"code", "message", "status", "details"}}`.

use crate::http_client::RawResponse;
use crate::resilience::CallFailure;
use crate::search::wire_errors::{redact, status_failure};
use chrono::{DateTime, Utc};
use domain::ports::search_results::ProviderError;
use serde::Deserialize;
use setting::{Secret, WebAddress};

#[derive(Debug, Default, Deserialize)]
struct Body {
    error: Option<GoogleError>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct GoogleError {
    #[serde(default)]
    pub message: String,
    /// A gRPC code, for example `PERMISSION_DENIED`.
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    details: Vec<Detail>,
}

#[derive(Debug, Default, Deserialize)]
struct Detail {
    #[serde(default)]
    reason: String,
}

pub(super) struct GoogleApi {
    pub base_url: WebAddress,
    pub key: Secret,
}

impl GoogleApi {
    pub(super) fn key(&self) -> (&'static str, &str) {
        ("key", self.key.reveal())
    }

    /// The service may echo a rejected key.
    fn without_key(&self, message: &str) -> String {
        redact(self.key.reveal(), message)
    }

    pub(super) fn failure(&self, answer: &RawResponse, now: DateTime<Utc>) -> CallFailure {
        let error = parse_error(answer);
        if error.is_invalid_key() {
            return CallFailure::pointless(ProviderError::Unauthorized);
        }
        status_failure(answer, &self.without_key(&error.message), now)
    }
}

/// Empty if the response holds no readable error.
pub(super) fn parse_error(answer: &RawResponse) -> GoogleError {
    serde_json::from_slice::<Body>(&answer.body)
        .ok()
        .and_then(|it| it.error)
        .unwrap_or_default()
}

impl GoogleError {
    /// An invalid key comes with status 400, a key without the API enabled with 403.
    fn is_invalid_key(&self) -> bool {
        let reasons = [
            "API_KEY_INVALID",
            "API_KEY_SERVICE_BLOCKED",
            "SERVICE_DISABLED",
        ];
        self.message.to_ascii_lowercase().contains("api key")
            || self
                .details
                .iter()
                .any(|it| reasons.contains(&it.reason.as_str()))
    }
}
