//! Resolves names inside the connector, so that the vetted address is the one connected to.

use super::lookups::{LOOKUPS, LookupError};
use crate::guard::{Denied, evaluate_url, vet_addresses};
use crate::settings::CrawlerSettings;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::{net::SocketAddr, sync::Arc};
use thiserror::Error;
use url::{Host, Url};

pub struct VettedResolver {
    pub settings: Arc<CrawlerSettings>,
    /// Port of the origin: with the name, it selects an entry of the operator's map.
    pub port: u16,
}

#[derive(Debug, Error)]
pub enum ResolveError {
    #[error("the name does not resolve: {0}")]
    Unknown(String),
    #[error("the name has no address")]
    NoAddress,
    #[error("resolving the name took too long")]
    TimedOut,
    #[error("too many names are being resolved")]
    Busy,
    #[error(transparent)]
    Denied(#[from] Denied),
}

impl From<LookupError> for ResolveError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::NotFound(message) => Self::Unknown(message),
            LookupError::TimedOut => Self::TimedOut,
            LookupError::Busy => Self::Busy,
        }
    }
}

impl Resolve for VettedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let settings = Arc::clone(&self.settings);
        let port = self.port;
        Box::pin(async move {
            let addresses = resolve(name.as_str(), port, &settings).await?;
            let addresses: Addrs = Box::new(addresses.into_iter());
            Ok(addresses)
        })
    }
}

pub async fn resolve(
    name: &str,
    port: u16,
    settings: &CrawlerSettings,
) -> Result<Vec<SocketAddr>, ResolveError> {
    if let Some(address) = settings.configured_address(name, port) {
        return Ok(vec![address]);
    }
    let found = LOOKUPS.find(name, settings.limits.dns).await?;
    if found.is_empty() {
        return Err(ResolveError::NoAddress);
    }
    vet_addresses(name, port, &found, settings)?;
    Ok(found)
}

/// For the operator of this machine only: others see a host that does not answer.
pub async fn denial_reason(url: &Url, settings: &CrawlerSettings) -> Option<Denied> {
    if let Err(denied) = evaluate_url(url, settings) {
        return Some(denied);
    }
    let Some(Host::Domain(name)) = url.host() else {
        return None;
    };
    let port = url.port_or_known_default().unwrap_or(0);
    match resolve(name, port, settings).await {
        Err(ResolveError::Denied(denied)) => Some(denied),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn names_with_private_addresses_are_denied() {
        let closed = CrawlerSettings::default();
        let resolved = resolve("localhost", 80, &closed).await;
        assert!(
            matches!(resolved, Err(ResolveError::Denied(_))),
            "{resolved:?}"
        );
    }

    #[tokio::test]
    async fn the_resolve_map_matches_host_and_port() {
        let address: SocketAddr = "127.0.0.1:8101".parse().unwrap();
        let settings = CrawlerSettings {
            resolve: vec![crate::settings::Resolve {
                host: "docs.example.com".to_owned(),
                port: 80,
                address,
            }],
            ..CrawlerSettings::default()
        };
        let resolved = resolve("docs.example.com", 80, &settings).await;
        assert_eq!(resolved.unwrap(), [address]);
    }
}
