//! The content of a page: its text and how it reads, its snippet, structure, uniqueness and links, and what is wrong
//! with it. Definitions and their sources: `docs/MEASUREMENT.md`. The record of a page is made from its content
//! ([`PageContent`](crate::observation::page_content::PageContent)) and from what the site tells of it ([`SiteFacts`]).

mod keyword;
mod parts;
mod record;
mod rendered;
mod score;
mod site_facts;
mod summary;

pub use keyword::{KeywordCoverage, KeywordFacts, keyword_facts, probable_keyword};
pub use parts::{
    CharsetFacts, Freshness, HeadingFact, ImageCounts, LanguageFacts, LinkCounts, ReadabilityFacts,
    SnippetText, Uniqueness,
};
pub use record::{ContentContext, ContentRecord, content_record};
pub use rendered::{
    RenderState, RenderedFacts, RenderedLinks, RenderedRules, RenderedText, RenderedWords,
    TextChange,
};
pub use score::{Parts, WEIGHTS, content_score};
pub use site_facts::{SiteFacts, SiteIndex};
pub use summary::{CodeCount, ContentSummary, SitemapLine, UnreadPage};

pub const METHOD: &str = "content/2";

#[cfg(test)]
mod tests;
