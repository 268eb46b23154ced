//! Pages of a site, kept between runs for comparison and for conditional requests.

use analysis::document::Document;
use analysis::observation::page_content::PageContent;
use analysis::observation::web_site::Truncation;
use chrono::{DateTime, Utc};

/// What a server gave to ask by whether a page changed (RFC 9110, 8.8).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// For `If-None-Match`.
    pub etag: Option<String>,
    /// For `If-Modified-Since`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// What to ask for a page by next time. One that was cut is read anew.
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

/// A page on its way to be kept: invisible until its job ends well.
#[derive(Debug, Clone, PartialEq)]
pub struct StagedPage {
    pub url: String,
    pub visited_at: DateTime<Utc>,
    /// What it is now; `None` leaves the content that is kept, because the visit brought none.
    pub content: Option<StagedContent>,
    /// What is remembered beside the content.
    pub memory: Document,
}

/// The content of a visit, which stands in the job's journal and is not written twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedContent {
    pub entry: i64,
    pub validators: Validators,
}

#[derive(Debug, Clone, PartialEq)]
pub struct KeptPage {
    pub url: String,
    /// The entry of the journal that has its content.
    pub body: Vec<u8>,
    pub memory: Document,
}
