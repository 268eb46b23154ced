use crate::{resilience::ResilienceSettings, sandbox::SandboxSettings};
use secrecy::SecretString;
use url::Url;

/// Which suppliers to use, in the order in which they are asked: who tells most comes first. Without any, the sandbox.
#[derive(Debug, Clone)]
pub struct SearchSettings {
    pub data_for_seo: Option<DataForSeoSettings>,
    pub serp_api: Option<SerpApiSettings>,
    pub serper: Option<SerperSettings>,
    pub searxng: Option<SearxngSettings>,
    pub sandbox: SandboxSettings,
    /// How calls are guarded, each supplier by itself.
    pub resilience: ResilienceSettings,
    pub paid_calls: bool,
    /// What a call may cost, in millionths of a US dollar; `None` sets no bound.
    pub most_per_call: Option<u64>,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            data_for_seo: None,
            serp_api: None,
            serper: None,
            searxng: None,
            sandbox: SandboxSettings::default(),
            resilience: ResilienceSettings::default(),
            paid_calls: true,
            most_per_call: None,
        }
    }
}

#[derive(Debug, Clone)]
pub struct DataForSeoSettings {
    /// Without the path of an operation, for example `https://api.dataforseo.com`.
    pub base_url: Url,
    pub login: SecretString,
    pub password: SecretString,
    /// What the first ten results cost, in millionths of a US dollar. Further ones cost no more,
    /// and loading the AI overview as much again; answers tell what was really billed.
    pub price_per_page: u64,
}

#[derive(Debug, Clone)]
pub struct SerpApiSettings {
    /// Without the path of an operation, for example `https://serpapi.com`.
    pub base_url: Url,
    pub api_key: SecretString,
    /// What a call costs, in millionths of a US dollar.
    pub price_per_call: u64,
}

#[derive(Debug, Clone)]
pub struct SerperSettings {
    /// Without the path of an operation, for example `https://google.serper.dev`.
    pub base_url: Url,
    pub api_key: SecretString,
    /// What a call costs, in millionths of a US dollar.
    pub price_per_call: u64,
}

/// How to reach a SearXNG instance; it must allow `format=json`.
#[derive(Debug, Clone)]
pub struct SearxngSettings {
    /// The instance, for example `http://localhost:8888`.
    pub base_url: Url,
    /// The one engine whose order is taken for ranks, by the instance's name, for example `google`: a merged order is no
    /// rank.
    pub engine: String,
}
