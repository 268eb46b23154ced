use setting::{Key, Setting};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub struct ResilienceSettings {
    /// How long connecting may take, TLS included.
    pub connect_timeout: Duration,
    /// How long one call may take from its start to the last byte.
    pub call_timeout: Duration,
    pub max_retries: u32,
    /// The longest pause before the first retry; it doubles with each.
    pub first_pause: Duration,
    pub longest_pause: Duration,
    /// A supplier that asks for more patience than this is not waited for.
    pub longest_retry_after: Duration,
    /// Retries as a share of successful calls, over time.
    pub retry_share: f64,
    /// Retries that may be made at once before that share counts.
    pub retry_reserve: f64,
    pub concurrent_calls: usize,
    /// Calls that may begin in a second; `None` for as many as come.
    pub calls_per_second: Option<f64>,
    pub breaker: BreakerSettings,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BreakerSettings {
    /// Calls that must have been seen.
    pub min_calls: usize,
    /// In this time.
    pub window: Duration,
    /// And this share of them failed.
    pub failure_share: f64,
    /// For so long nobody calls, give or take a fifth.
    pub open_for: Duration,
    /// So many calls must then succeed.
    pub probes: u32,
}

impl Default for ResilienceSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(8),
            call_timeout: Duration::from_secs(30),
            max_retries: 2,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(10),
            longest_retry_after: Duration::from_secs(20),
            retry_share: 0.1,
            retry_reserve: 10.0,
            concurrent_calls: 8,
            calls_per_second: None,
            breaker: BreakerSettings::default(),
        }
    }
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            min_calls: 20,
            window: Duration::from_secs(30),
            failure_share: 0.5,
            open_for: Duration::from_secs(30),
            probes: 3,
        }
    }
}

/// No key: operators do not set it.
impl Setting for ResilienceSettings {
    fn keys(_: &str, _: &mut Vec<Key>) {}
}
