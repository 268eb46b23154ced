//! Measures how long the database takes, without the wait for a permit.

use std::time::Instant;

/// Records when dropped, however the operation ends.
pub struct QueryTimer {
    operation: &'static str,
    began: Instant,
}

impl QueryTimer {
    /// Operations are `read` (outside of transactions), `statement` (inside) and `commit`: finer names would create a
    /// series for each of hundreds of queries.
    pub fn start(operation: &'static str) -> Self {
        Self {
            operation,
            began: Instant::now(),
        }
    }
}

impl Drop for QueryTimer {
    fn drop(&mut self) {
        metrics::histogram!("db_client_operation_duration_seconds", "op" => self.operation)
            .record(self.began.elapsed());
    }
}
