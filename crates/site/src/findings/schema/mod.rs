//! The structured data of a page by four yardsticks: syntax, schema.org's vocabulary, what Google asks for, and what
//! the page shows. An entity is an item that no other item holds, or one that a page or list is about (`mainEntity`,
//! `itemListElement`, …) and that Google has a feature for; what it holds is judged as part of it. A thing in two
//! syntaxes is one entity.

mod duplicates;
mod entities;
mod expiries;
mod feature;
mod google;
mod graph;
mod judge;
mod outcome;
mod paths;
mod record;
mod rules;
mod score;
mod special;
mod summary;
mod template;
mod terms;
mod values;
mod visible;
pub mod vocabulary;

pub use crate::findings::envelope::FindingContext;
pub use expiries::Expiry;
pub use feature::Feature;
pub use judge::{PageInput, judge_page};
pub use record::{Eligibility, Entity, FormatCounts, Issue, IssueCode, Level, SchemaRecord};
pub use summary::{SchemaSummary, SchemaTally};
pub use template::PageTemplate;

pub const METHOD: &str = "schema/2";

#[cfg(test)]
#[allow(clippy::needless_pass_by_value)] // Things are written with `json!` where they are used.
mod tests;
