//! HTTP building blocks: cookies, entity tags, response sizes, JSON, client disconnects.

pub mod cookies;
pub mod entity_tag;
pub mod hang_up;
pub mod json_guard;
pub mod transfer;
pub mod weight;
