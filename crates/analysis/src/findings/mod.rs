//! What follows from what was seen: one file per result type.

pub mod broken_links;
pub mod content_changes;
pub mod eeat;
pub mod envelope;
pub mod geo_score;
pub mod keyword_market;
pub mod rankings;
pub mod schema;
pub mod serp;
pub mod vitals;

#[cfg(test)]
mod sample_pages;
