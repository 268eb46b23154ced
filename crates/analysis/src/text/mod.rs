//! Text of pages: words, likeness, and the phrases with which servers say "not found".

pub mod error_phrases;
pub mod likeness;
pub mod words;
