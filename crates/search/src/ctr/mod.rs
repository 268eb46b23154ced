//! Expected click-through rates (model `ctr-v1`): a published or own curve by position, corrected for the page layout.

use crate::observation::search_page::{Feature, FeatureCoverage, SearchPage};
use crate::search_intent::Intent;

mod curve;

pub use curve::{ClickCurve, MIN_IMPRESSIONS, PUBLISHED_CURVE, PositionClicks};

pub const MAX_CTR: f64 = 0.95;

/// Share of clicks that remains under an AI overview at positions 1 to 3: Ahrefs, December 2025.
const UNDER_AI_OVERVIEW: [f64; 3] = [0.420, 0.492, 0.536];

/// The same at position 10; assumed constant below.
const UNDER_AI_OVERVIEW_AT_TEN: f64 = 0.806;

/// Factor of own sitelinks at position 1 (SISTRIX: 46.9 % against 28.5 %).
const OWN_SITELINKS: f64 = 1.646;

/// Factor of a page with organic results only (SISTRIX: 34.2 % against 28.5 %).
const PLAIN_PAGE: f64 = 1.200;

/// The share of searches that clicks the organic result at that position, by the published curve.
pub fn ctr(position: u32) -> f64 {
    ClickCurve::published().at(position)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Rank among organic results, from 1.
    pub position: u32,
    pub has_sitelinks: bool,
}

impl Placement {
    pub const fn plain(position: u32) -> Self {
        Self {
            position,
            has_sitelinks: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerpLayout {
    features: Vec<Feature>,
    coverage: FeatureCoverage,
    intent: Option<Intent>,
}

impl SerpLayout {
    /// The layout of a snapshot's first result page.
    pub fn of(page: &SearchPage, intent: Option<Intent>) -> Self {
        let features = page
            .features()
            .filter(|(block, _)| block.page == 1)
            .map(|(_, feature)| feature.feature)
            .chain((page.has_ai_overview() == Some(true)).then_some(Feature::AiOverview));
        Self::new(features.collect(), page.feature_coverage, intent)
    }

    pub fn new(features: Vec<Feature>, coverage: FeatureCoverage, intent: Option<Intent>) -> Self {
        Self {
            features,
            coverage,
            intent,
        }
    }

    /// Whether it has a feature without a published effect on clicks.
    pub fn has_unknown_effects(&self) -> bool {
        self.features.iter().any(|feature| {
            matches!(
                feature,
                Feature::LocalPack
                    | Feature::Map
                    | Feature::PeopleAlsoAsk
                    | Feature::Video
                    | Feature::Images
            )
        })
    }

    pub fn has_feature(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Whether a missing feature is known to be absent.
    pub fn is_complete(&self) -> bool {
        self.coverage == FeatureCoverage::Complete
    }

    /// Effects of features are not independent: only the strongest reduction counts.
    fn multiplier(&self) -> f64 {
        let strongest = self
            .features
            .iter()
            .copied()
            .filter_map(remaining_share)
            .reduce(f64::min);
        let is_plain = self.is_complete() && self.features.iter().copied().all(is_layout_neutral);
        strongest.unwrap_or(if is_plain { PLAIN_PAGE } else { 1.0 })
    }

    fn overview_takes_clicks(&self) -> bool {
        self.has_feature(Feature::AiOverview)
            && matches!(self.intent, None | Some(Intent::Informational))
    }
}

/// Expected click-through rates on a page, with the layout evaluated once.
#[derive(Debug, Clone, Copy)]
pub struct PageClicks<'c> {
    curve: &'c ClickCurve,
    multiplier: f64,
    overview_takes_clicks: bool,
}

impl<'c> PageClicks<'c> {
    pub fn new(curve: &'c ClickCurve, layout: &SerpLayout) -> Self {
        Self {
            curve,
            multiplier: layout.multiplier(),
            overview_takes_clicks: layout.overview_takes_clicks(),
        }
    }

    pub fn at(&self, place: Placement) -> f64 {
        let mut expected = self.curve.at(place.position) * self.multiplier;
        if self.overview_takes_clicks {
            expected *= under_ai_overview(place.position);
        }
        if place.position == 1 && place.has_sitelinks {
            expected *= OWN_SITELINKS;
        }
        expected.clamp(0.0, MAX_CTR)
    }
}

/// By the published curve.
pub fn expected_ctr(place: Placement, layout: &SerpLayout) -> f64 {
    PageClicks::new(ClickCurve::published(), layout).at(place)
}

/// Published for positions 1, 2, 3 and 10; in between, linear in ln(position).
pub fn under_ai_overview(position: u32) -> f64 {
    let at_three = UNDER_AI_OVERVIEW[2];
    match position {
        0 => 1.0,
        1..=3 => UNDER_AI_OVERVIEW[position as usize - 1],
        4..=9 => {
            let way = (f64::from(position) / 3.0).ln() / (10.0_f64 / 3.0).ln();
            at_three + (UNDER_AI_OVERVIEW_AT_TEN - at_three) * way
        }
        _ => UNDER_AI_OVERVIEW_AT_TEN,
    }
}

/// Share of clicks that a feature leaves to organic results (SISTRIX, position 1 by layout).
pub const fn remaining_share(feature: Feature) -> Option<f64> {
    match feature {
        Feature::FeaturedSnippet => Some(0.818),
        Feature::PaidTop => Some(0.660),
        Feature::KnowledgePanel => Some(0.586),
        Feature::Shopping => Some(0.481),
        _ => None,
    }
}

/// Related searches are on every page, also on those that the study calls plain.
const fn is_layout_neutral(feature: Feature) -> bool {
    matches!(
        feature,
        Feature::RelatedSearches | Feature::PeopleAlsoSearch
    )
}

#[cfg(test)]
mod tests;
