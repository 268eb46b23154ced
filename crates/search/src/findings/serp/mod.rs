//! `serp`: a normalized snapshot of one results page, and the changes since the last.

use super::envelope::{Envelope, rounded};
use super::keyword_market::{KeywordMarket, Measurement, TrackedKeyword};
use crate::ToSchema;
use crate::ctr::SerpLayout;
use crate::observation::search_page::{Feature, FeatureCoverage, PageLink, RichData};
use crate::search_intent::Intent;
use crate::search_panel::DomainProminence;
use crate::url_rules::SiteScope;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

mod difficulty;
mod page_type;
mod panel_page;
mod record;
mod stability;
mod summary;

pub use crate::page_type::PageType;
pub use difficulty::{Difficulty, DifficultyBasis, DifficultyComponents};
pub use page_type::{PageTypeCount, page_type_of_address};
pub use record::snapshot;
pub use stability::{PreviousSerp, Stability};
pub use summary::{FeatureCount, MovedDomain, SerpSummary, SerpTally};

pub const METHOD_VERSION: &str = "serp/3";

#[derive(Debug, Clone, Copy)]
pub struct SerpInput<'a> {
    pub keyword: &'a TrackedKeyword,
    pub site: &'a SiteScope,
    pub measurement: Measurement<'a>,
    /// Registrable domains of the competitors; `None` if unknown.
    pub competitors: Option<&'a BTreeSet<String>>,
    /// The last successful snapshot of the same keyword, market and engine.
    pub previous: Option<&'a PreviousSerp>,
    /// The snapshot of 23 to 37 days ago, for the difficulty.
    pub month_ago: Option<&'a PreviousSerp>,
    /// For the difficulty; of the last run, or added by [`SerpRecord::complete_difficulty`].
    pub prominence: Option<&'a DomainProminence>,
}

/// A results page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SerpRecord {
    /// What all records carry.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// Names this snapshot.
    pub snapshot_id: String,
    /// The keyword and its market.
    #[serde(flatten)]
    pub market: KeywordMarket,
    /// When the page was fetched.
    pub fetched_at: DateTime<Utc>,
    /// How many results the engine says there are.
    pub total_results_estimate: Option<u64>,
    /// How many organic results were seen.
    pub organic_count: u32,
    /// Everything on the page, from top to bottom.
    pub items: Vec<SerpItem>,
    /// Which features the page showed.
    pub features: Vec<SerpFeature>,
    /// Whether a feature that is not listed is known to have been absent.
    pub feature_coverage: FeatureCoverage,
    /// The AI overview; null when the supplier does not report whether there was one.
    pub ai_overview: Option<SerpAiOverview>,
    /// Other searches that the engine suggests.
    pub related_searches: Vec<String>,
    /// Questions that others ask, as the page lists them.
    #[serde(default)]
    #[schema(required = true)]
    pub questions: Vec<String>,
    /// What kinds of pages the first ten are, most frequent first.
    #[serde(default)]
    #[schema(required = true)]
    pub page_types: Vec<PageTypeCount>,
    /// Own blocks as a share of all blocks; null when the measurement failed.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub own_share: Option<f64>,
    /// What changed since the last snapshot; null when there is none.
    pub stability: Option<Stability>,
    /// What the searcher wants, when known.
    pub intent: Option<Intent>,
    /// How hard it is to rank; null when the measurement failed.
    pub difficulty: Option<Difficulty>,
    /// Pixels above the best own result, when the supplier reports it.
    pub pixel_offset: Option<u32>,
}

crate::json!(SerpRecord);

/// A block of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SerpItem {
    /// Rank among all blocks, when the supplier reports it.
    pub absolute_position: Option<u32>,
    /// `organic`, or the feature it is.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// The result page on which it stood, from 1.
    pub page: Option<u32>,
    /// Rank among organic results; null for everything else.
    pub organic_position: Option<u32>,
    /// What kind of page it leads to, by address and headline; null for features.
    pub page_type: Option<PageType>,
    /// Where it leads.
    pub url: Option<String>,
    /// The registrable domain of that.
    pub domain: Option<String>,
    /// Its headline.
    pub title: Option<String>,
    /// The address as displayed.
    pub displayed_url: Option<String>,
    /// Its text.
    pub snippet: Option<String>,
    /// Emphasised words.
    pub highlighted: Vec<String>,
    /// Links to more pages of the same site.
    pub sitelinks: Vec<PageLink>,
    /// Stars, prices and dates shown with it; null when none were.
    pub rich_data: Option<RichData>,
    /// Whether its `url` is one of the project's site.
    pub is_own: bool,
    /// Whether any of its links leads to the project's site; a feature has several.
    #[serde(default)]
    pub leads_to_own: bool,
    /// Whether it leads to a competitor; null when no competitors are known.
    pub is_competitor: Option<bool>,
}

impl SerpRecord {
    /// The layout of the first result page.
    pub fn layout(&self) -> SerpLayout {
        let on_first_page = self.items.iter().filter(|it| it.page.unwrap_or(1) == 1);
        let shown = on_first_page.filter_map(|it| match it.item_type {
            ItemType::Feature(feature) => Some(feature),
            ItemType::Organic(_) => None,
        });
        let overview = self.ai_overview.as_ref().is_some_and(|it| it.present);
        let features = shown.chain(overview.then_some(Feature::AiOverview));
        SerpLayout::new(features.collect(), self.feature_coverage, self.intent)
    }

    /// Called once the other pages of the project are known.
    pub fn complete_difficulty(&mut self, prominence: &DomainProminence) {
        let top = self
            .items
            .iter()
            .filter(|it| it.organic_position.is_some_and(|position| position <= 10));
        let share = prominence.of(top.filter_map(|it| it.url.as_deref()));
        if let Some(difficulty) = &mut self.difficulty {
            difficulty.components.domain_prominence = share;
            difficulty.recompute_proxy();
            difficulty::warn(difficulty.score, &mut self.envelope.warnings);
        }
    }
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ItemType {
    /// An organic result.
    Organic(OrganicItem),
    /// A feature.
    Feature(Feature),
}

/// The type of an organic result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrganicItem {
    /// An organic result.
    Organic,
}

/// A feature of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SerpFeature {
    /// Its kind.
    #[serde(rename = "type")]
    pub feature: Feature,
    /// Rank of its first block among all blocks, when the supplier reports it.
    pub absolute_position: Option<u32>,
    /// Whether it leads to the project's site.
    pub own_present: bool,
    /// The registrable domains to which it leads.
    pub domains: Vec<String>,
}

/// The AI overview of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SerpAiOverview {
    /// Whether the page had one.
    pub present: bool,
    /// Rank among all blocks.
    pub absolute_position: Option<u32>,
    /// The answer.
    pub text: Option<String>,
    /// What it cites.
    pub citations: Vec<Citation>,
    /// Whether it cites the project's site.
    pub own_cited: bool,
    /// The place of the first own citation, from 1.
    pub own_citation_index: Option<u32>,
}

/// A page that an answer cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    /// The page.
    pub url: String,
    /// Its registrable domain.
    pub domain: Option<String>,
    /// Its place among the citations, from 1.
    pub index: u32,
}

#[cfg(test)]
mod tests;
