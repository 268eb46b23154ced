//! `rankings`: the position of the project in the organic results, per keyword and market.

use super::envelope::{Envelope, rounded};
use super::keyword_market::{KeywordMarket, Measurement, TrackedKeyword};
use crate::ToSchema;
use crate::ctr::{ClickCurve, PUBLISHED_CURVE};
use crate::keyword_metrics::Opportunity;
use crate::observation::search_page::Feature;
use crate::search_intent::Intent;
use crate::url_rules::SiteScope;
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

mod change;
mod clicks;
mod history;
mod owned;
mod rank_changes;
mod record;
mod series;
mod summary;
mod visibility;

pub use history::{BestPosition, ChangeOver, PastRanks, RankPoint, RankState};
pub use owned::{AiOverviewStanding, is_branded};
pub use rank_changes::{KeywordRank, Moved, RankChanges, changes_between};
pub use record::rank;
pub use series::{DayFigures, ProjectSeries, SeriesKind};
pub use summary::{BucketCounts, Mover, OwnedFeature, RankingsSummary, RankingsTally};
pub use visibility::{VisibilityChange, VisibilityComparison, Weighting};

pub const METHOD_VERSION: &str = "rankings/2";

#[derive(Debug, Clone, Copy)]
pub struct RankInput<'a> {
    pub keyword: &'a TrackedKeyword,
    pub site: &'a SiteScope,
    pub measurement: Measurement<'a>,
    pub past: PastRanks<'a>,
    /// From the project's Search Console.
    pub own_data: Option<&'a OwnSearchData>,
    /// 0 to 100, from the `serp` record; [`RankingRecord::set_difficulty`] can add it later.
    pub difficulty: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnSearchData {
    /// The project's own click curve; `None`: the published one.
    pub curve: Option<ClickCurve>,
    /// Mean position of the topmost own link, weighted by impressions; not comparable with measured positions.
    pub position: Option<f64>,
    pub clicks: Option<u64>,
    pub impressions: Option<u64>,
    pub period: Option<OwnSearchPeriod>,
}

/// The days and searches that figures of the project's search console cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnSearchPeriod {
    /// The first day.
    pub from: NaiveDate,
    /// The last day.
    pub to: NaiveDate,
    /// Whether they are those of the keyword's country and device alone; else of all together.
    pub of_market: bool,
}

/// The rank of the project for one keyword in one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankingRecord {
    /// What all records carry; `url` is the best-ranked own URL.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The keyword and its market.
    #[serde(flatten)]
    pub market: KeywordMarket,
    /// Rank among organic results, from 1; null when not within `depthChecked`, or when the
    /// measurement failed (see `status`).
    pub position: Option<u32>,
    /// Rank among all blocks of the page, when the supplier reports it.
    pub absolute_position: Option<u32>,
    /// The result page it stood on.
    pub page: Option<u32>,
    /// How many organic results were seen.
    pub depth_checked: u32,
    /// Headline of the best own result.
    pub title: Option<String>,
    /// Text of the best own result.
    pub snippet: Option<String>,
    /// Whether the best own result is quoted in the featured snippet.
    pub in_featured_snippet: bool,
    /// All own results, best first.
    pub own_urls: Vec<OwnUrl>,
    /// The position in the last successful measurement; null when it was not ranked then.
    pub previous_position: Option<u32>,
    /// The change since yesterday; null without a measurement then.
    pub change1: Option<ChangeOver>,
    /// The change since 7 days ago (up to 9); null without a measurement then.
    pub change7: Option<ChangeOver>,
    /// The change since 30 days ago (up to 37); null without a measurement then.
    pub change30: Option<ChangeOver>,
    /// The best position ever measured.
    pub best_position: Option<u32>,
    /// When it was first reached.
    pub best_position_at: Option<DateTime<Utc>>,
    /// The worst position at which it was ever seen.
    pub worst_position: Option<u32>,
    /// `previousPosition` − `position`: positive is up; null unless both are known.
    pub change: Option<i64>,
    /// What kind of change that is.
    pub change_kind: ChangeKind,
    /// Where a new entry comes from.
    pub entered_from: Option<EnteredFrom>,
    /// Whether the best own URL is another than last time; null when there is nothing to compare.
    pub url_changed: Option<bool>,
    /// Mean position over 7 days; not ranked counts as one below the depth.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub moving_average7: Option<f64>,
    /// Median position over 28 days; not ranked counts as one below the depth.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub median_position28: Option<f64>,
    /// Standard deviation of ln(position) over the last 28 measurements; needs 5.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub volatility28: Option<f64>,
    /// Searches per month, when known.
    pub search_volume: Option<u64>,
    /// What the searcher wants, when known.
    pub intent: Option<Intent>,
    /// Share of searches that is expected to click the best own result on this page.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub expected_ctr: Option<f64>,
    /// Expected clicks per month on all own results; null without a search volume.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub estimated_clicks: Option<f64>,
    /// Clicks per month that position 1 on the same page would add.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub potential_clicks: Option<f64>,
    /// Expected clicks per month that the move since last time brought or took, both positions
    /// taken on today's page.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub clicks_change: Option<f64>,
    /// The same as a share of searches, which needs no search volume.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub ctr_change: Option<f64>,
    /// The range in which the position lies; null when the measurement failed.
    pub bucket: Option<Bucket>,
    /// The features of the page, of a supplier that reports features.
    pub features_present: Option<Vec<Feature>>,
    /// Those of them that lead to the project.
    pub features_owned: Option<Vec<Feature>>,
    /// Whether there is an AI overview and whether it cites the project; null when the supplier
    /// does not report it.
    pub ai_overview: Option<AiOverviewStanding>,
    /// The curve that expected clicks follow: `ctr-v1`, or the project's own.
    #[serde(default = "published_curve")]
    #[schema(required = true)]
    pub ctr_model: String,
    /// The mean position that the project's search console reports; a separate series.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub gsc_position: Option<f64>,
    /// How often own pages were clicked for the keyword, as the project's search console reports;
    /// null when it reports nothing about the keyword.
    #[serde(default)]
    #[schema(required = true)]
    pub gsc_clicks: Option<u64>,
    /// How often they were shown; null also where only rows of several pages are known, which count
    /// pages that are shown together each.
    #[serde(default)]
    #[schema(required = true)]
    pub gsc_impressions: Option<u64>,
    /// Which days and searches these figures are about.
    #[serde(default)]
    #[schema(required = true)]
    pub gsc_period: Option<OwnSearchPeriod>,
    /// Whether the keyword holds the project's own name.
    #[serde(default)]
    #[schema(required = true)]
    pub is_branded: bool,
    /// Whether it ranks at 4 to 20; null when the measurement failed.
    pub striking_distance: Option<bool>,
    /// How hard the keyword is, 0 to 100.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub difficulty: Option<f64>,
    /// The position that is aimed for: 3, or 1 for the project's own name.
    pub target_position: Option<u32>,
    /// The share of searches that the target would add on this page.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub target_ctr_gain: Option<f64>,
    /// Clicks per month that the target would add, weighed by the difficulty; null while that or the
    /// search volume is unknown.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub opportunity: Option<f64>,
    /// 0 to 100 among the project's keywords; null until all of them are known.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub priority_score: Option<f64>,
}

crate::json!(RankingRecord);

fn published_curve() -> String {
    PUBLISHED_CURVE.to_owned()
}

impl RankingRecord {
    /// Updates the opportunity, too.
    pub fn set_difficulty(&mut self, difficulty: Option<f64>) {
        self.difficulty = difficulty;
        self.opportunity = self
            .target_ctr_gain
            .and_then(|gain| Opportunity::clicks(gain, self.search_volume, difficulty));
    }
}

/// An own result on the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnUrl {
    /// The URL as the engine gave it.
    pub url: String,
    /// Rank among organic results.
    pub position: u32,
    /// Rank among all blocks.
    pub absolute_position: Option<u32>,
    /// The share of searches that is expected to click it.
    #[serde(serialize_with = "rounded::fraction")]
    pub expected_ctr: f64,
}

/// What became of the rank since the last successful measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// Better.
    Up,
    /// Worse.
    Down,
    /// Neither; also when it was not ranked then and is not now.
    Same,
    /// It was not ranked within a depth that included today's position.
    New,
    /// It was ranked, and today's depth includes that place.
    Lost,
    /// The first successful measurement.
    FirstSeen,
    /// Unknown: the measurement failed, or the depths do not allow a comparison.
    Unknown,
}

/// Where a new entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum EnteredFrom {
    /// From below the depth that was checked.
    NotRanked,
}

/// A range of positions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
pub enum Bucket {
    /// Position 1.
    #[serde(rename = "1")]
    First,
    /// Positions 2 and 3.
    #[serde(rename = "2-3")]
    Top3,
    /// Positions 4 to 10.
    #[serde(rename = "4-10")]
    Top10,
    /// Positions 11 to 20.
    #[serde(rename = "11-20")]
    Top20,
    /// Positions 21 to 50.
    #[serde(rename = "21-50")]
    Top50,
    /// Positions 51 to 100 (and deeper, should a snapshot reach there).
    #[serde(rename = "51-100")]
    Top100,
    /// Not within the depth.
    #[serde(rename = "notRanked")]
    NotRanked,
}

impl Bucket {
    pub const fn of(position: Option<u32>) -> Self {
        match position {
            None => Self::NotRanked,
            Some(..=1) => Self::First,
            Some(2..=3) => Self::Top3,
            Some(4..=10) => Self::Top10,
            Some(11..=20) => Self::Top20,
            Some(21..=50) => Self::Top50,
            Some(_) => Self::Top100,
        }
    }
}

#[cfg(test)]
mod tests;
