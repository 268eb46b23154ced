use async_trait::async_trait;
use domain::ports::sleeper::Sleeper;
use std::time::Duration;

pub struct TokioSleeper;

#[async_trait]
impl Sleeper for TokioSleeper {
    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}
