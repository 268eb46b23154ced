//! What was seen.

pub mod page_url;
pub mod search_page;
pub mod vitals;
pub mod structured_data;
pub mod web_site;
