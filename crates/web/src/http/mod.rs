//! HTTP building blocks: cookies, entity tags, response sizes, JSON, client disconnects.

pub mod byte_budget;
pub mod client_disconnect;
pub mod cookies;
pub mod entity_tag;
pub mod json_guard;
pub mod transfer;
