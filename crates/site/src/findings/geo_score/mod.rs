//! How retrievable, extractable and citable a page is for generative engines: eleven factors and five gates, with
//! evidence. Weights are our judgment, ordered by published evidence (the GEO paper, GEO-16, geo-citation-lab;
//! `docs/measurement/geo-score.md`); the score predicts no citations, as every record states.

mod agents;
mod cue_words;
mod evaluate;
mod factors;
mod gates;
mod numbers;
mod page_factors;
mod quotations;
mod record;
mod stuffing;
mod summary;
mod text_factors;

pub use crate::findings::envelope::FindingContext;
pub use agents::{AI_AGENTS, AgentAccess, AgentPurpose, AgentVerdict, AiAgent, is_ai_search_agent};
pub use evaluate::evaluate;
pub use numbers::facts as numeric_facts;
pub use quotations::quotations;
pub use record::{
    Action, Factor, FactorCode, Gate, GateCode, GeoRecord, Grade, Stuffing, WeightsBasis,
};
pub use summary::{FactorCoverage, GeoSummary};

use super::{llms_txt::LlmsTxt, schema::SchemaRecord};
use crate::observation::page_content::PageContent;

pub const METHOD: &str = "geo-score/2";

#[derive(Debug, Clone, Copy)]
pub struct GeoInput<'a> {
    pub page: &'a PageContent,
    /// robots.txt verdicts for the crawlers of [`AI_AGENTS`]; missing ones are unknown.
    pub agents: &'a [AgentVerdict],
    /// Words of the rendered main text; `None` without rendering.
    pub rendered_words: Option<u32>,
    /// The structured data record; `None` if not evaluated.
    pub schema: Option<&'a SchemaRecord>,
    /// Tracked keywords of the page, which are checked for stuffing.
    pub keywords: &'a [String],
    pub site: SiteIdentity,
    /// The site's llms.txt; `None` if not fetched.
    pub llms_txt: Option<&'a LlmsTxt>,
}

/// What a site says about its owner; `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteIdentity {
    pub about_reachable: Option<bool>,
    pub contact_reachable: Option<bool>,
    pub organization: Option<bool>,
    pub organization_same_as: Option<bool>,
}

#[cfg(test)]
mod tests;
