use async_trait::async_trait;
use std::time::Duration;

/// Lets time pass. Unlike the [clock](super::clock::Clock), tests let it really pass.
#[async_trait]
pub trait Patience: Send + Sync {
    async fn pause(&self, time: Duration);
}
