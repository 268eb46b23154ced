//! What HTTP itself says: cookies, entity tags, sizes, bodies that come in pieces, callers that hang up.

pub mod cookies;
pub mod entity_tag;
pub mod hang_up;
pub mod json_guard;
pub mod transfer;
pub mod weight;
