//! Name lookups by the operating system on a bounded number of threads. `getaddrinfo` cannot be canceled: an
//! abandoned lookup keeps its thread and its permit until it returns. Callers that get no permit in time give up.

use analysis::observation::page_url::registrable_domain;
use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, timeout_at};

/// Concurrent lookups of the process.
const MAX_LOOKUPS: usize = 32;
/// Concurrent lookups per registrable domain: its silent name servers do not take all threads.
const MAX_PER_DOMAIN: usize = 4;

pub static LOOKUPS: LazyLock<Lookups> = LazyLock::new(|| Lookups::new(MAX_LOOKUPS, system));

type Found = Result<Vec<SocketAddr>, LookupError>;
type Source = dyn Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupError {
    NotFound(String),
    TimedOut,
    /// Too many lookups are running, so this one was not started.
    Busy,
}

/// Bounds lookups; concurrent callers for one name share a lookup.
pub struct Lookups {
    permits: Arc<Semaphore>,
    running: Arc<Mutex<Running>>,
    source: Arc<Source>,
}

type Running = HashMap<String, watch::Receiver<Option<Found>>>;

impl Lookups {
    fn new(
        max_running: usize,
        source: impl Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(max_running)),
            running: Arc::default(),
            source: Arc::new(source),
        }
    }

    /// Addresses have port 0. Waits for at most `time_limit`.
    pub async fn find(&self, name: &str, time_limit: Duration) -> Found {
        let until = Instant::now() + time_limit;
        let name = name.to_ascii_lowercase();
        let running = match self.join(&name)? {
            Some(running) => running,
            None => self.begin(name, until).await?,
        };
        wait_for_result(running, until).await
    }

    /// The running lookup of a name, if any; an error if its domain has too many.
    fn join(&self, name: &str) -> Result<Option<watch::Receiver<Option<Found>>>, LookupError> {
        let running = lock(&self.running);
        if let Some(known) = running.get(name) {
            return Ok(Some(known.clone()));
        }
        let domain = registrable_domain(name);
        let of_domain = running.keys().filter(|it| registrable_domain(it) == domain);
        if of_domain.count() >= MAX_PER_DOMAIN {
            return Err(LookupError::Busy);
        }
        Ok(None)
    }

    async fn begin(
        &self,
        name: String,
        until: Instant,
    ) -> Result<watch::Receiver<Option<Found>>, LookupError> {
        let permit = timeout_at(until, Arc::clone(&self.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else {
            return Err(LookupError::Busy);
        };
        // Another caller may have started it meanwhile.
        if let Some(running) = self.join(&name)? {
            return Ok(running);
        }
        let (sender, receiver) = watch::channel(None);
        lock(&self.running).insert(name.clone(), receiver.clone());
        let entry = RunningLookup {
            name,
            running: Arc::clone(&self.running),
            _permit: permit,
        };
        let source = Arc::clone(&self.source);
        let thread = std::thread::Builder::new().name("name-lookup".to_owned());
        let spawned = thread.spawn(move || {
            let found = source(&entry.name);
            let found = found.map_err(|it| LookupError::NotFound(it.to_string()));
            drop(entry);
            // All callers may have given up.
            let _ = sender.send(Some(found));
        });
        match spawned {
            Ok(_) => Ok(receiver),
            Err(_) => Err(LookupError::Busy),
        }
    }
}

/// A running lookup: removes its name and releases the permit on drop.
struct RunningLookup {
    name: String,
    running: Arc<Mutex<Running>>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for RunningLookup {
    fn drop(&mut self) {
        lock(&self.running).remove(&self.name);
    }
}

async fn wait_for_result(mut running: watch::Receiver<Option<Found>>, until: Instant) -> Found {
    match timeout_at(until, running.wait_for(Option::is_some)).await {
        Ok(Ok(found)) => (*found).clone().unwrap_or(Err(LookupError::TimedOut)),
        Ok(Err(_)) => Err(LookupError::NotFound("the lookup was aborted".to_owned())),
        Err(_) => Err(LookupError::TimedOut),
    }
}

fn lock(running: &Mutex<Running>) -> MutexGuard<'_, Running> {
    running.lock().expect("no code panics while holding it")
}

fn system(name: &str) -> io::Result<Vec<SocketAddr>> {
    Ok((name, 0).to_socket_addrs()?.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::sync::Condvar;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Name servers that do not answer until released.
    #[derive(Default)]
    struct Silent {
        query_count: AtomicUsize,
        is_over: Mutex<bool>,
        over: Condvar,
    }

    impl Silent {
        fn wait(&self) {
            self.query_count.fetch_add(1, Ordering::SeqCst);
            let is_over = self.is_over.lock().unwrap();
            drop(self.over.wait_while(is_over, |it| !*it).unwrap());
        }

        fn end(&self) {
            *self.is_over.lock().unwrap() = true;
            self.over.notify_all();
        }

        fn query_count(&self) -> usize {
            self.query_count.load(Ordering::SeqCst)
        }
    }

    const SHORT: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(20);

    fn address() -> SocketAddr {
        "93.184.216.34:0".parse().unwrap()
    }

    fn silent(max_running: usize) -> (Arc<Silent>, Lookups) {
        let servers = Arc::new(Silent::default());
        let name_servers = Arc::clone(&servers);
        let lookups = Lookups::new(max_running, move |_| {
            name_servers.wait();
            Ok(vec![address()])
        });
        (servers, lookups)
    }

    #[tokio::test]
    async fn silent_name_servers_block_a_bounded_number_of_threads() {
        let (servers, lookups) = silent(3);
        let names: Vec<String> = (0..20).map(|it| format!("www.site{it}.com")).collect();
        let found = join_all(names.iter().map(|it| lookups.find(it, SHORT))).await;
        let count = |wanted: &LookupError| {
            let matching = found.iter().filter(|it| it.as_ref() == Err(wanted));
            matching.count()
        };
        assert_eq!(count(&LookupError::TimedOut), 3);
        assert_eq!(count(&LookupError::Busy), 17);
        assert_eq!(servers.query_count(), 3);
        // The callers gave up, but the lookups still hold their threads.
        let late = lookups.find("www.example.com", SHORT).await;
        assert_eq!(late, Err(LookupError::Busy));
        servers.end();
        let after = lookups.find("www.example.com", LONG).await;
        assert_eq!(after, Ok(vec![address()]));
        let all = Arc::clone(&lookups.permits).acquire_many_owned(3);
        drop(tokio::time::timeout(LONG, all).await.unwrap().unwrap());
        assert!(lock(&lookups.running).is_empty());
    }

    #[tokio::test]
    async fn callers_for_one_name_share_one_lookup() {
        let (servers, lookups) = silent(8);
        let calls = ["a.example.com", "A.example.com", "a.example.com"];
        let found = join_all(calls.map(|it| lookups.find(it, SHORT))).await;
        assert_eq!(found, vec![Err(LookupError::TimedOut); 3]);
        assert_eq!(servers.query_count(), 1);
        servers.end();
    }

    #[tokio::test]
    async fn one_domain_gets_only_a_share_of_the_threads() {
        let (servers, lookups) = silent(8);
        let names: Vec<String> = (0..8).map(|it| format!("n{it}.example.com")).collect();
        let found = join_all(names.iter().map(|it| lookups.find(it, SHORT))).await;
        let timed_out = found.iter().filter(|it| **it == Err(LookupError::TimedOut));
        assert_eq!(timed_out.count(), MAX_PER_DOMAIN);
        assert_eq!(servers.query_count(), MAX_PER_DOMAIN);
        servers.end();
    }

    #[tokio::test]
    async fn a_panicking_lookup_releases_its_permit() {
        let lookups = Lookups::new(1, |name| {
            assert_ne!(name, "broken.example.com");
            Ok(vec![address()])
        });
        let broken = lookups.find("broken.example.com", LONG).await;
        assert!(
            matches!(broken, Err(LookupError::NotFound(_))),
            "{broken:?}"
        );
        let found = lookups.find("www.example.com", LONG).await;
        assert_eq!(found, Ok(vec![address()]));
    }
}
