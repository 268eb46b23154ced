//! The science of Sightline: observations, findings, and the pure functions between them.
//!
//! An *observation* is what was seen (a search page, a web site); a *finding* is what follows
//! from it (a rank, a broken link). Nothing here reads a clock, draws a random number, waits or
//! talks to anything: the same observations give the same findings, byte for byte.

pub mod ai_answers;
pub mod ai_prompts;
pub mod ctr;
pub mod document;
#[cfg(any(test, feature = "test-support"))]
pub mod fault_sites;
pub mod findings;
pub mod forecast;
pub mod keyword_metrics;
pub mod keyword_text;
pub mod observation;
pub mod page_kind;
pub mod provenance;
pub mod result_type;
pub mod search_intent;
pub mod search_panel;
pub mod site_class;
pub mod site_graph;
pub mod statistics;
pub mod table;
pub mod text;
pub mod url_rules;
mod wire_enum;

// Schemas are made for tests alone, which compare them with the file that `web` serves: utoipa's code for a hundred
// types takes a tenth of the time in which this crate is built, and 2 MB.
#[cfg(not(feature = "schemas"))]
use no_schema::ToSchema;
#[cfg(feature = "schemas")]
use utoipa::ToSchema;
