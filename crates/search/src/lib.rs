//! Findings about search pages and AI answers.

pub mod ai_prompts;
pub mod ctr;
pub mod findings;
pub mod keyword_metrics;
mod page_type;
pub mod search_panel;
pub mod site_class;

use texts::{
    ai_answers, forecast, json, keyword_text, observation, page_kind, provenance, result_type,
    search_intent, statistics, text, url_rules, wire_enum,
};

#[cfg(not(feature = "schemas"))]
use no_schema::ToSchema;
#[cfg(feature = "schemas")]
use utoipa::ToSchema;
