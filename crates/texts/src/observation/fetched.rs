use crate::ToSchema;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One answer on the way to the last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hop {
    /// The requested URL.
    pub url: String,
    /// What the server answered.
    pub status: u16,
}

/// A forbidden address is reported as `Connect`, like an unreachable host, to prevent probing of private networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchFailure {
    Dns,
    Connect,
    /// The handshake failed, or the certificate is invalid.
    Tls,
    /// In any phase.
    Timeout,
    Incomplete,
    /// Violates HTTP or exceeds a header limit that no legitimate page reaches.
    Malformed,
    /// The body does not match its `Content-Encoding`.
    Undecodable,
    /// Refused by Sightline: a decompression bomb, or an encoding that was not accepted.
    Unread,
    TooManyRedirects,
    RedirectLoop,
    /// Not `http` or `https`, or without a valid target.
    InvalidRedirect,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Truncation {
    /// Complete, or not requested.
    #[default]
    None,
    AtLimit,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetched {
    /// All but the last are redirects.
    pub chain: Vec<Hop>,
    pub final_url: String,
    /// `None` without a response.
    pub status: Option<u16>,
    pub failure: Option<FetchFailure>,
    /// A machine code.
    pub detail: Option<String>,
    pub attempts: u32,
    /// End of the last attempt.
    pub at: DateTime<Utc>,
    /// Media type without parameters, lower case.
    pub content_type: Option<String>,
    /// A bot challenge instead of the page.
    pub challenge: bool,
    pub truncation: Truncation,
    /// Of the body, as declared or read; `None`: unknown.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Seconds, from `Cache-Control`; `None` without it.
    #[serde(default)]
    pub max_age: Option<u64>,
}

impl Fetched {
    /// HTML without redirects, fetched at the Unix epoch.
    pub fn plain(url: &str, status: u16) -> Self {
        Self {
            chain: vec![Hop {
                url: url.to_owned(),
                status,
            }],
            final_url: url.to_owned(),
            status: Some(status),
            failure: None,
            detail: None,
            attempts: 1,
            at: DateTime::UNIX_EPOCH,
            content_type: Some("text/html".to_owned()),
            challenge: false,
            truncation: Truncation::None,
            bytes: None,
            max_age: None,
        }
    }

    pub fn hops(&self) -> usize {
        let ended_in_redirect = matches!(
            self.failure,
            Some(
                FetchFailure::RedirectLoop
                    | FetchFailure::TooManyRedirects
                    | FetchFailure::InvalidRedirect
            )
        );
        let last = self.chain.last();
        let last_is_final = last.is_some_and(|it| it.url == self.final_url) && !ended_in_redirect;
        self.chain.len() - usize::from(last_is_final)
    }

    pub fn is_success(&self) -> bool {
        self.failure.is_none() && self.status.is_some_and(|it| (200..300).contains(&it))
    }

    pub fn unread_body(&self) -> Option<&str> {
        let of_the_body = matches!(
            self.failure,
            Some(FetchFailure::Undecodable | FetchFailure::Unread)
        );
        of_the_body.then(|| self.detail.as_deref().unwrap_or_default())
    }

    /// 204 and 205, on which browsers do not navigate, or zero bytes without a media type.
    pub fn has_no_content(&self) -> bool {
        let is_nothing = self.bytes == Some(0) && self.content_type.is_none();
        self.is_success() && (is_nothing || matches!(self.status, Some(204 | 205)))
    }

    pub fn is_html(&self) -> bool {
        matches!(
            self.content_type.as_deref(),
            Some("text/html" | "application/xhtml+xml")
        )
    }
}
