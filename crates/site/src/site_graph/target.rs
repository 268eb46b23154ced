use super::urls::{UrlId, UrlIds};
use crate::observation::web_site::{CheckState, FetchFailure, TargetCheck, name_hashes};
use std::sync::Arc;

/// A URL that is not a page of the site, or only redirects to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub state: TargetState,
    pub hops: u32,
    /// Whether the first redirect is permanent.
    pub is_permanent: bool,
    pub final_url: UrlId,
    pub media: MediaKind,
    /// `None` is unknown.
    pub bytes: Option<u64>,
    /// Cacheable seconds; `None` is unknown.
    pub max_age: Option<u64>,
    /// Code for an unreadable body, `noContent` without one; `None` if it was read or not wanted.
    pub unread: Option<Box<str>>,
    /// Hashed as those of pages; `None` is unknown.
    pub names: Option<Arc<[u64]>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetState {
    Answered(u16),
    /// A bot challenge: reachable for others.
    Challenged,
    Failed(FetchFailure),
    /// By robots.txt.
    Blocked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    Html,
    Css,
    Script,
    Image,
    Font,
    Other,
    Unknown,
}

impl Target {
    pub fn of(check: &TargetCheck, urls: &mut UrlIds) -> Self {
        let itself = urls.id(&check.url);
        let CheckState::Requested { fetched, names } = &check.state else {
            return Self {
                state: TargetState::Blocked,
                hops: 0,
                is_permanent: false,
                final_url: itself,
                media: MediaKind::Unknown,
                bytes: None,
                max_age: None,
                unread: None,
                names: None,
            };
        };
        let unread = fetched.unread_body();
        let state = match (fetched.failure, fetched.status) {
            // The server answered.
            (Some(_), Some(status)) if unread.is_some() => TargetState::Answered(status),
            (Some(failure), _) => TargetState::Failed(failure),
            (None, Some(_)) if fetched.challenge => TargetState::Challenged,
            (None, Some(status)) => TargetState::Answered(status),
            (None, None) => TargetState::Failed(FetchFailure::Connect),
        };
        Self {
            state,
            hops: u32::try_from(fetched.hops()).unwrap_or(u32::MAX),
            is_permanent: { fetched.chain.first() }
                .is_some_and(|it| matches!(it.status, 301 | 308)),
            final_url: urls.id(&fetched.final_url),
            media: MediaKind::of(fetched.content_type.as_deref()),
            bytes: fetched.bytes,
            max_age: fetched.max_age,
            unread: { unread.or(fetched.has_no_content().then_some("noContent")) }.map(Into::into),
            names: names.as_deref().map(name_hashes),
        }
    }

    pub const fn is_success(&self) -> bool {
        matches!(self.state, TargetState::Answered(200..=299))
    }

    /// The link must be fixed: neither a bot challenge nor a failing server is the reason.
    pub const fn is_gone(&self) -> bool {
        match self.state {
            TargetState::Answered(status) => {
                matches!(status, 400..=499) && !matches!(status, 401 | 403 | 407 | 429 | 451)
            }
            TargetState::Failed(failure) => matches!(failure, FetchFailure::InvalidRedirect),
            _ => false,
        }
    }

    /// The link or the server must be fixed.
    pub const fn is_broken(&self) -> bool {
        match self.state {
            TargetState::Answered(status) => self.is_gone() || (status >= 500 && status != 999),
            TargetState::Failed(_) => true,
            TargetState::Challenged | TargetState::Blocked => false,
        }
    }
}

impl MediaKind {
    /// `media_type` in lower case, without parameters.
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
