//! The science of Sightline: observations, findings, and the pure functions between them.
//!
//! An *observation* is what was seen (a search page, a web site); a *finding* is what follows
//! from it (a rank, a broken link). Nothing here reads a clock, draws a random number, waits or
//! talks to anything: the same observations give the same findings, byte for byte.
//!
//! Three crates, of which `site` and `search` are built side by side: what follows from both stands here.

pub mod findings;

pub use search::*;
pub use site::*;
pub use texts::*;

#[cfg(not(feature = "schemas"))]
use no_schema::ToSchema;
#[cfg(feature = "schemas")]
use utoipa::ToSchema;
