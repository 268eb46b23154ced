//! How a statement gets a connection and a thread: pool, wait queue, sessions, group commit.

pub mod close_by;
mod group;
mod line;
pub mod near;
pub mod pool;
pub mod session;
pub mod steady;
mod took;
