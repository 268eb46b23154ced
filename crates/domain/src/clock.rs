use chrono::{DateTime, Utc};
use std::time::Duration;

/// Time in whole microseconds, the precision of both databases.
pub trait Clock: Send + Sync {
    fn now(&self) -> DateTime<Utc>;

    /// Time since some moment in the past, for intervals. A clock that can be set must take this
    /// from a monotonic source.
    fn elapsed(&self) -> Duration {
        let since_1970 = self.now().signed_duration_since(DateTime::UNIX_EPOCH);
        since_1970.to_std().unwrap_or_default()
    }
}
