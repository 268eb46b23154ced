//! What follows from what was seen: one file or folder per result type.

pub mod suggestions;

pub use search::findings::*;
pub use site::findings::*;
pub use texts::findings::*;
