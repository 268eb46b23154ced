//! Kinds of analysis; defined beside their result types.

pub use analysis::result_type::AnalysisKind;
