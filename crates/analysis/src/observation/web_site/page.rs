//! Pages that were read and link targets that were checked.

use super::{Fetched, Truncation};
use crate::{
    observation::page_content::PageContent,
    text::{error_phrases::names_an_error_page, likeness::hash_of, words::shortened},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How a page became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Discovery {
    /// The crawl began there.
    Start,
    /// A link leads there.
    Link,
    /// A sitemap lists it, and no link was found first.
    Sitemap,
}

/// Characters of a title that are kept.
const MOST_TITLE: usize = 300;

/// What an observation keeps of an HTML page that was read: what links to it are judged by. The
/// journal has it whole.
#[derive(Debug, Clone, PartialEq)]
pub struct WebPage {
    /// Its normalised URL.
    pub url: Box<str>,
    /// The status of its answer.
    pub status: Option<u16>,
    /// How often it was asked for.
    pub attempts: u32,
    /// A code for what went wrong all the same.
    pub detail: Option<Box<str>>,
    /// The `title`, shortened to 300 characters.
    pub title: Option<Box<str>>,
    /// Whether the title or the first `h1` calls it an error page; no where it was not read whole.
    pub says_error: bool,
    /// Words of the main text.
    pub word_count: u32,
    /// Hashes of every `id` and `a[name]`, sorted; `None` where it was not read to its end.
    pub names: Option<Arc<[u64]>>,
    /// How much its main text resembles the answer to a made-up URL of the same directory;
    /// `None` when that answer was an honest error, and where the page was not read whole.
    pub probe_similarity: Option<f64>,
}

impl From<&PageContent> for WebPage {
    fn from(content: &PageContent) -> Self {
        let title = content.title().map(kept);
        // How much such a page says besides is not known of one that was not read whole.
        let is_whole = !content.is_cut();
        let says_error = { title.into_iter() }
            .chain(first_heading(content).map(kept))
            .any(names_an_error_page);
        let fetched = &content.fetched;
        let is_complete = fetched.truncation == Truncation::None;
        Self {
            url: content.url.as_str().into(),
            status: fetched.status,
            attempts: fetched.attempts,
            detail: fetched.detail.as_deref().map(Into::into),
            title: title.map(Into::into),
            says_error: says_error && is_whole,
            word_count: u32::try_from(content.text.counts.words).unwrap_or(u32::MAX),
            names: is_complete.then(|| name_hashes(&content.names)),
            probe_similarity: content.probe_similarity.filter(|_| is_whole),
        }
    }
}

fn kept(text: &str) -> &str {
    shortened(text, MOST_TITLE)
}

/// The text of the first `h1`, if that is text.
fn first_heading(content: &PageContent) -> Option<&str> {
    let first = content.headings.iter().find(|it| it.level == 1)?;
    first.text.as_deref().filter(|_| !first.is_image_alt)
}

/// Hashes of names as they are written, sorted.
#[must_use]
pub fn name_hashes(names: &[String]) -> Arc<[u64]> {
    let mut hashes: Vec<u64> = names.iter().map(|it| hash_of(it.as_bytes())).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

impl WebPage {
    /// Whether its answer was a success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|it| (200..300).contains(&it))
    }
}

/// What is known of a link's target that is not a page of its own here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckState {
    /// It was asked for.
    Asked {
        /// What the request brought.
        fetched: Fetched,
        /// Its `id`s and anchor names, where the body was read to the end and is HTML.
        names: Option<Vec<String>>,
    },
    /// robots.txt of its host forbids asking.
    BlockedByRobots,
}

/// The check of one link target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetCheck {
    /// The normalised URL.
    pub url: String,
    /// What is known.
    pub state: CheckState,
}

/// The answer to a made-up URL, which tells how a directory says "not found".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryProbe {
    /// The directory's URL, ending in `/`.
    pub directory: String,
    /// Hashes of the main text's 4-shingles when the answer was a success; `None` when the
    /// directory answers honestly.
    pub shingles: Option<Vec<u64>>,
}
