//! Text analysis. Functions take plain text: blocks (paragraphs, headings, list items) separated by line feeds, white
//! space collapsed.

pub mod counts;
pub mod diff;
pub mod duplicates;
pub mod error_phrases;
pub mod interner;
pub mod language;
pub mod noise;
pub mod phrases;
pub mod pixel_width;
pub mod readability;
pub mod sentences;
pub mod similarity;
pub mod stems;
pub mod syllables;
pub mod words;
