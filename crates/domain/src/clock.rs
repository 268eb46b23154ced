use chrono::{DateTime, Utc};
use std::time::Duration;

/// Tells the time, in whole microseconds (what both databases can keep).
pub trait Clock: Send + Sync {
    fn now(&self) -> DateTime<Utc>;

    /// How long it is since some moment of the past, for intervals. A clock whose time of day can
    /// be set tells this from another source, which never goes back.
    fn elapsed(&self) -> Duration {
        let since_1970 = self.now().signed_duration_since(DateTime::UNIX_EPOCH);
        since_1970.to_std().unwrap_or_default()
    }
}
