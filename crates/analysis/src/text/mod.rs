//! Text of pages: words, sentences, syllables and how hard they read; language; keywords in text;
//! likeness, duplicates and differences; widths on a results page.
//!
//! Everything takes plain text whose blocks (paragraphs, headings, list items) are separated by
//! line feeds, and inside of which white space is already collapsed.

pub mod counts;
pub mod diff;
pub mod duplicates;
pub mod error_phrases;
pub mod interned;
pub mod language;
pub mod likeness;
pub mod noise;
pub mod phrases;
pub mod pixel_width;
pub mod readability;
pub mod sentences;
pub mod stems;
pub mod syllables;
pub mod words;
