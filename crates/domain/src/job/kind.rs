//! What can be analysed: named beside the result types that it brings.

pub use analysis::result_type::AnalysisKind;
