//! The HTTP client: no proxy, no redirects, no compression.

use crate::Settings;
use reqwest::{Client, redirect};
use rustls::{ClientConfig, crypto::aws_lc_rs};
use std::{sync::Arc, time::Duration};

/// Shorter than the idle timeout of servers and proxies, so that no message goes into a closing connection.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// # Panics
/// Never: the settings that could fail are constants.
pub(crate) fn client(settings: &Settings) -> Client {
    Client::builder()
        .tls_backend_preconfigured(tls(settings))
        .connect_timeout(settings.limits.connect_timeout)
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .redirect(redirect::Policy::none())
        .no_proxy()
        // Compression would delay progress events and allow decompression bombs.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .user_agent(concat!("sightline-mcp/", env!("CARGO_PKG_VERSION")))
        .build()
        .expect("the fixed settings make a client")
}

fn tls(settings: &Settings) -> ClientConfig {
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider knows the default protocol versions")
        .with_root_certificates(settings.trust.roots())
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}
