pub mod suggestions;

pub use search::findings::*;
pub use site::findings::*;
pub use texts::findings::*;
