//! Findings about the pages of a site.

pub mod findings;
mod fragment;
pub mod site_graph;

use texts::{
    document, json, keyword_text, observation, page_kind, provenance, result_type, statistics,
    table, text, url_rules, wire_enum,
};

#[cfg(not(feature = "schemas"))]
use no_schema::ToSchema;
#[cfg(feature = "schemas")]
use utoipa::ToSchema;
