//! Concurrency and delay per registrable domain, over all crawls; the delay also over all processes.

mod shared;

use crate::settings::CrawlerSettings;
use analysis::observation::page_url::registrable_domain;
use domain::ports::site_turns::{SiteHash, SiteTurns};
use shared::SharedTurns;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until};
use url::Url;

/// Beyond this many, idle hosts are removed.
const GATES_KEPT: usize = 4_096;
/// Consecutive timeouts after which requests to a host are not retried.
const PATIENCE: u32 = 3;

#[derive(Default)]
pub struct HostGates {
    gates: Mutex<HashMap<String, Arc<Gate>>>,
    shared: Option<Arc<SharedTurns>>,
}

pub struct Gate {
    places: Arc<Semaphore>,
    next: Mutex<Instant>,
    asked: Mutex<Duration>,
    timeouts_in_a_row: AtomicU32,
    site: SiteHash,
    shared: Option<Arc<SharedTurns>>,
}

impl HostGates {
    pub fn sharing(turns: Arc<dyn SiteTurns>) -> Self {
        Self {
            shared: Some(Arc::new(SharedTurns::new(turns))),
            ..Self::default()
        }
    }

    pub fn gate(&self, url: &Url, settings: &CrawlerSettings) -> Arc<Gate> {
        let mut gates = self.gates.lock().expect("no code panics while holding it");
        if gates.len() > GATES_KEPT {
            gates.retain(|_, gate| Arc::strong_count(gate) > 1 || gate.is_waiting());
        }
        let key = key(url, settings);
        let site = SiteHash::of(&key);
        let gate = gates.entry(key).or_insert_with(|| {
            let (_, connections) = settings.pace(url);
            Arc::new(Gate::new(connections, site, self.shared.clone()))
        });
        Arc::clone(gate)
    }
}

impl Gate {
    fn new(connections: u32, site: SiteHash, shared: Option<Arc<SharedTurns>>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(connections as usize)),
            next: Mutex::new(Instant::now()),
            asked: Mutex::default(),
            timeouts_in_a_row: AtomicU32::new(0),
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
    pub async fn enter(&self, delay: Duration) -> OwnedSemaphorePermit {
        let permit = Arc::clone(&self.places)
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
            sleep(shared.take(self.site, delay).await).await;
            let mut next = self.next();
            *next = (*next).max(Instant::now() + delay);
        }
        permit
    }

    pub fn ask_for(&self, distance: Duration) {
        *self.asked.lock().expect("no code panics while holding it") = distance;
    }

    /// Crawl delay of the site; zero until known.
    pub fn asked(&self) -> Duration {
        *self.asked.lock().expect("no code panics while holding it")
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

    pub fn saw_timeout(&self, timed_out: bool) {
        if timed_out {
            self.timeouts_in_a_row.fetch_add(1, Ordering::Relaxed);
        } else {
            self.timeouts_in_a_row.store(0, Ordering::Relaxed);
        }
    }

    pub fn deserves_patience(&self) -> bool {
        self.timeouts_in_a_row.load(Ordering::Relaxed) < PATIENCE
    }
}

/// The operator's hosts are separated by port, others by registrable domain.
fn key(url: &Url, settings: &CrawlerSettings) -> String {
    let host = url.host_str().unwrap_or_default();
    if settings.is_own(url) {
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
    async fn requests_to_one_domain_keep_their_distance_over_subdomains_and_crawls() {
        let gates = HostGates::default();
        let settings = CrawlerSettings::default();
        let begin = Instant::now();
        for host in [
            "http://a.example.com/",
            "https://b.example.com/",
            "http://example.com/x",
        ] {
            let place = gates.gate(&url(host), &settings);
            drop(place.enter(Duration::from_secs(1)).await);
        }
        assert_eq!(begin.elapsed().as_secs(), 2);
        let other = gates.gate(&url("http://example.org/"), &settings);
        drop(other.enter(Duration::from_secs(1)).await);
        assert_eq!(begin.elapsed().as_secs(), 2);
    }

    #[test]
    fn the_distance_that_a_site_asks_for_is_kept_in_mind() {
        let gates = HostGates::default();
        let settings = CrawlerSettings::default();
        let gate = gates.gate(&url("http://example.com/a"), &settings);
        assert_eq!(gate.asked(), Duration::ZERO);
        gate.ask_for(Duration::from_secs(7));
        let same = gates.gate(&url("https://www.example.com/b"), &settings);
        assert_eq!(same.asked(), Duration::from_secs(7));
    }

    #[tokio::test(start_paused = true)]
    async fn one_request_is_in_flight_at_a_time() {
        let gates = HostGates::default();
        let gate = gates.gate(&url("http://example.com/"), &CrawlerSettings::default());
        let first = gate.enter(Duration::ZERO).await;
        let second = tokio::time::timeout(Duration::from_secs(9), gate.enter(Duration::ZERO)).await;
        assert!(second.is_err());
        drop(first);
        drop(gate.enter(Duration::ZERO).await);
    }

    #[test]
    fn public_hosts_are_spared_whatever_the_settings_say() {
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
