//! The content of a page: text, readability, snippet, structure, uniqueness, links and issues. Definitions and sources:
//! `docs/measurement/content.md`. A record is made from the page's content
//! ([`PageContent`](crate::observation::page_content::PageContent)) and site-level facts about it ([`SiteFacts`]).

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
