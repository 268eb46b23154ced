//! Suppliers of search results, of answers of AI engines and of field data over HTTP, Search Console and its exports, the
//! decorators around them, and the sandbox.
//!
//! An adapter translates a supplier's wire format into an observation and its failures into
//! [`domain::ports::search_results::ProviderError`]. Nothing here is stored, and no credential
//! leaves this crate except towards its supplier.

pub mod ai;
mod http_client;
pub mod keywords;
mod paying;
pub mod resilience;
pub mod sandbox;
pub mod search;
pub mod search_console;
mod supplier;
pub mod vitals;

pub use supplier::{Supplier, one_of};
