//! `competitors`: the domains that compete for the project's keywords, found or pinned.

use super::envelope::{Envelope, rounded};
use crate::{ToSchema, site_class::SiteClass};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod choose;
mod head_to_head;
mod keywords;
mod record;
mod summary;

pub use record::competitors;
pub use summary::CompetitorsSummary;

pub const METHOD_VERSION: &str = "competitors/2";

/// A domain competes down to this position.
const TOP: u32 = 20;
/// In the top, for reporting overlaps.
const MIN_OWN_KEYWORDS: u64 = 5;
/// Of the strongest competitor, with the project.
const MIN_COMMON_KEYWORDS: u64 = 3;
/// The same as a share of the project's keywords.
const MIN_TOPICALITY: f64 = 0.1;

#[derive(Debug, Clone, Copy)]
pub struct CompetitorsContext<'a> {
    pub project_id: i64,
    /// Registrable domains set by the owner.
    pub pinned: &'a BTreeMap<String, Pinned>,
    /// Schema.org types of the home pages, by domain.
    pub home_page_types: &'a BTreeMap<String, Vec<String>>,
    pub earlier: &'a BTreeMap<String, EarlierCompetitor>,
    pub ai: &'a BTreeMap<String, AiRates>,
    pub provider: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pinned {
    /// Overrides the list.
    pub class: Option<SiteClass>,
    /// False if only the class is overridden.
    pub is_tracked: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EarlierCompetitor {
    /// When the domain first had a record.
    pub first_seen_at: DateTime<Utc>,
    /// Share of voice 30 to 37 days ago by the same definition.
    pub sov_30_days_ago: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AiRates {
    pub mention_rate: Option<f64>,
    pub citation_rate: Option<f64>,
}

/// A domain that competes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompetitorRecord {
    /// What all records carry; `provenance` is `estimated`, since clicks are a model's.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The registrable domain.
    pub domain: String,
    /// What kind of site it is.
    pub class: SiteClass,
    /// Where that is known from.
    pub class_source: ClassSource,
    /// The rank in the list of competitors; null for platforms and for pinned domains that are on no
    /// page.
    pub rank: Option<u32>,
    /// 0 to 100; null when too few own keywords are in the top 20 to say.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub competitor_score: Option<f64>,
    /// Keywords for which both are in the top 20.
    pub common_keywords: u64,
    /// Keywords for which the competitor is.
    pub competitor_keywords: u64,
    /// Keywords for which the project is.
    pub own_keywords: u64,
    /// Common keywords as a share of those of either (Jaccard).
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub keyword_overlap: Option<f64>,
    /// Common keywords as a share of the project's.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub topicality: Option<f64>,
    /// Common keywords as a share of the competitor's among the tracked ones.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub similarity: Option<f64>,
    /// Σ min / Σ max of both expected clicks over all keywords (weighted Jaccard).
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub traffic_overlap: Option<f64>,
    /// The share of common keywords for which the competitor ranks higher; null without any.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub head_to_head_win_rate: Option<f64>,
    /// Mean best positions over the common keywords; null without any.
    pub average_position_common: Option<AveragePositions>,
    /// Its share of the clicks of all domains seen.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub sov: Option<f64>,
    /// Its expected clicks per month; null unless every keyword has a search volume.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub estimated_clicks: Option<f64>,
    /// Keywords for which it is among the first ten and the project is below 20 or nowhere, most
    /// potential clicks first, at most 50.
    pub gap_keywords: Vec<GapKeyword>,
    /// How many there are.
    pub gap_keyword_count: u64,
    /// Keywords for which the project is among the first ten and it is below 20 or nowhere, most
    /// own clicks first, at most 50.
    pub advantage_keywords: Vec<AdvantageKeyword>,
    /// How many there are.
    pub advantage_keyword_count: u64,
    /// Share of AI answers that name it; null unless measured.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub ai_mention_rate: Option<f64>,
    /// Share of AI answers that cite it; null unless measured.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub ai_citation_rate: Option<f64>,
    /// Of the AI overviews on the results pages, the share that cites it; null without overviews.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub ai_overview_citation_rate: Option<f64>,
    /// When it was first a record.
    pub first_seen_at: DateTime<Utc>,
    /// The change of its `sov` since 30 days ago; null without a comparable share.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub trend30: Option<f64>,
    /// Whether the owner follows it.
    pub is_tracked: bool,
    /// Who named it.
    pub source: CompetitorSource,
}

crate::json!(CompetitorRecord);

/// Who named a competitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CompetitorSource {
    /// The results pages.
    Detected,
    /// The owner.
    User,
}

/// Where the class of a site is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ClassSource {
    /// The owner said so.
    User,
    /// The list of well-known sites.
    List,
    /// The structured data of its home page.
    HomePage,
    /// Nothing is known; a site that competes is taken for a direct competitor.
    Assumed,
}

/// Mean best positions of both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AveragePositions {
    /// The project's.
    #[serde(serialize_with = "rounded::fraction")]
    pub own: f64,
    /// The competitor's.
    #[serde(serialize_with = "rounded::fraction")]
    pub competitor: f64,
}

/// A keyword that the competitor has and the project lacks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapKeyword {
    /// The keyword.
    pub keyword_id: i64,
    /// Its text.
    pub keyword: String,
    /// The competitor's best position.
    pub their_position: u32,
    /// The project's best position; null when it is not within the depth.
    pub our_position: Option<u32>,
    /// Clicks per month that position 1 on that page would add; null without a search volume.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub potential_clicks: Option<f64>,
}

/// A keyword that the project has and the competitor lacks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvantageKeyword {
    /// The keyword.
    pub keyword_id: i64,
    /// Its text.
    pub keyword: String,
    /// The project's best position.
    pub our_position: u32,
    /// The competitor's best position; null when it is not within the depth.
    pub their_position: Option<u32>,
    /// The project's expected clicks per month; null without a search volume.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub estimated_clicks: Option<f64>,
}

#[cfg(test)]
mod tests;
