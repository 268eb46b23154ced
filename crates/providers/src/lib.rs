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

use std::collections::BTreeSet;

/// Names of suppliers and of their settings, which operators alone see. AI engines have public names instead.
pub fn supplier_names() -> BTreeSet<String> {
    let search = search::SUPPLIERS.iter().map(|it| (it.name, it.section));
    let keywords = keywords::suppliers().map(|it| it.name);
    let settings = search.clone().map(|it| it.1.trim_start_matches("search."));
    { search.map(|it| it.0) }
        .chain(keywords)
        .chain(settings)
        .chain(vitals::SUPPLIER_NAMES)
        .map(str::to_owned)
        .collect()
}
