//! Which URLs and addresses may be requested.

use crate::settings::CrawlerSettings;
use std::net::SocketAddr;
use thiserror::Error;
use url::{Host, Url};

/// Why a URL is refused. From outside it looks like a host that does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Denied {
    #[error("the scheme is not http or https")]
    Scheme,
    /// A port other than 80 and 443 on a host that is not the operator's own.
    #[error("the port is not open to crawling")]
    Port,
    #[error("an address in place of a host name")]
    Literal,
    #[error("the host name is not public")]
    Name,
    #[error("the host's address is not public")]
    Address,
    #[error("the host is this server itself")]
    Own,
}

impl Denied {
    const fn name(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Port => "port",
            Self::Literal => "literal",
            Self::Name => "name",
            Self::Address => "address",
            Self::Own => "own",
        }
    }

    fn count(self) {
        count_blocked(self.name());
    }
}

pub fn count_blocked(reason: &'static str) {
    metrics::counter!("crawler_blocked_total", "reason" => reason).increment(1);
}

/// Names that never resolve to public hosts: RFC 6761, 6762, 7686, 8375, ICANN's `.internal`, and metadata services
/// of clouds.
const RESERVED: &[&str] = &[
    "localhost",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "onion",
    "test",
    "invalid",
    "home.arpa",
    "localdomain",
];

/// Vets a URL before the request; names are vetted again by address when resolved.
pub fn vet_url(url: &Url, settings: &CrawlerSettings) -> Result<(), Denied> {
    evaluate_url(url, settings).inspect_err(|denied| denied.count())
}

/// [`vet_url`] without counting metrics.
pub fn evaluate_url(url: &Url, settings: &CrawlerSettings) -> Result<(), Denied> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Denied::Scheme);
    }
    match url.host() {
        _ if settings.is_operator_host(url) => Ok(()),
        Some(Host::Domain(name)) => vet_name(name, settings),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => Err(Denied::Literal),
        None => Err(Denied::Name),
    }
}

/// One address that is not public denies the name: using the others would disclose it.
pub fn vet_addresses(
    name: &str,
    port: u16,
    addresses: &[SocketAddr],
    settings: &CrawlerSettings,
) -> Result<(), Denied> {
    evaluate_addresses(name, port, addresses, settings).inspect_err(|denied| denied.count())
}

fn evaluate_addresses(
    name: &str,
    port: u16,
    addresses: &[SocketAddr],
    settings: &CrawlerSettings,
) -> Result<(), Denied> {
    if !addresses.iter().all(|it| settings.may_connect_to(it.ip())) {
        let own = addresses
            .iter()
            .any(|it| settings.is_server_address(it.ip()));
        return Err(if own { Denied::Own } else { Denied::Address });
    }
    if addresses.iter().all(|it| settings.is_allowlisted(it.ip())) {
        return Ok(());
    }
    if settings.is_server_name(name) {
        return Err(Denied::Own);
    }
    if is_reserved(name) {
        return Err(Denied::Name);
    }
    if !matches!(port, 80 | 443) {
        return Err(Denied::Port);
    }
    Ok(())
}

/// A reserved name may be one of the operator's, which only its addresses show.
fn vet_name(name: &str, settings: &CrawlerSettings) -> Result<(), Denied> {
    let bare = name.strip_suffix('.').unwrap_or(name);
    // After an empty label, URL parsers no longer recognize an IP address.
    if bare.split('.').any(str::is_empty) {
        return Err(Denied::Name);
    }
    if settings.allow_networks.is_empty() && is_reserved(name) {
        return Err(Denied::Name);
    }
    Ok(())
}

fn is_reserved(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let ends_in = |suffix: &str| {
        name.strip_suffix(suffix)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || RESERVED.iter().any(|it| ends_in(it))
}

#[cfg(test)]
mod tests;
