//! How a statement gets a connection and a thread: the pool and the line before it, sessions, shared commits.

pub mod close_by;
mod group;
mod line;
pub mod near;
pub mod pool;
pub mod session;
pub mod steady;
mod took;
