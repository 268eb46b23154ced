//! Structured data.
pub mod vocabulary;
