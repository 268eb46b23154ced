use async_trait::async_trait;
use domain::ports::patience::Patience;
use std::time::Duration;

pub struct TimerPatience;

#[async_trait]
impl Patience for TimerPatience {
    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}
