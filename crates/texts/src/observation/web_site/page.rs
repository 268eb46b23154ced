use super::{Fetched, Truncation};
use crate::{
    observation::page_content::PageContent,
    text::{error_phrases::is_error_title, similarity::fnv1a, words::shortened},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const MAX_TITLE: usize = 300;

/// The facts of a page by which links to it are evaluated; the journal has the whole page.
#[derive(Debug, Clone, PartialEq)]
pub struct WebPage {
    /// Normalized.
    pub url: Box<str>,
    pub status: Option<u16>,
    pub attempts: u32,
    pub detail: Option<Box<str>>,
    /// At most 300 characters.
    pub title: Option<Box<str>>,
    /// By title or first `h1`; false if the page is truncated.
    pub has_error_title: bool,
    /// Of the main text.
    pub word_count: u32,
    /// Hashes of `id` and `a[name]`, sorted; `None` if truncated.
    pub names: Option<Arc<[u64]>>,
    /// Similarity to the response to a random URL of the directory; `None` if that was an HTTP error, or if truncated.
    pub probe_similarity: Option<f64>,
}

impl From<&PageContent> for WebPage {
    fn from(content: &PageContent) -> Self {
        let title = content.title().map(truncated);
        // A truncated page may have more text, so it is not taken for an error page.
        let is_whole = !content.is_truncated();
        let is_titled_error = { title.into_iter() }
            .chain(first_heading(content).map(truncated))
            .any(is_error_title);
        let fetched = &content.fetched;
        let is_complete = fetched.truncation == Truncation::None;
        Self {
            url: content.url.as_str().into(),
            status: fetched.status,
            attempts: fetched.attempts,
            detail: fetched.detail.as_deref().map(Into::into),
            title: title.map(Into::into),
            has_error_title: is_titled_error && is_whole,
            word_count: u32::try_from(content.text.counts.words).unwrap_or(u32::MAX),
            names: is_complete.then(|| name_hashes(&content.names)),
            probe_similarity: content.probe_similarity.filter(|_| is_whole),
        }
    }
}

fn truncated(text: &str) -> &str {
    shortened(text, MAX_TITLE)
}

fn first_heading(content: &PageContent) -> Option<&str> {
    let first = content.headings.iter().find(|it| it.level == 1)?;
    first.text.as_deref().filter(|_| !first.is_image_alt)
}

/// Sorted.
pub fn name_hashes(names: &[String]) -> Arc<[u64]> {
    let mut hashes: Vec<u64> = names.iter().map(|it| fnv1a(it.as_bytes())).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

impl WebPage {
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|it| (200..300).contains(&it))
    }
}

/// Of a link target that is not a crawled page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckState {
    #[serde(rename = "Asked")]
    Requested {
        fetched: Fetched,
        /// `id` and anchor names; `None` unless complete HTML.
        names: Option<Vec<String>>,
    },
    BlockedByRobots,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetCheck {
    /// Normalized.
    pub url: String,
    pub state: CheckState,
}

/// The response to a random URL, to learn how a directory reports "not found".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryProbe {
    /// Ends in `/`.
    pub directory: String,
    /// Hashes of 4-shingles of a successful response; `None` if the response is an HTTP error.
    pub shingles: Option<Vec<u64>>,
}
