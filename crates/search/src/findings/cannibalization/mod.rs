//! `cannibalization`: own URLs that compete for one keyword, so that the engine alternates between them or ranks both.

use super::envelope::{Envelope, rounded};
use super::keyword_market::{KeywordMarket, TrackedKeyword};
use crate::{ToSchema, provenance::Provenance, search_intent::Intent, url_rules::SiteScope};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod advise;
mod cost;
mod evaluate;
mod flips;
mod groups;
mod overlap;
mod split;
mod summary;

pub use evaluate::evaluate;
pub use summary::{CannibalizationSummary, CannibalizationTally};

pub const METHOD_VERSION: &str = "cannibalization/1";

pub const WINDOW_DAYS: i64 = 28;
/// For flips and cost.
const MIN_SNAPSHOTS: usize = 5;
/// Own URLs below this position do not compete.
const MAX_POSITION: u32 = 50;

#[derive(Debug, Clone, Copy)]
pub struct CannibalizationInput<'a> {
    pub keyword: &'a TrackedKeyword,
    pub engine: &'a str,
    pub provider: Option<&'a str>,
    pub provenance: Provenance,
    /// Decides which URLs are own and which keywords are branded.
    pub site: &'a SiteScope,
    /// Successful measurements, in any order; those older than [`WINDOW_DAYS`] before the newest are ignored.
    pub snapshots: &'a [OwnSnapshot],
    /// Facts about own pages, by [`crate::url_rules::page_key`].
    pub pages: &'a BTreeMap<String, PageFacts>,
    /// Similarity of the main texts of two pages, by both page keys, the smaller first.
    pub similarities: &'a BTreeMap<(String, String), f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnSnapshot {
    pub at: DateTime<Utc>,
    pub depth_checked: u32,
    /// Own organic results, without sitelinks.
    pub places: Vec<OwnPlace>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnPlace {
    pub url: String,
    pub position: u32,
    /// Expected share of searches that click it; if any is `None`, the published curve is used for the window.
    pub expected_ctr: Option<f64>,
}

/// Facts about an own page; any may be missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageFacts {
    pub title: Option<String>,
    /// By the words of its title ([`crate::search_intent::classify`]).
    pub intent: Option<Intent>,
    /// Words of its main text.
    pub word_count: Option<u64>,
    pub canonical: Option<String>,
    pub redirects_to: Option<String>,
    /// Its other languages.
    pub alternates: Vec<String>,
    /// Whether the page must not be removed.
    pub must_stay: bool,
    /// Imported clicks over the window for this keyword.
    pub clicks: Option<u64>,
    /// Imported impressions over the window for this keyword.
    pub impressions: Option<u64>,
}

/// Own URLs that compete for a keyword.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CannibalizationRecord {
    /// What all records carry; `url` is the primary URL.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The keyword and its market.
    #[serde(flatten)]
    pub market: KeywordMarket,
    /// Which measurements it rests on.
    pub window: Window,
    /// The competing URLs, largest share first. Pages of one set (pagination, filters) are one.
    pub urls: Vec<CompetingUrl>,
    /// The URL of the largest share, of equal ones the one of the better mean position.
    pub primary_url: String,
    /// 0 to 100; null below five snapshots.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub score: Option<f64>,
    /// How bad that is; null without a score.
    pub severity: Option<Severity>,
    /// How evenly clicks are split, 0 (one URL has all) to 1 (all alike).
    #[serde(serialize_with = "rounded::fraction")]
    pub split: f64,
    /// How many equal URLs would be split as much: 1 / HHI.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub effective_urls: Option<f64>,
    /// Entropy of the shares, divided by that of equal ones.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub entropy: Option<f64>,
    /// Changes of the best own URL per pair of consecutive snapshots with one; null below five
    /// snapshots.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub flip_rate: Option<f64>,
    /// Changes that led away and back again: each return counts twice.
    pub flip_returns: Option<u32>,
    /// The share of snapshots with two or more own URLs in the top 20, neighbours that the engine
    /// groups not counted.
    #[serde(serialize_with = "rounded::fraction")]
    pub overlap_rate: f64,
    /// The share of snapshots with such neighbours in the top 10, which is harmless.
    #[serde(serialize_with = "rounded::fraction")]
    pub host_cluster_rate: f64,
    /// What is lost against the best position held, 0 to 1; null below five snapshots.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub cost: Option<f64>,
    /// Clicks per month that are lost against the best position held; null without a search volume
    /// and below five snapshots.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub lost_clicks: Option<f64>,
    /// How alike the main texts of the primary URL and its strongest competitor are; null when unknown.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub text_similarity: Option<f64>,
    /// Whether readers of these two want the same; null when unknown.
    pub same_intent: Option<bool>,
    /// What to do; null when what decides it is not known.
    pub action: Option<Action>,
    /// What shares are shares of.
    pub share_basis: ShareBasis,
    /// URLs that were followed by another one and never came back.
    pub migrations: Vec<Migration>,
    /// How the pages that compete are tied to each other, if the site says that they are the same: then
    /// the score is 0.
    pub tied: Option<Tie>,
}

crate::json!(CannibalizationRecord);

/// The measurements behind a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CannibalizationWindow)]
pub struct Window {
    /// The first.
    pub from: DateTime<Utc>,
    /// The last.
    pub to: DateTime<Utc>,
    /// How many.
    pub snapshots: u32,
}

/// A URL, or a set of pages that are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompetingUrl {
    /// The URL as last seen.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
    /// Its share.
    #[serde(serialize_with = "rounded::fraction")]
    pub share: f64,
    /// Imported clicks over the window.
    pub clicks: Option<u64>,
    /// Imported impressions over the window.
    pub impressions: Option<u64>,
    /// Mean position over the snapshots in which it was.
    #[serde(serialize_with = "rounded::fraction")]
    pub average_position: f64,
    /// Its best one.
    pub best_position: u32,
    /// In how many snapshots it was the best own URL.
    pub snapshots_as_best: u32,
    /// What its readers want.
    pub intent: Option<Intent>,
    /// Words of its main text.
    pub word_count: Option<u64>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CannibalizationSeverity)]
pub enum Severity {
    /// A score below 10.
    None,
    /// From 10 on.
    Low,
    /// From 30 on.
    Medium,
    /// From 60 on.
    High,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CannibalizationAction)]
pub enum Action {
    /// Redirect the weaker page: the texts are nearly the same.
    Redirect301,
    /// Name the stronger page as canonical: the same text, and both have to stay.
    Canonical,
    /// Make one page of the two.
    Merge,
    /// Give each its own topic.
    Differentiate,
    /// Link to the page that wins anyway.
    InternalLinks,
    /// Nothing.
    None,
}

/// What shares are shares of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ShareBasis {
    /// Imported clicks.
    Clicks,
    /// Imported impressions.
    Impressions,
    /// Clicks to be expected at the mean positions.
    ExpectedCtr,
}

/// A URL that took another's place for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UrlMigration)]
pub struct Migration {
    /// The one that went.
    pub from: String,
    /// The one that came.
    pub to: String,
    /// The first snapshot with the new one.
    pub at: DateTime<Utc>,
}

/// How URLs are tied to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PageTie)]
pub enum Tie {
    /// All of them name one of them as canonical or redirect to it.
    SamePage,
    /// They are its other languages.
    Alternates,
}

#[cfg(test)]
mod tests;
