use crate::{ToSchema, provenance::Provenance};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

mod feature;

pub use feature::{Feature, FeatureCoverage};

/// Later result pages could not be fetched.
pub const DEPTH_CUT_SHORT: &str = "depthCutShort";

crate::wire_enum! {
    /// What the searcher held in the hand.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Device {
        /// A desktop computer.
        Desktop = "desktop",
        /// A phone.
        Mobile = "mobile",
    }
}

/// One snapshot, of one or several result pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchPage {
    /// For example `google`.
    pub engine: String,
    /// A neutral label; never names the supplier.
    pub provider: String,
    pub provenance: Provenance,
    pub fetched_at: DateTime<Utc>,
    /// Supplier calls, for the cost of a run.
    pub calls: u32,
    pub total_results_estimate: Option<u64>,
    /// Which features this supplier reports.
    pub feature_coverage: FeatureCoverage,
    /// From top to bottom, as far as known.
    pub blocks: Vec<Block>,
    /// `None` if the supplier does not report them.
    pub ai_overview: Option<AiOverview>,
    pub related: Vec<String>,
    /// Codes of known limitations.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    /// Rank among all blocks, from 1; `None` if unknown.
    pub absolute_position: Option<u32>,
    /// Result page, from 1.
    pub page: u32,
    pub content: BlockContent,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BlockContent {
    Organic(OrganicResult),
    /// Never an organic position.
    Feature(FeatureBlock),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganicResult {
    /// Organic rank, from 1, without gaps.
    pub position: u32,
    /// As shown by the engine.
    pub url: String,
    pub title: String,
    pub snippet: Option<String>,
    pub displayed_url: Option<String>,
    pub highlighted: Vec<String>,
    pub sitelinks: Vec<PageLink>,
    pub rich_data: RichData,
    pub in_featured_snippet: bool,
}

/// A link with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageLink {
    /// The text.
    pub title: String,
    /// Where it leads.
    pub url: String,
}

/// What structured data adds to a result; `None` when it was not shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RichData {
    /// Mean rating, on the scale that was shown.
    pub rating: Option<f64>,
    /// How many rated.
    pub review_count: Option<u64>,
    /// A price.
    pub price: Option<f64>,
    /// Its currency, as shown.
    pub currency: Option<String>,
    /// A date, as shown.
    pub date: Option<String>,
    /// Questions shown under the result.
    pub faq: Vec<String>,
}

impl RichData {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FeatureBlock {
    pub feature: Feature,
    pub title: Option<String>,
    pub text: Option<String>,
    pub links: Vec<PageLink>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AiOverview {
    pub present: bool,
    pub absolute_position: Option<u32>,
    pub text: Option<String>,
    /// In the overview's order.
    pub citations: Vec<PageLink>,
}

impl AiOverview {
    /// The page is known to have none.
    pub const fn absent() -> Self {
        Self {
            present: false,
            absolute_position: None,
            text: None,
            citations: Vec::new(),
        }
    }
}

impl SearchPage {
    /// Best first.
    pub fn organic(&self) -> impl Iterator<Item = (&Block, &OrganicResult)> {
        self.blocks.iter().filter_map(|block| match &block.content {
            BlockContent::Organic(result) => Some((block, result)),
            BlockContent::Feature(_) => None,
        })
    }

    /// From top to bottom.
    pub fn features(&self) -> impl Iterator<Item = (&Block, &FeatureBlock)> {
        self.blocks.iter().filter_map(|block| match &block.content {
            BlockContent::Organic(_) => None,
            BlockContent::Feature(feature) => Some((block, feature)),
        })
    }

    pub fn depth_checked(&self) -> u32 {
        u32::try_from(self.organic().count()).unwrap_or(u32::MAX)
    }

    /// `None` if unknown.
    pub fn has_ai_overview(&self) -> Option<bool> {
        self.ai_overview.as_ref().map(|it| it.present)
    }

    /// A captcha or consent form: no organic result, no feature, and no reported total of 0.
    pub fn is_blocked(&self) -> bool {
        self.blocks.is_empty()
            && self.has_ai_overview() != Some(true)
            && self.total_results_estimate != Some(0)
    }
}

#[cfg(test)]
mod tests;
