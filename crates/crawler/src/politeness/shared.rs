//! Host throttle shared by all processes on one database.

use domain::ports::host_throttle::{HostHash, HostThrottle};
use domain::ports::storage::StorageError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub struct SharedThrottle {
    throttle: Arc<dyn HostThrottle>,
    is_unavailable: AtomicBool,
}

impl SharedThrottle {
    pub fn new(throttle: Arc<dyn HostThrottle>) -> Self {
        Self {
            throttle,
            is_unavailable: AtomicBool::new(false),
        }
    }

    /// Reserves a time and returns the wait; zero if that fails: this process then keeps its own delay.
    pub async fn reserve(&self, site: HostHash, distance: Duration) -> Duration {
        let reserved = self.throttle.reserve(site, distance).await;
        self.track_availability(reserved).unwrap_or_default()
    }

    pub async fn pause(&self, site: HostHash, time: Duration) {
        let paused = self.throttle.pause(site, time).await;
        self.track_availability(paused);
    }

    /// Logs an outage once, until the throttle is available again.
    fn track_availability<T>(&self, answer: Result<T, StorageError>) -> Option<T> {
        let was_unavailable = self.is_unavailable.swap(answer.is_err(), Ordering::Relaxed);
        answer
            .inspect_err(|error| {
                if !was_unavailable {
                    tracing::warn!(
                        %error,
                        "the shared host throttle is unavailable: until it recovers, this process throttles its own requests only"
                    );
                }
            })
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::HostLimiters;
    use super::*;
    use crate::settings::CrawlerSettings;
    use async_trait::async_trait;
    use std::{collections::HashMap, sync::Mutex};
    use tokio::time::Instant;
    use url::Url;

    const SECOND: Duration = Duration::from_secs(1);

    /// A shared throttle in memory that can be made unavailable.
    #[derive(Default)]
    struct Book {
        free_at: Mutex<HashMap<HostHash, Instant>>,
        is_away: AtomicBool,
    }

    impl Book {
        fn take(
            &self,
            site: HostHash,
            pause: Duration,
            distance: Duration,
        ) -> Result<Duration, StorageError> {
            if self.is_away.load(Ordering::Relaxed) {
                return Err(StorageError::Unavailable("away".into()));
            }
            let now = Instant::now();
            let mut free_at = self.free_at.lock().unwrap();
            let moment = free_at.get(&site).copied().unwrap_or(now).max(now + pause);
            free_at.insert(site, moment + distance);
            Ok(moment - now)
        }
    }

    #[async_trait]
    impl HostThrottle for Book {
        async fn reserve(
            &self,
            site: HostHash,
            distance: Duration,
        ) -> Result<Duration, StorageError> {
            Self::take(self, site, Duration::ZERO, distance)
        }

        async fn pause(&self, site: HostHash, time: Duration) -> Result<(), StorageError> {
            Self::take(self, site, time, Duration::ZERO).map(drop)
        }
    }

    /// The hosts of two processes, and their shared throttle.
    fn two_processes() -> (Arc<Book>, [HostLimiters; 2]) {
        let book = Arc::new(Book::default());
        let gates = [(); 2].map(|()| HostLimiters::with_shared_throttle(Arc::clone(&book) as _));
        (book, gates)
    }

    async fn enter(gates: &HostLimiters, url: &str, delay: Duration) {
        let url = Url::parse(url).unwrap();
        let gate = gates.limiter(&url, &CrawlerSettings::default());
        drop(gate.acquire(delay).await);
    }

    #[tokio::test(start_paused = true)]
    async fn two_processes_share_one_delay_and_alternate() {
        let (_, gates) = two_processes();
        let begin = Instant::now();
        let moments = Mutex::new(Vec::new());
        let crawl = |number: usize| {
            let (gates, moments) = (&gates[number], &moments);
            async move {
                for _ in 0..4 {
                    enter(gates, "http://www.example.com/", SECOND).await;
                    moments
                        .lock()
                        .unwrap()
                        .push((begin.elapsed().as_secs(), number));
                }
            }
        };
        tokio::join!(crawl(0), crawl(1));
        let expected: Vec<(u64, usize)> = (0..8).zip([0, 1].into_iter().cycle()).collect();
        assert_eq!(moments.into_inner().unwrap(), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn sites_are_independent_and_zero_delay_reserves_nothing() {
        let (book, [one, two]) = two_processes();
        let begin = Instant::now();
        enter(&one, "http://example.com/", SECOND).await;
        enter(&two, "http://example.org/", SECOND).await;
        assert_eq!(book.free_at.lock().unwrap().len(), 2);
        enter(&two, "http://example.net/", Duration::ZERO).await;
        assert_eq!(book.free_at.lock().unwrap().len(), 2);
        assert_eq!(begin.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_applies_to_all_processes() {
        let (_, [one, two]) = two_processes();
        let begin = Instant::now();
        let url = Url::parse("http://example.com/").unwrap();
        let gate = one.limiter(&url, &CrawlerSettings::default());
        gate.pause(SECOND * 30).await;
        enter(&two, "http://example.com/", SECOND).await;
        assert_eq!(begin.elapsed().as_secs(), 30);
        enter(&one, "http://example.com/", SECOND).await;
        assert_eq!(begin.elapsed().as_secs(), 31);
    }

    #[tokio::test(start_paused = true)]
    async fn each_process_throttles_alone_during_an_outage() {
        let (book, [one, two]) = two_processes();
        let begin = Instant::now();
        book.is_away.store(true, Ordering::Relaxed);
        for _ in 0..3 {
            enter(&one, "http://example.com/", SECOND).await;
            enter(&two, "http://example.com/", SECOND).await;
        }
        assert_eq!(begin.elapsed().as_secs(), 2);
        book.is_away.store(false, Ordering::Relaxed);
        enter(&one, "http://example.com/", SECOND).await;
        enter(&two, "http://example.com/", SECOND).await;
        assert_eq!(begin.elapsed().as_secs(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn the_delay_is_kept_after_waiting_for_other_processes() {
        let (book, [one, two]) = two_processes();
        let begin = Instant::now();
        enter(&two, "http://example.com/", SECOND * 10).await;
        enter(&one, "http://example.com/", SECOND).await;
        assert_eq!(begin.elapsed().as_secs(), 10);
        book.is_away.store(true, Ordering::Relaxed);
        enter(&one, "http://example.com/", SECOND).await;
        assert_eq!(begin.elapsed().as_secs(), 11);
    }
}
