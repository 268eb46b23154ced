use super::{Secret, WebAddress};
use serde::{Deserialize, Serialize};

/// Search results: from every supplier that has credentials or an address, in the order of the
/// fields, each standing in for those before it; from the sandbox when there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSettings {
    pub depth: u32,
    pub paid_calls: bool,
    /// US dollars that a call may cost.
    pub most_per_call: Option<f64>,
    /// US dollars that all accounts together may spend on a day (UTC).
    pub most_per_day: Option<f64>,
    pub data_for_seo: DataForSeoSettings,
    pub serp_api: SerpApiSettings,
    pub serper: SerperSettings,
    pub searxng: SearxngSettings,
    pub sandbox: SandboxSettings,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataForSeoSettings {
    pub login: Option<Secret>,
    /// The password for the API, which is not the one of the account.
    pub password: Option<Secret>,
    pub base_url: WebAddress,
    /// What a page of ten results costs at the most, in US dollars; the AI overview costs as much again.
    pub price_per_page: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SerpApiSettings {
    pub api_key: Option<Secret>,
    pub base_url: WebAddress,
    /// What a search costs, in US dollars.
    pub price_per_call: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SerperSettings {
    pub api_key: Option<Secret>,
    pub base_url: WebAddress,
    /// What a call of ten results costs, in US dollars.
    pub price_per_call: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearxngSettings {
    pub base_url: Option<WebAddress>,
    /// The engine whose order is taken for the rank.
    pub engine: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxSettings {
    /// Another seed is another market.
    pub seed: u64,
    /// The share of calls that fail, 0 to 1.
    pub failure_rate: f64,
    pub latency_ms: u64,
}

impl SearchSettings {
    /// Who is asked, in order.
    pub fn suppliers(&self) -> Vec<&'static str> {
        let configured = [
            ("DataForSEO", self.data_for_seo.login.is_some()),
            ("SerpApi", self.serp_api.api_key.is_some()),
            ("Serper", self.serper.api_key.is_some()),
            ("SearXNG", self.searxng.base_url.is_some()),
        ];
        let named = configured.into_iter().filter(|(_, is_set)| *is_set);
        named.map(|(name, _)| name).collect()
    }

    pub fn is_simulated(&self) -> bool {
        self.suppliers().is_empty()
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            depth: 100,
            paid_calls: true,
            most_per_call: None,
            most_per_day: None,
            data_for_seo: DataForSeoSettings::default(),
            serp_api: SerpApiSettings::default(),
            serper: SerperSettings::default(),
            searxng: SearxngSettings::default(),
            sandbox: SandboxSettings::default(),
        }
    }
}

impl Default for DataForSeoSettings {
    fn default() -> Self {
        Self {
            login: None,
            password: None,
            base_url: WebAddress::fixed("https://api.dataforseo.com"),
            price_per_page: 0.002,
        }
    }
}

impl Default for SerpApiSettings {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: WebAddress::fixed("https://serpapi.com"),
            price_per_call: 0.025,
        }
    }
}

impl Default for SerperSettings {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: WebAddress::fixed("https://google.serper.dev"),
            price_per_call: 0.001,
        }
    }
}

impl Default for SearxngSettings {
    fn default() -> Self {
        Self {
            base_url: None,
            engine: "google".to_owned(),
        }
    }
}
