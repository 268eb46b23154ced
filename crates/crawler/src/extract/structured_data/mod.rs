//! Structured data of a page: JSON-LD, microdata and `RDFa` as one list of items, and social `meta` elements. Time
//! and memory are bounded by the limits of [`collector`] and of the JSON parser, and by a budget of visits.

mod collector;
mod context;
mod json_ld;
mod microdata;
mod names;
mod rdfa;
mod rdfa_links;
mod rdfa_names;
mod rdfa_prefixes;
mod social;
mod text;

use super::{dom::Dom, json_ld::JsonLd};
use analysis::observation::structured_data::PageStructuredData;
use collector::Collector;
use url::Url;

/// Relative URLs are resolved against `base`.
pub fn structured_data(dom: &Dom, json_ld: &JsonLd, base: &Url) -> PageStructuredData {
    let mut found = Collector::default();
    json_ld::read(json_ld, base, &mut found);
    microdata::read(dom, base, &mut found);
    rdfa::read(dom, base, &mut found);
    social::read(dom, &mut found);
    found.finished()
}

#[cfg(test)]
mod tests;
