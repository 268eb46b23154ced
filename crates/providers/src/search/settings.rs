//! Which suppliers of search results to use; plain data.

use crate::{resilience::ResilienceSettings, sandbox::SandboxSettings};
use secrecy::SecretString;
use url::Url;

/// Which suppliers to use; without any, the sandbox answers.
#[derive(Debug, Clone, Default)]
pub struct SearchSettings {
    /// Google results of serper.dev; asked first.
    pub serper: Option<SerperSettings>,
    /// A SearXNG instance; asked when the supplier before it fails.
    pub searxng: Option<SearxngSettings>,
    /// The simulated market.
    pub sandbox: SandboxSettings,
    /// How calls are guarded, each supplier by itself.
    pub resilience: ResilienceSettings,
}

/// How to reach serper.dev or a server that speaks like it.
#[derive(Debug, Clone)]
pub struct SerperSettings {
    /// Without the path of an operation, for example `https://google.serper.dev`.
    pub base_url: Url,
    /// The account's key.
    pub api_key: SecretString,
    /// What a call costs, in millionths of a US dollar.
    pub price_per_call: Option<u64>,
}

impl SerperSettings {
    /// The service itself, with that key.
    ///
    /// # Panics
    /// Never: the address is fixed.
    #[must_use]
    pub fn with_key(api_key: SecretString) -> Self {
        let base_url = Url::parse("https://google.serper.dev").expect("a fixed address parses");
        Self {
            base_url,
            api_key,
            price_per_call: None,
        }
    }
}

/// How to reach a SearXNG instance; it must allow `format=json`.
#[derive(Debug, Clone)]
pub struct SearxngSettings {
    /// The instance, for example `http://localhost:8888`.
    pub base_url: Url,
    /// The one engine whose order is taken for ranks, by the instance's name for it, for example
    /// `google`: an order merged from several engines is no engine's rank.
    pub engine: String,
}
