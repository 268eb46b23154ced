use setting::{Key, Setting};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub struct ResilienceSettings {
    /// Including TLS.
    pub connect_timeout: Duration,
    /// From start to last byte.
    pub call_timeout: Duration,
    pub max_retries: u32,
    /// Maximum pause before the first retry; doubles with each.
    pub first_pause: Duration,
    pub max_pause: Duration,
    /// Longer delays are not waited for.
    pub max_retry_after: Duration,
    /// Retries as a share of successful calls, over time.
    pub retry_share: f64,
    /// Retries available before that share counts.
    pub retry_reserve: f64,
    pub concurrent_calls: usize,
    /// `None` for no limit.
    pub calls_per_second: Option<f64>,
    pub breaker: BreakerSettings,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BreakerSettings {
    /// Minimum number of calls in `window`.
    pub min_calls: usize,
    pub window: Duration,
    /// Failures that open it, from 0 to 1.
    pub failure_share: f64,
    /// Varied by 20 %.
    pub open_for: Duration,
    /// Successful probes that close it.
    pub probes: u32,
}

impl Default for ResilienceSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(8),
            call_timeout: Duration::from_secs(30),
            max_retries: 2,
            first_pause: Duration::from_millis(500),
            max_pause: Duration::from_secs(10),
            max_retry_after: Duration::from_secs(20),
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

/// Not configurable: no keys.
impl Setting for ResilienceSettings {
    fn keys(_: &str, _: &'static str, _: &mut Vec<Key>) {}
}
