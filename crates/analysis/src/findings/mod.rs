//! What follows from what was seen: one file or folder per result type.

pub mod ai_trends;
pub mod ai_visibility;
pub mod broken_links;
pub mod cannibalization;
pub mod competitors;
pub mod content;
pub mod content_changes;
pub mod eeat;
pub mod envelope;
pub mod forecast;
pub mod geo_score;
pub mod issues;
pub mod keyword_market;
pub mod keyword_research;
pub mod llms_txt;
pub mod rankings;
pub mod schema;
pub mod serp;
pub mod site_audit;
pub mod site_changes;
pub mod sov;
pub mod suggestions;
pub mod vitals;

#[cfg(test)]
mod sample_pages;
