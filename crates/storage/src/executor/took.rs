//! How long the database took: measured around each hop to it, waiting for a turn not included.

use std::time::Instant;

/// Counts when it is dropped, however the operation ends.
pub struct Took {
    operation: &'static str,
    began: Instant,
}

impl Took {
    /// Begins now. Operations are `read` (a question outside of transactions), `statement` (one within)
    /// and `commit`: finer names would cost a series for each of hundreds of queries.
    pub fn of(operation: &'static str) -> Self {
        Self {
            operation,
            began: Instant::now(),
        }
    }
}

impl Drop for Took {
    fn drop(&mut self) {
        metrics::histogram!("db_client_operation_duration_seconds", "op" => self.operation)
            .record(self.began.elapsed());
    }
}
