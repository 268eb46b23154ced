//! One page of search results as it was seen, whatever supplier fetched it.

use crate::{ToSchema, provenance::Provenance};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

mod feature;

pub use feature::{Feature, FeatureCoverage};

/// The warning of a snapshot whose later result pages could not be fetched.
pub const DEPTH_CUT_SHORT: &str = "depthCutShort";

/// What the searcher held in the hand.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Device {
    /// A desktop computer.
    Desktop,
    /// A phone.
    Mobile,
}

impl Device {
    /// The name callers use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Mobile => "mobile",
        }
    }

    /// The device of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Desktop, Self::Mobile]
            .into_iter()
            .find(|it| it.name() == name)
    }
}

/// A snapshot of one results page; several fetched pages of one query make one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchPage {
    /// The engine whose page it is, for example `google`.
    pub engine: String,
    /// A neutral label of who fetched it; never the supplier's internals.
    pub provider: String,
    /// Seen, or made up by the sandbox.
    pub provenance: Provenance,
    /// When it was fetched.
    pub fetched_at: DateTime<Utc>,
    /// Supplier calls it took, for the cost of a run.
    pub calls: u32,
    /// How many results the engine says there are, when it says so.
    pub total_results_estimate: Option<u64>,
    /// Which of the features on the page this supplier tells about.
    pub feature_coverage: FeatureCoverage,
    /// Everything on the page, from top to bottom, as far as the supplier tells the order.
    pub blocks: Vec<Block>,
    /// The AI overview; `None` when the supplier does not tell whether there was one.
    pub ai_overview: Option<AiOverview>,
    /// Searches the engine suggests instead.
    pub related: Vec<String>,
    /// Machine codes of what is known to be weak about this snapshot.
    pub warnings: Vec<String>,
}

/// One block of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    /// Rank among all blocks, from 1; `None` when the supplier does not tell.
    pub absolute_position: Option<u32>,
    /// The result page on which it stood, from 1.
    pub page: u32,
    /// What it is.
    pub content: BlockContent,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BlockContent {
    /// An organic result.
    Organic(OrganicResult),
    /// Anything else; never an organic position.
    Feature(FeatureBlock),
}

/// An organic result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganicResult {
    /// Rank among organic results, from 1, without gaps.
    pub position: u32,
    /// Where it leads, as the engine gave it.
    pub url: String,
    /// Its headline.
    pub title: String,
    /// The text below the headline.
    pub snippet: Option<String>,
    /// The address as displayed.
    pub displayed_url: Option<String>,
    /// The words the engine emphasised.
    pub highlighted: Vec<String>,
    /// Links to more pages of the same site.
    pub sitelinks: Vec<PageLink>,
    /// Stars, prices and dates shown with it.
    pub rich_data: RichData,
    /// Whether it is also quoted in the featured snippet.
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
    /// Whether nothing of the kind was shown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A block that is not an organic result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FeatureBlock {
    /// Its kind.
    pub feature: Feature,
    /// Its headline, when it has one.
    pub title: Option<String>,
    /// Its text, when it has one.
    pub text: Option<String>,
    /// Where it leads.
    pub links: Vec<PageLink>,
}

/// The engine's own answer, written by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AiOverview {
    /// Whether the page had one.
    pub present: bool,
    /// Rank among all blocks.
    pub absolute_position: Option<u32>,
    /// The answer.
    pub text: Option<String>,
    /// The pages it cites, in its order.
    pub citations: Vec<PageLink>,
}

impl AiOverview {
    /// A page of which the supplier knows that it had no AI overview.
    #[must_use]
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
    /// The organic results with their blocks, best first.
    pub fn organic(&self) -> impl Iterator<Item = (&Block, &OrganicResult)> {
        self.blocks.iter().filter_map(|block| match &block.content {
            BlockContent::Organic(result) => Some((block, result)),
            BlockContent::Feature(_) => None,
        })
    }

    /// The other blocks, from top to bottom.
    pub fn features(&self) -> impl Iterator<Item = (&Block, &FeatureBlock)> {
        self.blocks.iter().filter_map(|block| match &block.content {
            BlockContent::Organic(_) => None,
            BlockContent::Feature(feature) => Some((block, feature)),
        })
    }

    /// How many organic results were actually seen.
    #[must_use]
    pub fn depth_checked(&self) -> u32 {
        u32::try_from(self.organic().count()).unwrap_or(u32::MAX)
    }

    /// Whether an AI overview was seen; `None` when the supplier does not tell.
    #[must_use]
    pub fn has_ai_overview(&self) -> Option<bool> {
        self.ai_overview.as_ref().map(|it| it.present)
    }

    /// Whether this is no results page at all but a captcha or a consent form: nothing organic,
    /// no feature, and no engine's word that there is nothing to find.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.blocks.is_empty()
            && self.has_ai_overview() != Some(true)
            && self.total_results_estimate != Some(0)
    }
}

#[cfg(test)]
mod tests;
