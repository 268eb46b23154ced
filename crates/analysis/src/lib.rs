//! Analysis: pure functions from observations to findings.
//!
//! An *observation* is what was measured (a search page, a web site); a *finding* is derived from it
//! (a rank, a broken link). No clock, no random numbers, no I/O: equal observations give equal
//! findings, byte for byte.
//!
//! Findings of one kind are in `site` and `search`, which build in parallel; those that need both are here.

pub mod events;
pub mod findings;

pub use search::*;
pub use site::*;
pub use texts::*;

#[cfg(not(feature = "schemas"))]
use no_schema::ToSchema;
#[cfg(feature = "schemas")]
use utoipa::ToSchema;
