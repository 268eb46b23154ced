//! The facts of an HTML page, from one parse.

mod charset;
mod dom;
mod facts;
mod json_ld;
mod links;
mod page_files;
mod main_text;
mod metadata;
mod parse;
mod place;
mod srcset;
mod target;
mod text;

pub use facts::{PageFacts, read_page};
pub use page_files::{NamedFile, read_page_files};
pub use main_text::{Block, BlockKind, MainText, TextSource};
pub use metadata::{Author, DateFact, DateRole, FactSource, PageMetadata, SourcedText};
