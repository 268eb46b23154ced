//! HTTP clients, one per origin: no cookies, no proxy, no referrer, no automatic redirects.

use super::resolver::VettedResolver;
use crate::settings::CrawlerSettings;
use reqwest::{Client, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

const MAX_CLIENTS: usize = 64;
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

pub struct Clients {
    settings: Arc<CrawlerSettings>,
    tls: ClientConfig,
    kept: Mutex<HashMap<String, Client>>,
}

pub struct Route {
    pub client: Client,
    /// The URL to request, with the operator's port, if any.
    pub url: Url,
    /// The `Host` header, where the URL to request differs from the original.
    pub host: Option<String>,
}

impl Clients {
    pub fn new(settings: Arc<CrawlerSettings>) -> Self {
        Self {
            tls: tls(&settings),
            settings,
            kept: Mutex::default(),
        }
    }

    /// For a vetted URL.
    pub fn route(&self, url: &Url) -> Result<Route, reqwest::Error> {
        let port = url.port_or_known_default().unwrap_or(0);
        let host = url.host_str().unwrap_or_default();
        let origin = format!("{}://{host}:{port}", url.scheme());
        let mut bare = url.clone();
        bare.set_fragment(None);
        // Credentials in a link are never sent. Neither call fails for http and https.
        let _ = bare.set_username("");
        let _ = bare.set_password(None);
        let given = self.settings.configured_address(host, port);
        let authority = given.filter(|it| it.port() != port).map(|address| {
            // An explicit port in the URL would override the resolver's.
            let _ = bare.set_port(Some(address.port()));
            url.port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
        });
        Ok(Route {
            client: self.client(origin, port)?,
            url: bare,
            host: authority,
        })
    }

    fn client(&self, origin: String, port: u16) -> Result<Client, reqwest::Error> {
        let mut kept = self.kept.lock().expect("no code panics while holding it");
        if let Some(client) = kept.get(&origin) {
            return Ok(client.clone());
        }
        let client = self.build(port)?;
        if kept.len() >= MAX_CLIENTS {
            kept.clear();
        }
        kept.insert(origin, client.clone());
        Ok(client)
    }

    fn build(&self, port: u16) -> Result<Client, reqwest::Error> {
        let limits = &self.settings.limits;
        Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .dns_resolver(Arc::new(VettedResolver {
                settings: Arc::clone(&self.settings),
                port,
            }))
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            // Bodies are decoded by this crate, under limits that the client's decoder lacks.
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .connect_timeout(limits.dns + limits.connect)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .http1_max_headers(limits.headers)
            .http2_max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
            .user_agent(self.settings.user_agent())
            .build()
    }
}

fn tls(settings: &CrawlerSettings) -> ClientConfig {
    let mut roots = webpki_roots::TLS_SERVER_ROOTS
        .iter()
        .cloned()
        .collect::<RootCertStore>();
    roots.add_parsable_certificates(settings.trusted.iter().cloned());
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider supports TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}
