//! Observations (search pages, sites, AI answers), and the analysis of a single text, URL or series.
//!
//! Everything here is pure: no clock, no random numbers, no I/O.

pub mod ai_answers;
pub mod document;
pub mod findings;
pub mod forecast;
mod intent;
pub mod keyword_text;
pub mod observation;
pub mod page_kind;
pub mod provenance;
pub mod result_type;
pub mod search_intent;
pub mod statistics;
pub mod table;
pub mod text;
pub mod url_rules;
mod wire_enum;

// Only tests build schemas, to compare them with the file that `web` serves: utoipa's code for a hundred types takes
// a tenth of the build time of these crates, and 2 MB.
#[cfg(not(feature = "schemas"))]
use no_schema::ToSchema;
#[cfg(feature = "schemas")]
use utoipa::ToSchema;
