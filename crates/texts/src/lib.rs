//! What is observed (search pages, sites, AI answers), and what one text, address or series says by itself.
//!
//! Nothing here reads a clock, draws a random number, waits or talks to anything.

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

// Schemas are made for tests alone, which compare them with the file that `web` serves: utoipa's code for a hundred
// types takes a tenth of the time in which these crates are built, and 2 MB.
#[cfg(not(feature = "schemas"))]
use no_schema::ToSchema;
#[cfg(feature = "schemas")]
use utoipa::ToSchema;
