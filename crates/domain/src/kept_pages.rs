//! Pages of a site, stored between runs for comparison and conditional requests.

use analysis::document::Document;
use analysis::observation::page_content::PageContent;
use analysis::observation::web_site::Truncation;
use chrono::{DateTime, Utc};

/// Validators for conditional requests (RFC 9110, 8.8).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// For `If-None-Match`.
    pub etag: Option<String>,
    /// For `If-Modified-Since`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Validators for the next request. A truncated page is always fetched in full.
    pub fn of(page: &PageContent) -> Self {
        if page.fetched.truncation != Truncation::None {
            return Self::default();
        }
        Self {
            etag: page.response.headers.etag.clone(),
            last_modified: page.response.headers.last_modified.clone(),
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// Invisible until its job succeeds.
#[derive(Debug, Clone, PartialEq)]
pub struct StagedPage {
    pub url: String,
    pub visited_at: DateTime<Utc>,
    /// New content; `None` keeps the stored content, because the visit returned none.
    pub content: Option<StagedContent>,
    /// Additional data stored with the content.
    pub memory: Document,
}

/// Content of a visit; refers to the job's journal, so that it is not stored twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedContent {
    pub entry: i64,
    pub validators: Validators,
}

#[derive(Debug, Clone, PartialEq)]
pub struct KeptPage {
    pub url: String,
    /// The journal entry with its content.
    pub body: Vec<u8>,
    pub memory: Document,
}
