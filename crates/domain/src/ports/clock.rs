//! What time it is.

use chrono::{DateTime, Utc};

/// Tells the time, in whole microseconds (what both databases can keep).
pub trait Clock: Send + Sync {
    /// Now, in UTC.
    fn now(&self) -> DateTime<Utc>;
}
