//! Adapters over HTTP for search results, AI engines, field data and Search Console; Search Console's exports; the
//! resilience layer around the calls; and the sandbox.
//!
//! An adapter translates a supplier's wire format into an observation and its failures into
//! [`domain::ports::search_results::ProviderError`]. Nothing is stored here, and credentials are sent only to their
//! supplier.

pub mod ai;
mod http_client;
pub mod keywords;
mod paid_calls;
pub mod resilience;
pub mod sandbox;
pub mod search;
pub mod search_console;
mod supplier;
pub mod vitals;

pub use supplier::{Supplier, join_with_or};
