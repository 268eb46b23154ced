//! Spaces the starts of calls by a fixed interval.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

#[derive(Debug)]
pub(super) struct Pacer {
    interval: Duration,
    next: Mutex<Option<Instant>>,
}

impl Pacer {
    pub(super) fn new(calls_per_second: Option<f64>) -> Self {
        let interval = calls_per_second
            .filter(|rate| rate.is_finite() && *rate > 0.001)
            .map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Self {
            interval,
            next: Mutex::new(None),
        }
    }

    pub(super) async fn wait(&self) {
        if !self.interval.is_zero() {
            let start = self.reserve();
            sleep_until(start).await;
        }
    }

    fn reserve(&self) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let start = next.map_or(now, |next| next.max(now));
        *next = Some(start + self.interval);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn first_call_starts_at_once_and_the_rest_at_intervals() {
        let pacer = Pacer::new(Some(10.0));
        let begin = Instant::now();
        for call in 0..4_u32 {
            pacer.wait().await;
            assert_eq!(begin.elapsed().as_millis(), u128::from(call) * 100);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_rate_means_no_wait() {
        let begin = Instant::now();
        Pacer::new(None).wait().await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
    }
}
