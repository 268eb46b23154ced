use async_trait::async_trait;
use std::time::Duration;

/// Waits in real time, also in tests, unlike the [clock](super::clock::Clock).
#[async_trait]
pub trait Sleeper: Send + Sync {
    async fn sleep(&self, time: Duration);
}
