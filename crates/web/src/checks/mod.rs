//! Request checks used by the pipeline, MCP and pages, and response writing.

pub(crate) mod accept;
pub(crate) mod admit;
pub(crate) mod authenticate;
pub(crate) mod body;
pub mod idempotency;
pub mod origin_check;
pub(crate) mod preconditions;
pub(crate) mod respond;
pub(crate) mod routing;
pub(crate) mod transport;
mod visitor;
