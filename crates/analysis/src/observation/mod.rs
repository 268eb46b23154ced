//! What was seen.

pub mod search_page;
pub mod web_site;
