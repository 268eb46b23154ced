//! Concurrency and delay per registrable domain, over all crawls; the delay also over all processes.

mod shared;

use crate::settings::CrawlerSettings;
use analysis::observation::page_url::registrable_domain;
use domain::ports::host_throttle::{HostHash, HostThrottle};
use shared::SharedThrottle;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until};
use url::Url;

/// Beyond this many, idle hosts are removed.
const MAX_LIMITERS: usize = 4_096;
/// Consecutive timeouts after which requests to a host are not retried.
const MAX_CONSECUTIVE_TIMEOUTS: u32 = 3;

#[derive(Default)]
pub struct HostLimiters {
    limiters: Mutex<HashMap<String, Arc<HostLimiter>>>,
    shared: Option<Arc<SharedThrottle>>,
}

pub struct HostLimiter {
    permits: Arc<Semaphore>,
    next: Mutex<Instant>,
    crawl_delay: Mutex<Duration>,
    consecutive_timeouts: AtomicU32,
    site: HostHash,
    shared: Option<Arc<SharedThrottle>>,
}

impl HostLimiters {
    pub fn with_shared_throttle(throttle: Arc<dyn HostThrottle>) -> Self {
        Self {
            shared: Some(Arc::new(SharedThrottle::new(throttle))),
            ..Self::default()
        }
    }

    pub fn limiter(&self, url: &Url, settings: &CrawlerSettings) -> Arc<HostLimiter> {
        let mut limiters = self
            .limiters
            .lock()
            .expect("no code panics while holding it");
        if limiters.len() > MAX_LIMITERS {
            limiters.retain(|_, limiter| Arc::strong_count(limiter) > 1 || limiter.is_waiting());
        }
        let key = key(url, settings);
        let site = HostHash::of(&key);
        let limiter = limiters.entry(key).or_insert_with(|| {
            let (_, connections) = settings.pace(url);
            Arc::new(HostLimiter::new(connections, site, self.shared.clone()))
        });
        Arc::clone(limiter)
    }
}

impl HostLimiter {
    fn new(connections: u32, site: HostHash, shared: Option<Arc<SharedThrottle>>) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(connections as usize)),
            next: Mutex::new(Instant::now()),
            crawl_delay: Mutex::default(),
            consecutive_timeouts: AtomicU32::new(0),
            site,
            shared,
        }
    }

    fn is_waiting(&self) -> bool {
        *self.next() > Instant::now()
    }

    fn next(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.next.lock().expect("no code panics while holding it")
    }

    /// Waits for a permit and for the host's delay; dropping the permit releases it.
    pub async fn acquire(&self, delay: Duration) -> OwnedSemaphorePermit {
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .expect("nobody closes the semaphore");
        let moment = {
            let mut next = self.next();
            let moment = (*next).max(Instant::now());
            *next = moment + delay;
            moment
        };
        sleep_until(moment).await;
        // Last, because a reserved time must be used: others then wait no longer than the delay.
        if let Some(shared) = &self.shared
            && !delay.is_zero()
        {
            sleep(shared.reserve(self.site, delay).await).await;
            let mut next = self.next();
            *next = (*next).max(Instant::now() + delay);
        }
        permit
    }

    pub fn set_crawl_delay(&self, distance: Duration) {
        *self
            .crawl_delay
            .lock()
            .expect("no code panics while holding it") = distance;
    }

    /// Crawl delay of the site; zero until known.
    pub fn crawl_delay(&self) -> Duration {
        *self
            .crawl_delay
            .lock()
            .expect("no code panics while holding it")
    }

    /// Delays further requests, except those that other processes have already reserved.
    pub async fn pause(&self, time: Duration) {
        {
            let mut next = self.next();
            *next = (*next).max(Instant::now() + time);
        }
        if let Some(shared) = &self.shared {
            shared.pause(self.site, time).await;
        }
    }

    pub fn record_timeout(&self, timed_out: bool) {
        if timed_out {
            self.consecutive_timeouts.fetch_add(1, Ordering::Relaxed);
        } else {
            self.consecutive_timeouts.store(0, Ordering::Relaxed);
        }
    }

    pub fn may_retry(&self) -> bool {
        self.consecutive_timeouts.load(Ordering::Relaxed) < MAX_CONSECUTIVE_TIMEOUTS
    }
}

/// The operator's hosts are separated by port, others by registrable domain.
fn key(url: &Url, settings: &CrawlerSettings) -> String {
    let host = url.host_str().unwrap_or_default();
    if settings.is_operator_host(url) {
        return format!("{host}:{}", url.port_or_known_default().unwrap_or(0));
    }
    registrable_domain(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn one_domain_shares_its_delay_across_subdomains() {
        let gates = HostLimiters::default();
        let settings = CrawlerSettings::default();
        let begin = Instant::now();
        for host in [
            "http://a.example.com/",
            "https://b.example.com/",
            "http://example.com/x",
        ] {
            let place = gates.limiter(&url(host), &settings);
            drop(place.acquire(Duration::from_secs(1)).await);
        }
        assert_eq!(begin.elapsed().as_secs(), 2);
        let other = gates.limiter(&url("http://example.org/"), &settings);
        drop(other.acquire(Duration::from_secs(1)).await);
        assert_eq!(begin.elapsed().as_secs(), 2);
    }

    #[test]
    fn the_crawl_delay_is_stored_per_domain() {
        let gates = HostLimiters::default();
        let settings = CrawlerSettings::default();
        let gate = gates.limiter(&url("http://example.com/a"), &settings);
        assert_eq!(gate.crawl_delay(), Duration::ZERO);
        gate.set_crawl_delay(Duration::from_secs(7));
        let same = gates.limiter(&url("https://www.example.com/b"), &settings);
        assert_eq!(same.crawl_delay(), Duration::from_secs(7));
    }

    #[tokio::test(start_paused = true)]
    async fn one_request_is_in_flight_at_a_time() {
        let gates = HostLimiters::default();
        let gate = gates.limiter(&url("http://example.com/"), &CrawlerSettings::default());
        let first = gate.acquire(Duration::ZERO).await;
        let second =
            tokio::time::timeout(Duration::from_secs(9), gate.acquire(Duration::ZERO)).await;
        assert!(second.is_err());
        drop(first);
        drop(gate.acquire(Duration::ZERO).await);
    }

    #[test]
    fn public_hosts_have_a_minimum_delay() {
        let settings = CrawlerSettings {
            per_host_delay: Duration::ZERO,
            connections_per_host: 50,
            allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
            ..CrawlerSettings::default()
        };
        assert_eq!(
            settings.pace(&url("http://example.com/")),
            (Duration::from_millis(200), 2)
        );
        assert_eq!(
            settings.pace(&url("http://127.0.0.1:81/")),
            (Duration::ZERO, 50)
        );
    }
}
