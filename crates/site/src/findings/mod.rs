pub mod broken_links;
pub mod content;
pub mod content_changes;
pub mod eeat;
pub mod geo_score;
pub mod issues;
pub mod llms_txt;
pub mod schema;
pub mod site_audit;
pub mod site_changes;
pub mod vitals;

pub(crate) use texts::findings::envelope;

#[cfg(test)]
mod sample_pages;
