//! Changes of a page between two visits, and their significance. [`compare`], or [`compare_unread`] without a later page,
//! return the record, the [`PageHistory`] to store and the baseline of the next comparison. Definitions:
//! `docs/measurement/content-changes.md`; the weights are our judgment.

mod blocks;
mod compare;
mod facts;
mod fields;
mod frequency;
mod history;
mod record;
mod significance;
mod summary;
mod truncated;
mod unread;

pub use compare::{compare, compared_text};
pub use frequency::rate_per_interval;
pub use history::{BlockHistory, Missing, PageHistory};
pub use record::{ChangeFrequency, ChangeRecord, ChangeSource, FieldChange, FieldValue, PageOwner};
pub use significance::{ChangeClass, ChangedField, significance};
pub use summary::ContentChangesSummary;
pub use unread::{Unread, compare_unread};

use crate::observation::{page_content::PageContent, web_site::CrawlScope};
use serde::{Deserialize, Serialize};

pub const METHOD: &str = "content-changes/2";

/// The fetch failed; nothing is reported, since one failure is not enough.
pub const FETCH_FAILED: &str = "fetchFailed";
/// robots.txt still blocks the page; nothing is reported.
pub const BLOCKED: &str = "blockedByRobots";
/// A consent or payment interstitial replaced the page; nothing is reported.
pub const INTERSTITIAL: &str = "interstitial";
/// The body was truncated at one of the visits; nothing is reported.
pub const BODY_CUT: &str = "bodyCut";
/// The parser hit its limit at one of the visits; nothing is reported.
pub const PARSER_LIMIT: &str = "parserLimit";
/// Another extraction version read the earlier page: text, words, headings and structured data are not compared.
pub const EXTRACTION_CHANGED: &str = "readOtherwise";
/// Nine tenths of the text are gone; whether other pages have the same text is unknown.
pub const TEXT_COLLAPSED: &str = "textCollapsed";
/// The text is in another language, as on sites that localize by location.
pub const LANGUAGE_CHANGED: &str = "languageChanged";
pub const FLAPPING: &str = "flapping";

#[derive(Debug, Clone, Copy)]
pub struct PageState<'a> {
    pub page: &'a PageContent,
    pub site: SiteFacts,
}

/// Site-level facts about a page; `None` is unknown and not compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteFacts {
    /// Links to it from other pages.
    pub inlinks: Option<u32>,
    /// Other pages of the site with exactly the same main text.
    pub pages_with_same_text: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeContext {
    pub project_id: i64,
    pub scope: CrawlScope,
    pub source: ChangeSource,
    pub owner: PageOwner,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub record: ChangeRecord,
    pub history: PageHistory,
    pub baseline: Baseline,
}

/// The version that the next visit is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// The earlier one: this visit read no usable page.
    Before,
    After,
}

#[cfg(test)]
mod tests;
