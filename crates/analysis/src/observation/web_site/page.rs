//! Pages that were read and link targets that were checked.

use super::{Fetched, PageLink};
use crate::{observation::page_content::PageContent, text::words::shortened};
use serde::{Deserialize, Serialize};

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

/// An HTML page that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WebPage {
    /// Its normalised URL.
    pub url: String,
    /// What the request brought.
    pub fetched: Fetched,
    /// Links away from the start; sitemap pages count as 1.
    pub depth: u32,
    /// How it became known.
    pub discovery: Discovery,
    /// The `title`.
    pub title: Option<String>,
    /// The first `h1`.
    pub heading: Option<String>,
    /// `html[lang]`.
    pub lang: Option<String>,
    /// The encoding it was read in.
    pub charset: String,
    /// Words of the main text.
    pub word_count: u32,
    /// Every `id` and `a[name]`, sorted.
    pub names: Vec<String>,
    /// Every link, in document order.
    pub links: Vec<PageLink>,
    /// How much its main text resembles the answer to a made-up URL of the same directory;
    /// `None` when that answer was an honest error.
    pub probe_similarity: Option<f64>,
    /// Whether the parser reached its limits, so that the end of the page is read without
    /// structure.
    pub parser_limit: bool,
}

impl From<PageContent> for WebPage {
    fn from(content: PageContent) -> Self {
        let kept = |text: &str| shortened(text, 300).to_owned();
        Self {
            title: content.title().map(kept),
            heading: first_heading(&content).map(kept),
            url: content.url,
            fetched: content.fetched,
            depth: content.depth,
            discovery: content.discovery,
            lang: content.document.lang,
            charset: content.document.charset,
            word_count: u32::try_from(content.text.counts.words).unwrap_or(u32::MAX),
            names: content.names,
            links: content.links,
            probe_similarity: content.probe_similarity,
            parser_limit: content.document.parser_limit,
        }
    }
}

/// The text of the first `h1`, if that is text.
fn first_heading(content: &PageContent) -> Option<&str> {
    let first = content.headings.iter().find(|it| it.level == 1)?;
    first.text.as_deref().filter(|_| !first.is_image_alt)
}

impl WebPage {
    /// Whether `names` is everything the page has.
    #[must_use]
    pub fn names_are_complete(&self) -> bool {
        self.fetched.truncation == super::Truncation::None
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
