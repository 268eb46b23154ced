//! What is known of addresses that are no pages of the site.

use super::urls::{UrlId, UrlIds};
use crate::observation::web_site::{CheckState, FetchFailure, TargetCheck, name_hashes};
use std::sync::Arc;

/// An address that was asked for and is no page, or only leads to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What became of it.
    pub state: TargetState,
    /// Redirects that were followed.
    pub hops: u32,
    /// Whether the first of them is for good.
    pub is_permanent: bool,
    /// Where the last request went.
    pub landed: UrlId,
    /// What it is.
    pub media: MediaKind,
    /// Bytes of the body; `None` is unknown.
    pub bytes: Option<u64>,
    /// Seconds for which it may be kept; `None` where the server does not say.
    pub max_age: Option<u64>,
    /// A code for why the body of its answer could not be read, `noContent` where it has none; `None`
    /// where it was read, or was not wanted.
    pub unread: Option<Box<str>>,
    /// Whether its names were read, hashed as those of pages are; `None` is unknown.
    pub names: Option<Arc<[u64]>>,
}

/// What became of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetState {
    /// The last answer's status.
    Answered(u16),
    /// A wall for robots stands before it: there for others, not for us.
    Walled,
    /// No answer.
    Failed(FetchFailure),
    /// robots.txt forbids asking.
    Blocked,
}

/// The kind of a media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// HTML.
    Html,
    /// `text/css`.
    Css,
    /// A script.
    Script,
    /// `image/…`.
    Image,
    /// A font.
    Font,
    /// Another one.
    Other,
    /// None was given.
    Unknown,
}

impl Target {
    /// What a check found out.
    #[must_use]
    pub fn of(check: &TargetCheck, urls: &mut UrlIds) -> Self {
        let itself = urls.id(&check.url);
        let CheckState::Asked { fetched, names } = &check.state else {
            return Self {
                state: TargetState::Blocked,
                hops: 0,
                is_permanent: false,
                landed: itself,
                media: MediaKind::Unknown,
                bytes: None,
                max_age: None,
                unread: None,
                names: None,
            };
        };
        let unread = fetched.unread_body();
        let state = match (fetched.failure, fetched.status) {
            // It was reached.
            (Some(_), Some(status)) if unread.is_some() => TargetState::Answered(status),
            (Some(failure), _) => TargetState::Failed(failure),
            (None, Some(_)) if fetched.challenge => TargetState::Walled,
            (None, Some(status)) => TargetState::Answered(status),
            (None, None) => TargetState::Failed(FetchFailure::Connect),
        };
        Self {
            state,
            hops: u32::try_from(fetched.hops()).unwrap_or(u32::MAX),
            is_permanent: { fetched.chain.first() }
                .is_some_and(|it| matches!(it.status, 301 | 308)),
            landed: urls.id(&fetched.final_url),
            media: MediaKind::of(fetched.content_type.as_deref()),
            bytes: fetched.bytes,
            max_age: fetched.max_age,
            unread: { unread.or(fetched.has_no_content().then_some("noContent")) }.map(Into::into),
            names: names.as_deref().map(name_hashes),
        }
    }

    /// Whether there is something.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.state, TargetState::Answered(200..=299))
    }

    /// Whether it is broken in a way that the link to it has to be mended: it is not there, and
    /// neither a wall nor a server in trouble is the reason.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        match self.state {
            TargetState::Answered(status) => {
                matches!(status, 400..=499) && !matches!(status, 401 | 403 | 407 | 429 | 451)
            }
            TargetState::Failed(failure) => matches!(failure, FetchFailure::InvalidRedirect),
            _ => false,
        }
    }

    /// Whether nothing works there, whoever has to mend it.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        match self.state {
            TargetState::Answered(status) => self.is_gone() || (status >= 500 && status != 999),
            TargetState::Failed(_) => true,
            TargetState::Walled | TargetState::Blocked => false,
        }
    }
}

impl MediaKind {
    /// The kind of a media type, in lower case and without parameters.
    #[must_use]
    pub fn of(media_type: Option<&str>) -> Self {
        match media_type {
            None => Self::Unknown,
            Some("text/html" | "application/xhtml+xml") => Self::Html,
            Some("text/css") => Self::Css,
            Some(it) if it.starts_with("image/") => Self::Image,
            Some(it) if it.starts_with("font/") || it.contains("font") => Self::Font,
            Some(it) if it.contains("javascript") || it.contains("ecmascript") => Self::Script,
            Some(_) => Self::Other,
        }
    }
}
