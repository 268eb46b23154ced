//! What became of one request, redirects and retries included.

use crate::ToSchema;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One answer on the way to the last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hop {
    /// What was asked for.
    pub url: String,
    /// What the server answered.
    pub status: u16,
}

/// Why there is no answer to judge. An address that may not be read is `Connect`, like a host
/// that does not answer, so that nobody can probe a private network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchFailure {
    /// The name does not resolve.
    Dns,
    /// No connection.
    Connect,
    /// A connection, but no agreement on encryption or a certificate that does not hold.
    Tls,
    /// Too slow in one of the phases.
    Timeout,
    /// The connection broke before the answer was complete.
    Incomplete,
    /// The answer breaks HTTP, or a limit of its headers that no honest page reaches.
    Malformed,
    /// An answer came, and its body is not what its `Content-Encoding` says: nobody can read it.
    Undecodable,
    /// An answer came whose body is not read here, though others may: it unpacks to far more than it
    /// is, or is packed in a way that was not asked for.
    Unread,
    /// More redirects than anyone follows.
    TooManyRedirects,
    /// A redirect to where it came from.
    RedirectLoop,
    /// A redirect to something that is no `http` or `https` URL, or to nowhere.
    InvalidRedirect,
}

/// How much of a body was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Truncation {
    /// To the end, or not wanted.
    #[default]
    None,
    /// Up to the size limit.
    AtLimit,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetched {
    /// Every answer in order; all but the last are redirects.
    pub chain: Vec<Hop>,
    /// Where the last request went.
    pub final_url: String,
    /// The status of the last answer; `None` when there was none.
    pub status: Option<u16>,
    /// Why the last request failed.
    pub failure: Option<FetchFailure>,
    /// A code for what exactly went wrong.
    pub detail: Option<String>,
    /// How often it was tried.
    pub attempts: u32,
    /// When the last attempt ended.
    pub at: DateTime<Utc>,
    /// The media type of the last answer, without parameters, lower case.
    pub content_type: Option<String>,
    /// Whether the last answer is a bot wall: a challenge instead of the page.
    pub challenge: bool,
    /// Whether the body was cut.
    pub truncation: Truncation,
    /// Bytes of the answer's body as the server says it, or as it was read; `None` is unknown.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Seconds for which the answer may be kept without asking again, by `Cache-Control`; `None`
    /// where the server does not say.
    #[serde(default)]
    pub max_age: Option<u64>,
}

impl Fetched {
    /// An answer of HTML with a status, without redirects, at the beginning of 1970.
    #[must_use]
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

    /// How many redirects were followed.
    #[must_use]
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

    /// Whether the last answer is a success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.failure.is_none() && self.status.is_some_and(|it| (200..300).contains(&it))
    }

    /// A code for why the body of an answer that came could not be read.
    #[must_use]
    pub fn unread_body(&self) -> Option<&str> {
        let of_the_body = matches!(
            self.failure,
            Some(FetchFailure::Undecodable | FetchFailure::Unread)
        );
        of_the_body.then(|| self.detail.as_deref().unwrap_or_default())
    }

    /// Whether the last answer says that all is well and has nothing in it: 204 and 205, with which
    /// browsers stay where they are, and no bytes of no kind.
    #[must_use]
    pub fn has_no_content(&self) -> bool {
        let is_nothing = self.bytes == Some(0) && self.content_type.is_none();
        self.is_success() && (is_nothing || matches!(self.status, Some(204 | 205)))
    }

    /// Whether the last answer says it is HTML.
    #[must_use]
    pub fn is_html(&self) -> bool {
        matches!(
            self.content_type.as_deref(),
            Some("text/html" | "application/xhtml+xml")
        )
    }
}
