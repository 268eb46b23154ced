//! The guard in a network where every address answers: a crawl connects to public addresses only, although pages,
//! links, redirects and names lead to other addresses, in every notation.
//!
//! The test executes itself again in its own network namespace (`unshare` of util-linux, without privileges), where
//! all addresses belong to the machine, so every connection is noticed. Its own server answers DNS.
#![expect(
    clippy::unwrap_used,
    reason = "what a test cannot set up, it fails for"
)]

mod dns_server;
mod table;

use analysis::observation::web_site::CrawlStep;
use async_trait::async_trait;
use chrono::{DateTime, TimeZone, Utc};
use crawler::{CrawlerSettings, PoliteReader};
use dns_server::Entry;
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    site_reader::{
        Continue, CrawlJournal, CrawlPlan, CrawlProgress, CrawlStart, JournalError, RecordedStep,
        Rendering, SiteReader,
    },
};
use std::{
    collections::{BTreeMap, HashMap},
    net::{IpAddr, Ipv4Addr},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Marks the process in the namespace.
const INSIDE: &str = "SIGHTLINE_TEST_INSIDE";
/// The only address that may be reached.
const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));
const START: &str = "start-of-all.com";
/// Routes every address to the machine, which also answers DNS.
const NETWORK: &str = "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo \
     && printf 'nameserver 127.0.0.1\\noptions timeout:1\\n' > $1/resolv.conf && printf 'hosts: dns\\n' > $1/nsswitch.conf \
     && mount --bind $1/resolv.conf /etc/resolv.conf && mount --bind $1/nsswitch.conf /etc/nsswitch.conf \
     && shift && exec \"$@\"";

#[test]
fn nothing_but_public_addresses_is_reached() {
    let is_inside = std::env::var_os(INSIDE).is_some();
    if is_inside {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        return runtime.block_on(inside());
    }
    let folder = std::env::temp_dir().join(format!("sightline-guard-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let itself = std::env::current_exe().unwrap();
    let ran = Command::new("unshare")
        .args([
            "--map-root-user",
            "--net",
            "--mount",
            "sh",
            "-c",
            NETWORK,
            "sh",
        ])
        .arg(&folder)
        .arg(itself)
        .args([
            "--exact",
            "nothing_but_public_addresses_is_reached",
            "--nocapture",
        ])
        .env(INSIDE, "1")
        .output()
        .expect("unshare of util-linux runs");
    std::fs::remove_dir_all(&folder).unwrap();
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{output}\n{errors}");
    assert!(output.contains("1 passed"), "{output}\n{errors}");
}

/// Links, and what names resolve to.
#[derive(Default)]
struct Traps {
    links: Vec<String>,
    names: HashMap<String, Entry>,
    redirects: HashMap<String, String>,
}

impl Traps {
    fn all() -> Self {
        let mut traps = Self::default();
        traps.names.insert(START.to_owned(), Entry::of(&[PUBLIC]));
        for address in table::addresses() {
            for host in table::notations(address) {
                for scheme in ["http", "https", "ftp"] {
                    traps.links.push(format!("{scheme}://{host}/"));
                }
            }
            let first = &table::notations(address)[0];
            traps.redirect(&format!("http://{first}/"));
            traps.name("plain", Entry::of(&[address]));
            if let IpAddr::V4(it) = address {
                traps.name("mapped", Entry::of(&[it.to_ipv6_mapped().into()]));
            }
            traps.name("mixed", Entry::of(&[PUBLIC, address]));
            let aliased = Entry {
                is_alias: true,
                ..Entry::of(&[address])
            };
            traps.name("alias", aliased);
            let rebound = Entry {
                later: Some(vec![address]),
                ..Entry::of(&[PUBLIC])
            };
            traps.name("rebound", rebound);
        }
        for name in [
            "localhost",
            "router.local",
            "metadata.google.internal",
            "intranet",
            "a.onion",
        ] {
            traps.links.push(format!("http://{name}/"));
        }
        traps
    }

    fn fresh(&self, kind: &str) -> String {
        format!("{kind}-{}-of-all.com", self.names.len())
    }

    fn name(&mut self, kind: &str, entry: Entry) {
        let name = self.fresh(kind);
        self.links.push(format!("http://{name}/"));
        self.redirect(&format!("https://{name}/"));
        self.names.insert(name, entry);
    }

    fn redirect(&mut self, to: &str) {
        let name = self.fresh("leads");
        self.links.push(format!("http://{name}/"));
        self.names.insert(name.clone(), Entry::of(&[PUBLIC]));
        self.redirects.insert(name, to.to_owned());
    }

    fn page(&self) -> String {
        let links = self
            .links
            .iter()
            .map(|it| format!("<a href=\"{it}\">a</a>\n"));
        format!(
            "<!doctype html><title>t</title>{}",
            links.collect::<String>()
        )
    }
}

/// Connections per address.
type Reached = Arc<Mutex<BTreeMap<IpAddr, u32>>>;

async fn inside() {
    let traps = Arc::new(Traps::all());
    assert!(traps.links.len() > 3_000, "{}", traps.links.len());
    let query_count = dns_server::serve("127.0.0.1:53".parse().unwrap(), traps.names.clone());
    let reached = Reached::default();
    let visited = Arc::new(AtomicU32::new(0));
    for port in [80, 443] {
        let listener = TcpListener::bind(("::", port)).await.unwrap();
        tokio::spawn(listen(
            listener,
            Arc::clone(&traps),
            Arc::clone(&reached),
            Arc::clone(&visited),
        ));
    }
    crawl(&traps).await;
    let reached = reached.lock().unwrap().clone();
    let connections: u32 = reached.values().sum();
    let elsewhere: Vec<_> = reached.keys().filter(|it| **it != PUBLIC).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    // The crawl did try: names were resolved and redirects followed.
    let redirects = u32::try_from(traps.redirects.len()).unwrap();
    assert!(
        visited.load(Ordering::Relaxed) > redirects / 2,
        "{visited:?} of {redirects}"
    );
    assert!(
        query_count.load(Ordering::Relaxed) > 1_000,
        "{query_count:?}"
    );
    // No other port was tried: every connection was accepted here.
    assert_eq!(begun(), connections);
}

/// Connections opened in this namespace.
fn begun() -> u32 {
    let counters = std::fs::read_to_string("/proc/self/net/snmp").unwrap();
    let mut lines = counters.lines().filter_map(|it| it.strip_prefix("Tcp: "));
    let (names, numbers) = (lines.next().unwrap(), lines.next().unwrap());
    let mut both = names.split(' ').zip(numbers.split(' '));
    let active = both.find(|(name, _)| *name == "ActiveOpens").unwrap();
    active.1.parse().unwrap()
}

async fn listen(
    listener: TcpListener,
    traps: Arc<Traps>,
    reached: Reached,
    visited: Arc<AtomicU32>,
) {
    while let Ok((connection, _)) = listener.accept().await {
        let at = connection.local_addr().unwrap().ip().to_canonical();
        *reached.lock().unwrap().entry(at).or_default() += 1;
        tokio::spawn(serve(connection, Arc::clone(&traps), Arc::clone(&visited)));
    }
}

/// The start page, a redirect, or 404; one response per connection.
async fn serve(mut connection: TcpStream, traps: Arc<Traps>, visited: Arc<AtomicU32>) {
    let mut head = vec![0; 4_096];
    let Ok(length) = connection.read(&mut head).await else {
        return;
    };
    let head = String::from_utf8_lossy(&head[..length]).to_lowercase();
    let is_of = |name: &str| head.contains(&format!("host: {name}\r\n"));
    let is_robots = head.contains(" /robots.txt ");
    let leads = traps.redirects.iter().find(|(name, _)| is_of(name));
    let answer = match leads {
        _ if is_robots => plain(404, ""),
        Some((_, to)) => {
            visited.fetch_add(1, Ordering::Relaxed);
            format!(
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
        }
        None if is_of(START) && head.starts_with("get / ") => plain(200, &traps.page()),
        None => plain(404, ""),
    };
    let _ = connection.write_all(answer.as_bytes()).await;
}

fn plain(status: u16, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

async fn crawl(traps: &Traps) {
    let settings = CrawlerSettings {
        connections_per_crawl: 64,
        max_checks: u32::try_from(traps.links.len()).unwrap() + 100,
        max_external_checks: u32::try_from(traps.links.len()).unwrap() + 100,
        ..CrawlerSettings::default()
    };
    let reader = PoliteReader::new(
        settings,
        Arc::new(StillClock),
        Arc::new(CountingRandomness::default()),
    );
    let plan = CrawlPlan {
        start: CrawlStart::Url(format!("http://{START}/")),
        max_pages: 5,
        max_depth: 2,
        check_external: true,
        render: Rendering::No,
    };
    let reading = reader.read(&plan, &Forgetful);
    let read = tokio::time::timeout(Duration::from_mins(4), reading).await;
    let site = read.expect("it ends in time").expect("the site is read");
    assert!(!site.pages.is_empty(), "the start page was read");
}

struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 1, 1, 0, 0, 0).unwrap()
    }
}

#[derive(Default)]
struct CountingRandomness(AtomicU8);

impl Randomness for CountingRandomness {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A journal that discards everything.
struct Forgetful;

#[async_trait]
impl CrawlJournal for Forgetful {
    async fn recorded(&self, _: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        Ok(vec![])
    }

    async fn record(&self, _: &[CrawlStep]) -> Result<Continue, JournalError> {
        Ok(Continue::Yes)
    }

    fn progress(&self, _: CrawlProgress) {}
}
