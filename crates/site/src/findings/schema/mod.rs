//! The structured data of a page on four levels: syntax, schema.org's vocabulary, Google's requirements, and
//! consistency with the page. An entity is a top-level item, or the subject of a page or list (`mainEntity`,
//! `itemListElement`, …) that Google has a feature for; nested items are evaluated as part of it. An item in two
//! syntaxes is one entity.

mod duplicates;
mod entities;
mod evaluate;
mod expiries;
mod feature;
mod google;
mod graph;
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
pub use evaluate::{PageInput, evaluate_page};
pub use expiries::Expiry;
pub use feature::Feature;
pub use record::{Eligibility, Entity, FormatCounts, Issue, IssueCode, Level, SchemaRecord};
pub use summary::{SchemaSummary, SchemaTally};
pub use template::PageTemplate;

pub const METHOD: &str = "schema/2";

#[cfg(test)]
#[allow(clippy::needless_pass_by_value)] // Items are written inline with `json!`.
mod tests;
