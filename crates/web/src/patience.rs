//! Waiting, by the runtime's timer.

use async_trait::async_trait;
use domain::ports::patience::Patience;
use std::time::Duration;

/// Lets time pass without holding a thread.
pub struct TimerPatience;

#[async_trait]
impl Patience for TimerPatience {
    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}
