//! How retrievable, extractable and citable a page is for generative engines: eleven factors behind five gates, with
//! evidence. Weights are our judgement, ordered by what has been published (the GEO paper, GEO-16, geo-citation-lab;
//! analysis.md 2.14); it predicts no citations, and every record says so.

mod agents;
mod factors;
mod gates;
mod judge;
mod numbers;
mod page_factors;
mod quotations;
mod record;
mod stuffing;
mod summary;
mod text_factors;
mod words_that_tell;

pub use crate::findings::envelope::FindingContext;
pub use agents::{
    AI_AGENTS, AgentAccess, AgentPurpose, AgentVerdict, AiAgent, searches_for_answers,
};
pub use judge::judge;
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
    /// What robots.txt says to the crawlers of [`AI_AGENTS`]; those that are not here are not known.
    pub agents: &'a [AgentVerdict],
    /// Words of the main text after scripts have run; `None` when they did not run.
    pub rendered_words: Option<u32>,
    /// The judgement of the page's structured data; `None` when it was not judged.
    pub schema: Option<&'a SchemaRecord>,
    /// Keywords that are tracked for the page, to see whether they are stuffed.
    pub keywords: &'a [String],
    pub site: SiteIdentity,
    /// The site's llms.txt; `None` when nobody looked.
    pub llms_txt: Option<&'a LlmsTxt>,
}

/// What a site says of those behind it; `None` is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteIdentity {
    pub about_reachable: Option<bool>,
    pub contact_reachable: Option<bool>,
    pub organization: Option<bool>,
    pub organization_same_as: Option<bool>,
}

#[cfg(test)]
mod tests;
