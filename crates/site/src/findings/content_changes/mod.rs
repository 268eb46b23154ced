//! What changed on a page between two visits, and how much it matters: [`compare`], or [`not_read`] without a later
//! page, say what to remember ([`PageHistory`]) and what to compare with next time. Definitions: analysis.md 2.9 and
//! `docs/MEASUREMENT.md`; the weights are our judgement.

mod blocks;
mod compare;
mod cut;
mod facts;
mod fields;
mod frequency;
mod history;
mod record;
mod significance;
mod summary;
mod unread;

pub use compare::{compare, compared_text};
pub use frequency::rate_per_interval;
pub use history::{Missing, PageHistory, Slot};
pub use record::{ChangeFrequency, ChangeRecord, ChangeSource, FieldChange, FieldValue, PageOwner};
pub use significance::{ChangeClass, ChangedField, significance};
pub use summary::ContentChangesSummary;
pub use unread::{Unread, not_read};

use crate::observation::{page_content::PageContent, web_site::SiteScope};
use serde::{Deserialize, Serialize};

pub const METHOD: &str = "content-changes/2";

/// The visit brought no page, and nothing is claimed of it: one failure is not enough.
pub const FETCH_FAILED: &str = "fetchFailed";
/// robots.txt still does not allow reading the page; nothing is claimed of it.
pub const BLOCKED: &str = "blockedByRobots";
/// A question for consent or payment stood in place of the page; nothing is claimed of it.
pub const INTERSTITIAL: &str = "interstitial";
/// The end of the page was not read, this time or before; nothing is claimed of it.
pub const BODY_CUT: &str = "bodyCut";
/// The page was read without its structure, this time or before; nothing is claimed of it.
pub const PARSER_LIMIT: &str = "parserLimit";
/// Another reader version read the page before: nothing is claimed of text, words, headings and structured data.
pub const READ_OTHERWISE: &str = "readOtherwise";
/// Nine tenths of the text are gone, and whether other pages became the same is not known.
pub const TEXT_COLLAPSED: &str = "textCollapsed";
/// The text is in another language, as sites do for visitors from elsewhere.
pub const LANGUAGE_CHANGED: &str = "languageChanged";
pub const FLAPPING: &str = "flapping";

#[derive(Debug, Clone, Copy)]
pub struct PageState<'a> {
    pub page: &'a PageContent,
    pub site: SiteFacts,
}

/// What the rest of the site says of a page; `None` is unknown and not compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteFacts {
    /// Links to it from other pages of the site.
    pub inlinks: Option<u32>,
    /// Other pages of the site with exactly the same main text.
    pub pages_with_same_text: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeContext {
    pub project_id: i64,
    pub scope: SiteScope,
    pub source: ChangeSource,
    pub owner: PageOwner,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub record: ChangeRecord,
    pub history: PageHistory,
    pub baseline: Baseline,
}

/// Which page the next one is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// The earlier one: this visit brought none.
    Before,
    After,
}

#[cfg(test)]
mod tests;
