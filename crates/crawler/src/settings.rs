use crate::{addresses::is_public, limits::FetchLimits};
use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use url::{Host, Url};

/// Maps a host and port to an address, like curl's `--resolve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolve {
    /// Host of a URL, in lower case.
    pub host: String,
    /// Port of a URL, explicit or by scheme.
    pub port: u16,
    pub address: SocketAddr,
}

#[derive(Debug, Clone)]
pub struct CrawlerSettings {
    /// The product token in robots.txt, for example `sightlinebot`.
    pub product: String,
    pub version: String,
    pub contact: String,
    /// Minimum time between the starts of requests to one registrable domain.
    pub per_host_delay: Duration,
    /// Concurrent requests to one registrable domain.
    pub connections_per_host: u32,
    pub connections_per_crawl: u32,
    /// Link targets besides pages that one crawl checks.
    pub max_checks: u32,
    pub max_external_checks: u32,
    pub max_duration: Duration,
    /// Allowed although not public: IP addresses as hosts, names without a dot, any port and no delay are fine there.
    pub allow_networks: Vec<IpNet>,
    /// Denied although public or allowed above: the operator's own addresses.
    pub deny_networks: Vec<IpNet>,
    /// Addresses of this server, denied unless allowed above.
    pub server_addresses: Vec<IpAddr>,
    /// Public host name of this server, denied in the same way.
    pub server_host: Option<String>,
    /// Hosts with a fixed address, which is not vetted.
    pub resolve: Vec<Resolve>,
    pub trusted: Vec<CertificateDer<'static>>,
    pub limits: FetchLimits,
}

/// Minimum delay of public hosts, whatever the settings say.
const MIN_PUBLIC_DELAY: Duration = Duration::from_millis(200);
const MAX_PUBLIC_CONNECTIONS: u32 = 2;

impl Default for CrawlerSettings {
    fn default() -> Self {
        Self {
            product: "sightlinebot".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            contact: "https://sightline.example/bot".to_owned(),
            per_host_delay: Duration::from_secs(1),
            connections_per_host: 1,
            connections_per_crawl: 16,
            max_checks: 5_000,
            max_external_checks: 2_000,
            max_duration: Duration::from_hours(6),
            allow_networks: Vec::new(),
            deny_networks: Vec::new(),
            server_addresses: Vec::new(),
            server_host: None,
            resolve: Vec::new(),
            trusted: Vec::new(),
            limits: FetchLimits::default(),
        }
    }
}

impl CrawlerSettings {
    pub fn user_agent(&self) -> String {
        format!(
            "Mozilla/5.0 (compatible; {}/{}; +{})",
            self.product, self.version, self.contact
        )
    }

    pub fn configured_address(&self, host: &str, port: u16) -> Option<SocketAddr> {
        self.resolve
            .iter()
            .find(|it| it.port == port && it.host.eq_ignore_ascii_case(host))
            .map(|it| it.address)
    }

    /// Whether the operator's settings allow the address, and do not deny it.
    pub fn is_allowlisted(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.allow_networks.iter().any(|it| it.contains(&address)) && !self.is_denylisted(address)
    }

    pub fn may_connect_to(&self, address: IpAddr) -> bool {
        self.is_allowlisted(address)
            || (is_public(address)
                && !self.is_denylisted(address)
                && !self.is_server_address(address))
    }

    pub(crate) fn is_server_address(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let mut own = self.server_addresses.iter();
        own.any(|it| it.to_canonical() == address)
    }

    pub(crate) fn is_server_name(&self, name: &str) -> bool {
        let name = name.trim_end_matches('.');
        let own = self.server_host.as_deref();
        own.is_some_and(|it| it.trim_end_matches('.').eq_ignore_ascii_case(name))
    }

    fn is_denylisted(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.deny_networks.iter().any(|it| it.contains(&address))
    }

    pub fn is_operator_host(&self, url: &Url) -> bool {
        let port = url.port_or_known_default().unwrap_or(0);
        match url.host() {
            Some(Host::Domain(name)) => self.configured_address(name, port).is_some(),
            Some(Host::Ipv4(address)) => self.is_allowlisted(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => self.is_allowlisted(IpAddr::V6(address)),
            None => false,
        }
    }

    pub fn pace(&self, url: &Url) -> (Duration, u32) {
        let connections = self.connections_per_host.max(1);
        if self.is_operator_host(url) {
            return (self.per_host_delay, connections);
        }
        (
            self.per_host_delay.max(MIN_PUBLIC_DELAY),
            connections.min(MAX_PUBLIC_CONNECTIONS),
        )
    }
}
