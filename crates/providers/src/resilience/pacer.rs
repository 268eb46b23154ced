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

    pub(super) async fn turn(&self) {
        if !self.interval.is_zero() {
            let turn = self.reserve();
            sleep_until(turn).await;
        }
    }

    fn reserve(&self) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let turn = next.map_or(now, |next| next.max(now));
        *next = Some(turn + self.interval);
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_call_goes_at_once_and_the_others_follow_in_step() {
        let pacer = Pacer::new(Some(10.0));
        let begin = Instant::now();
        for call in 0..4_u32 {
            pacer.turn().await;
            assert_eq!(begin.elapsed().as_millis(), u128::from(call) * 100);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_nobody_waits() {
        let begin = Instant::now();
        Pacer::new(None).turn().await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
    }
}
