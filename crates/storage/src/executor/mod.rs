//! How a statement gets a connection and a thread: pool, wait queue, sessions, group commit.

pub mod cached;
mod group_commit;
pub mod in_place;
pub mod pool;
mod query_timer;
pub mod read_batch;
pub mod session;
mod wait_queue;
