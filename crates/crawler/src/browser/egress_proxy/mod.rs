//! The browser's only network route: a SOCKS 5 server (RFC 1928) on loopback. It resolves and vets every host itself
//! and connects to the vetted address.
//!
//! Redirects, sockets, prefetching and DNS rebinding cannot bypass it: the browser has no resolver and no other
//! route. It also counts bytes and closes when a load exceeds its limit. Chromium sends no SOCKS password; on Linux,
//! only sockets owned by the browser's user are accepted.

use crate::{fetch::resolve, guard::vet_url, settings::CrawlerSettings};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, io};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use url::Url;

/// Concurrent connections; browsers open fewer.
const MAX_CONNECTIONS: usize = 256;

/// Time limit of the SOCKS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

const VERSION: u8 = 5;

/// Runs until dropped.
pub struct EgressProxy {
    port: u16,
    traffic: Arc<Traffic>,
    task: JoinHandle<()>,
}

struct Traffic {
    bytes: AtomicU64,
    limit: u64,
}

impl EgressProxy {
    /// `limit` is in bytes, both directions together; `user` is the uid that the browser runs as.
    pub async fn start(settings: Arc<CrawlerSettings>, limit: u64, user: u32) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let traffic = Arc::new(Traffic {
            bytes: AtomicU64::new(0),
            limit,
        });
        let server = accept_connections(listener, settings, Arc::clone(&traffic), user);
        Ok(Self {
            port,
            traffic,
            task: tokio::spawn(server),
        })
    }

    pub const fn port(&self) -> u16 {
        self.port
    }

    pub fn reset_traffic(&self) {
        self.traffic.bytes.store(0, Ordering::Relaxed);
    }

    pub fn is_exhausted(&self) -> bool {
        self.traffic.is_exhausted()
    }
}

impl Drop for EgressProxy {
    fn drop(&mut self) {
        // Aborting the task drops its connections.
        self.task.abort();
    }
}

impl Traffic {
    fn is_exhausted(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > self.limit
    }

    /// An error once the limit is exceeded.
    fn record_bytes(&self, bytes: usize) -> io::Result<()> {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if self.is_exhausted() {
            return Err(io::Error::other("the page exceeds the traffic limit"));
        }
        Ok(())
    }
}

async fn accept_connections(
    listener: TcpListener,
    settings: Arc<CrawlerSettings>,
    traffic: Arc<Traffic>,
    user: u32,
) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
                let (Ok((browser, _)), Ok(permit)) = (accepted, Arc::clone(&permits).try_acquire_owned()) else {
                    continue;
                };
                let (settings, traffic) = (Arc::clone(&settings), Arc::clone(&traffic));
                connections.spawn(async move {
                    let _permit = permit;
                    if !is_owned_by(&browser, user).await {
                        tracing::warn!("refused another user's connection to the browser's egress proxy");
                        return;
                    }
                    // The browser notices that the connection broke.
                    let _ = serve(browser, &settings, &traffic).await;
                });
            }
        }
    }
}

/// Checked on Linux only; true elsewhere.
async fn is_owned_by(browser: &TcpStream, user: u32) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let (Ok(SocketAddr::V4(from)), Ok(SocketAddr::V4(to))) =
        (browser.peer_addr(), browser.local_addr())
    else {
        return false;
    };
    let owner = tokio::task::spawn_blocking(move || {
        let sockets = fs::read_to_string("/proc/self/net/tcp").ok()?;
        socket_owner(&sockets, from, to)
    });
    owner.await.is_ok_and(|it| it == Some(user))
}

/// The uid of a socket's owner, from Linux's list of TCP sockets (proc(5)).
fn socket_owner(sockets: &str, local: SocketAddrV4, remote: SocketAddrV4) -> Option<u32> {
    let written = |it: SocketAddrV4| {
        let address = u32::from_ne_bytes(it.ip().octets());
        format!("{address:08X}:{:04X}", it.port())
    };
    let (local, remote) = (written(local), written(remote));
    sockets.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_it = fields.next() == Some(&local) && fields.next() == Some(&remote);
        // Skips state, queues, timer and retransmissions.
        let owner = fields.nth(4)?;
        is_it.then(|| owner.parse().ok())?
    })
}

async fn serve(
    mut browser: TcpStream,
    settings: &CrawlerSettings,
    traffic: &Traffic,
) -> io::Result<()> {
    let (host, port) = timeout(HANDSHAKE_TIMEOUT, read_request(&mut browser)).await??;
    let Some(site) = connect(&host, port, settings).await else {
        // "Host unreachable" for every reason, so that pages cannot probe a private network.
        return browser
            .write_all(&[VERSION, 4, 0, 1, 0, 0, 0, 0, 0, 0])
            .await;
    };
    browser
        .write_all(&[VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        .await?;
    browser.set_nodelay(true)?;
    site.set_nodelay(true)?;
    let (from_browser, to_browser) = browser.into_split();
    let (from_site, to_site) = site.into_split();
    tokio::try_join!(
        relay(from_browser, to_site, traffic),
        relay(from_site, to_browser, traffic)
    )?;
    Ok(())
}

async fn read_request(browser: &mut TcpStream) -> io::Result<(String, u16)> {
    let refused = || io::Error::from(io::ErrorKind::InvalidData);
    if browser.read_u8().await? != VERSION {
        return Err(refused());
    }
    let mut methods = vec![0; usize::from(browser.read_u8().await?)];
    browser.read_exact(&mut methods).await?;
    browser.write_all(&[VERSION, 0]).await?;
    let mut head = [0; 4];
    browser.read_exact(&mut head).await?;
    let [version, command, _, kind] = head;
    // CONNECT only: no BIND, no UDP ASSOCIATE.
    if version != VERSION || command != 1 {
        return Err(refused());
    }
    let host = match kind {
        1 => Ipv4Addr::from(browser.read_u32().await?).to_string(),
        3 => {
            let mut name = vec![0; usize::from(browser.read_u8().await?)];
            browser.read_exact(&mut name).await?;
            let name = String::from_utf8(name).map_err(|_| refused())?;
            // Browsers send IP addresses as names, IPv6 without brackets.
            match name.parse::<Ipv6Addr>() {
                Ok(address) => format!("[{address}]"),
                Err(_) => name,
            }
        }
        4 => format!("[{}]", Ipv6Addr::from(browser.read_u128().await?)),
        _ => return Err(refused()),
    };
    Ok((host, browser.read_u16().await?))
}

/// `None` for every kind of failure.
async fn connect(host: &str, port: u16, settings: &CrawlerSettings) -> Option<TcpStream> {
    let url = Url::parse(&format!("http://{host}:{port}/")).ok()?;
    vet_url(&url, settings).ok()?;
    let addresses = match url.host()? {
        url::Host::Domain(name) => resolve(name, port, settings).await.ok()?,
        // Only the operator's own addresses pass `vet_url`.
        url::Host::Ipv4(address) => vec![SocketAddr::from((IpAddr::V4(address), port))],
        url::Host::Ipv6(address) => vec![SocketAddr::from((IpAddr::V6(address), port))],
    };
    for mut address in addresses {
        // Only addresses from the operator's map come with a port.
        if address.port() == 0 {
            address.set_port(port);
        }
        let connect_timeout = settings.limits.connect;
        if let Ok(Ok(site)) = timeout(connect_timeout, TcpStream::connect(address)).await {
            return Some(site);
        }
    }
    None
}

async fn relay(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    traffic: &Traffic,
) -> io::Result<()> {
    let mut buffer = vec![0; 32 * 1024];
    loop {
        let bytes = from.read(&mut buffer).await?;
        if bytes == 0 {
            return to.shutdown().await;
        }
        traffic.record_bytes(bytes)?;
        to.write_all(&buffer[..bytes]).await?;
    }
}

#[cfg(test)]
mod tests;
