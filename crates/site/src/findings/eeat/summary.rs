use super::averages::PageAverages;
use super::record::{EeatRecord, PillarScores, Ymyl};
use super::signal::SignalCode;
use crate::{ToSchema, findings::envelope::rounded};
use serde::{Deserialize, Serialize};

/// Evidence of experience, expertise, authoritativeness and trust, of a whole site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EeatSummary {
    /// Pages that were evaluated.
    pub pages: u32,
    /// The score of the site: its own signals, and the means of its pages.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub site_score: Option<f64>,
    /// The same by pillar.
    pub pillars: PillarScores,
    /// Mean score of the pages; null without any that has one.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub average_page_score: Option<f64>,
    /// Whether the site is about your money or your life.
    pub ymyl: Ymyl,
    /// Applicable signals that the site has none of, the weightiest first.
    pub missing: Vec<SignalCode>,
}

crate::json!(EeatSummary);

impl EeatSummary {
    pub fn of(site: &EeatRecord, pages: &PageAverages) -> Self {
        Self {
            pages: pages.pages(),
            site_score: site.eeat_score,
            pillars: site.pillars,
            average_page_score: pages.mean_score(),
            ymyl: site.ymyl.clone(),
            missing: site.missing.clone(),
        }
    }
}
