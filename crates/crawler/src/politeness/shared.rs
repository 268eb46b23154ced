//! Host throttle shared by all processes on one database.

use domain::ports::site_turns::{SiteHash, SiteTurns};
use domain::ports::storage::StorageError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub struct SharedTurns {
    turns: Arc<dyn SiteTurns>,
    is_silent: AtomicBool,
}

impl SharedTurns {
    pub fn new(turns: Arc<dyn SiteTurns>) -> Self {
        Self {
            turns,
            is_silent: AtomicBool::new(false),
        }
    }

    /// Reserves a time and returns the wait; zero if that fails: this process then keeps its own delay.
    pub async fn take(&self, site: SiteHash, distance: Duration) -> Duration {
        let taken = self.turns.take(site, distance).await;
        self.heard(taken).unwrap_or_default()
    }

    pub async fn pause(&self, site: SiteHash, time: Duration) {
        let paused = self.turns.pause(site, time).await;
        self.heard(paused);
    }

    /// Logs an outage once, until the throttle is available again.
    fn heard<T>(&self, answer: Result<T, StorageError>) -> Option<T> {
        let was_silent = self.is_silent.swap(answer.is_err(), Ordering::Relaxed);
        answer
            .inspect_err(|error| {
                if !was_silent {
                    tracing::warn!(
                        %error,
                        "turns at sites are not shared: until they are again, this process keeps its distance by itself"
                    );
                }
            })
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::HostGates;
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
        free_at: Mutex<HashMap<SiteHash, Instant>>,
        is_away: AtomicBool,
    }

    impl Book {
        fn take(
            &self,
            site: SiteHash,
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
    impl SiteTurns for Book {
        async fn take(&self, site: SiteHash, distance: Duration) -> Result<Duration, StorageError> {
            Self::take(self, site, Duration::ZERO, distance)
        }

        async fn pause(&self, site: SiteHash, time: Duration) -> Result<(), StorageError> {
            Self::take(self, site, time, Duration::ZERO).map(drop)
        }
    }

    /// The hosts of two processes, and their shared throttle.
    fn two_processes() -> (Arc<Book>, [HostGates; 2]) {
        let book = Arc::new(Book::default());
        let gates = [(); 2].map(|()| HostGates::sharing(Arc::clone(&book) as _));
        (book, gates)
    }

    async fn enter(gates: &HostGates, url: &str, delay: Duration) {
        let url = Url::parse(url).unwrap();
        let gate = gates.gate(&url, &CrawlerSettings::default());
        drop(gate.enter(delay).await);
    }

    #[tokio::test(start_paused = true)]
    async fn two_processes_keep_one_distance_and_take_turns() {
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
    async fn sites_do_not_wait_for_each_other_and_no_distance_asks_nobody() {
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
    async fn what_a_site_asks_one_process_to_wait_all_wait() {
        let (_, [one, two]) = two_processes();
        let begin = Instant::now();
        let url = Url::parse("http://example.com/").unwrap();
        let gate = one.gate(&url, &CrawlerSettings::default());
        gate.pause(SECOND * 30).await;
        enter(&two, "http://example.com/", SECOND).await;
        assert_eq!(begin.elapsed().as_secs(), 30);
        enter(&one, "http://example.com/", SECOND).await;
        assert_eq!(begin.elapsed().as_secs(), 31);
    }

    #[tokio::test(start_paused = true)]
    async fn without_whoever_hands_out_turns_each_process_keeps_its_distance() {
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
    async fn a_process_that_waited_for_others_keeps_its_distance_from_then_on() {
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
