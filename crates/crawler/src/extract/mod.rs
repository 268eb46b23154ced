//! The facts of an HTML page, from one parse.

mod charset;
mod dom;
mod facts;
mod links;
mod page_files;
mod parse;
mod place;
mod srcset;
mod target;
mod text;

pub use facts::{PageFacts, read_page};
pub use page_files::{NamedFile, read_page_files};
