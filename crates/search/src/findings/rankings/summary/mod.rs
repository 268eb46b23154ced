use super::{
    Bucket, ChangeKind, METHOD_VERSION, RankChanges, RankingRecord, VisibilityChange, Weighting,
};
use crate::ToSchema;
use crate::ctr::ctr;
use crate::findings::envelope::{Coverage, rounded};
use crate::observation::search_page::Feature;
use crate::provenance::RecordStatus;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod movers;

pub use movers::Mover;
use movers::TopMovers;

/// How all keywords of a project rank together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankingsSummary {
    /// The definition it follows.
    pub method_version: String,
    /// How many keywords were requested, measured, failed.
    pub coverage: Coverage,
    /// Measured keywords per range of positions.
    pub buckets: BucketCounts,
    /// Mean position over the ranked keywords alone; null when none ranks.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub average_position: Option<f64>,
    /// Mean position where not ranked counts as one below the depth. Read both: the other
    /// average improves when keywords are lost.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub average_position_all: Option<f64>,
    /// 0 to 100: the clicks that the positions promise, in per cent of position 1 everywhere.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub visibility_index: Option<f64>,
    /// Whether search volumes weigh the keywords, or all weigh the same.
    pub weighting: Weighting,
    /// Sum of the expected clicks per month; null when no keyword has a search volume.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub estimated_traffic: Option<f64>,
    /// How many keywords that sum covers.
    pub estimated_traffic_keywords: u64,
    /// Keywords that moved up or entered.
    pub improved: u64,
    /// Keywords that moved down or were lost.
    pub declined: u64,
    /// Keywords with the move that gained the most clicks (or, with equal weighting, the largest share
    /// of searches), at most 10.
    pub winners: Vec<Mover>,
    /// Keywords with the move that lost the most, at most 10.
    pub losers: Vec<Mover>,
    /// Keywords that were not ranked and are.
    pub entered: u64,
    /// Keywords that were ranked and are not.
    pub left: u64,
    /// Keywords at 4 to 20, from which the first places are within reach.
    pub striking_distance: u64,
    /// Sum of the opportunities, clicks per month; null when no keyword has one.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub opportunity: Option<f64>,
    /// Pages of which it is known whether they had an AI overview.
    pub ai_overview_known: u64,
    /// Pages with an AI overview.
    pub ai_overview_present: u64,
    /// Pages with an AI overview that cites the project.
    pub ai_overview_own_cited: u64,
    /// On how many pages each feature leads to the project, most first.
    pub features_owned: Vec<OwnedFeature>,
    /// What changed since the check before, of the keywords that this one measured: who won, who
    /// lost, who entered, who left.
    #[serde(default)]
    #[schema(required = true)]
    pub since_last: Option<RankChanges>,
    /// The change of visibility since the check before, over the keywords of both checks; null
    /// without one.
    #[serde(default)]
    #[schema(required = true)]
    pub visibility_since_last: Option<VisibilityChange>,
    /// The same since 7 days ago (up to 9); null without a measurement then.
    #[serde(default)]
    #[schema(required = true)]
    pub visibility_change7: Option<VisibilityChange>,
    /// The same since 30 days ago (up to 37); null without a measurement then.
    #[serde(default)]
    #[schema(required = true)]
    pub visibility_change30: Option<VisibilityChange>,
}

crate::json!(RankingsSummary);

/// On how many pages a feature leads to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnedFeature {
    /// The feature.
    #[serde(rename = "type")]
    pub feature: Feature,
    /// Pages that show it.
    pub pages: u64,
    /// Those of them on which it leads to the project.
    pub owned: u64,
}

/// Measured keywords per range of positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BucketCounts {
    /// Position 1.
    #[serde(rename = "1")]
    pub first: u64,
    /// Positions 2 and 3.
    #[serde(rename = "2-3")]
    pub top3: u64,
    /// Positions 4 to 10.
    #[serde(rename = "4-10")]
    pub top10: u64,
    /// Positions 11 to 20.
    #[serde(rename = "11-20")]
    pub top20: u64,
    /// Positions 21 to 50.
    #[serde(rename = "21-50")]
    pub top50: u64,
    /// Positions 51 to 100.
    #[serde(rename = "51-100")]
    pub top100: u64,
    /// Not within the depth.
    #[serde(rename = "notRanked")]
    pub not_ranked: u64,
}

/// Aggregates records in constant memory: a few numbers and at most forty movers.
#[derive(Debug, Clone, Default)]
pub struct RankingsTally {
    measured: u64,
    failed: u64,
    ranked: u64,
    without_volume: u64,
    volume: f64,
    position_sum: f64,
    position_sum_all: f64,
    ctr_sum: f64,
    weighted_ctr_sum: f64,
    traffic: f64,
    improved: u64,
    declined: u64,
    buckets: BucketCounts,
    by_clicks: TopMovers,
    by_share: TopMovers,
    entered: u64,
    left: u64,
    striking_distance: u64,
    opportunity: Option<f64>,
    overview: (u64, u64, u64),
    features: BTreeMap<Feature, (u64, u64)>,
}

impl RankingsTally {
    pub fn add(&mut self, record: &RankingRecord) {
        if record.envelope.status == RecordStatus::Error {
            self.failed += 1;
            return;
        }
        self.measured += 1;
        self.buckets.count(Bucket::of(record.position));
        self.add_position(record);
        self.add_volume(record);
        self.add_move(record);
        self.add_features(record);
        self.striking_distance += u64::from(record.striking_distance == Some(true));
        if let Some(clicks) = record.opportunity {
            *self.opportunity.get_or_insert(0.0) += clicks;
        }
    }

    fn add_features(&mut self, record: &RankingRecord) {
        if let Some(overview) = record.ai_overview {
            self.overview.0 += 1;
            self.overview.1 += u64::from(overview.present);
            self.overview.2 += u64::from(overview.own_cited);
        }
        let owned = record.features_owned.as_deref().unwrap_or_default();
        for feature in record.features_present.iter().flatten() {
            let (pages, own) = self.features.entry(*feature).or_default();
            *pages += 1;
            *own += u64::from(owned.contains(feature));
        }
    }

    pub fn finish(self, requested: u64) -> RankingsSummary {
        let weighting = self.weighting();
        let movers = match weighting {
            Weighting::Volume => self.by_clicks.clone(),
            Weighting::Equal => self.by_share.clone(),
        };
        let with_volume = self.measured - self.without_volume;
        RankingsSummary {
            method_version: METHOD_VERSION.to_owned(),
            coverage: Coverage::new(requested, self.measured, self.failed),
            buckets: self.buckets,
            average_position: mean(self.position_sum, self.ranked),
            average_position_all: mean(self.position_sum_all, self.measured),
            visibility_index: self.visibility(),
            weighting,
            estimated_traffic: (with_volume > 0).then_some(self.traffic),
            estimated_traffic_keywords: with_volume,
            improved: self.improved,
            declined: self.declined,
            winners: movers.winners,
            losers: movers.losers,
            entered: self.entered,
            left: self.left,
            striking_distance: self.striking_distance,
            opportunity: self.opportunity,
            ai_overview_known: self.overview.0,
            ai_overview_present: self.overview.1,
            ai_overview_own_cited: self.overview.2,
            features_owned: owned_features(self.features),
            since_last: None,
            visibility_since_last: None,
            visibility_change7: None,
            visibility_change30: None,
        }
    }

    fn add_position(&mut self, record: &RankingRecord) {
        if let Some(position) = record.position {
            self.ranked += 1;
            self.position_sum += f64::from(position);
        }
        self.position_sum_all += record
            .position
            .map_or_else(|| f64::from(record.depth_checked) + 1.0, f64::from);
    }

    #[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
    fn add_volume(&mut self, record: &RankingRecord) {
        let share = record.position.map_or(0.0, ctr);
        self.ctr_sum += share;
        match record.search_volume {
            Some(volume) => {
                self.volume += volume as f64;
                self.weighted_ctr_sum += volume as f64 * share;
                self.traffic += record.estimated_clicks.unwrap_or(0.0);
            }
            None => self.without_volume += 1,
        }
    }

    fn add_move(&mut self, record: &RankingRecord) {
        match record.change_kind {
            ChangeKind::Up => self.improved += 1,
            ChangeKind::Down => self.declined += 1,
            ChangeKind::New => {
                self.improved += 1;
                self.entered += 1;
            }
            ChangeKind::Lost => {
                self.declined += 1;
                self.left += 1;
            }
            ChangeKind::Same | ChangeKind::FirstSeen | ChangeKind::Unknown => {}
        }
        self.by_clicks.offer(record, record.clicks_change);
        self.by_share.offer(record, record.ctr_change);
    }

    fn weighting(&self) -> Weighting {
        let all_have_volume = self.measured > 0 && self.without_volume == 0 && self.volume > 0.0;
        if all_have_volume {
            Weighting::Volume
        } else {
            Weighting::Equal
        }
    }

    fn visibility(&self) -> Option<f64> {
        let of_top = match self.weighting() {
            Weighting::Volume => Some(self.weighted_ctr_sum / self.volume),
            Weighting::Equal => mean(self.ctr_sum, self.measured),
        };
        of_top.map(|share| 100.0 * share / ctr(1))
    }
}

impl BucketCounts {
    fn count(&mut self, bucket: Bucket) {
        *match bucket {
            Bucket::First => &mut self.first,
            Bucket::Top3 => &mut self.top3,
            Bucket::Top10 => &mut self.top10,
            Bucket::Top20 => &mut self.top20,
            Bucket::Top50 => &mut self.top50,
            Bucket::Top100 => &mut self.top100,
            Bucket::NotRanked => &mut self.not_ranked,
        } += 1;
    }
}

fn owned_features(counts: BTreeMap<Feature, (u64, u64)>) -> Vec<OwnedFeature> {
    let mut features: Vec<OwnedFeature> = counts
        .into_iter()
        .map(|(feature, (pages, owned))| OwnedFeature {
            feature,
            pages,
            owned,
        })
        .collect();
    features.sort_by(|one, other| {
        other
            .owned
            .cmp(&one.owned)
            .then(other.pages.cmp(&one.pages))
            .then(one.feature.cmp(&other.feature))
    });
    features
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of keywords are far below 2^52"
)]
fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}
