use setting::{Cap, Mistakes, Price, Secret, Share, Usd, WebAddress, Within, settings};

settings! {
    /// Search results: from every supplier that has credentials or an address, in the order of the
    /// fields, each standing in for those before it; from the sandbox when there is none.
    pub struct SearchSettings {
        pub depth: Depth,
        pub paid_calls: bool = true,
        /// US dollars that a call may cost.
        pub most_per_call: Option<Cap>,
        /// US dollars that all accounts together may spend on a day (UTC).
        pub most_per_day: Option<Cap>,
        pub data_for_seo: DataForSeoSettings,
        pub serp_api: SerpApiSettings,
        pub serper: SerperSettings,
        pub searxng: SearxngSettings,
        pub sandbox: SandboxSettings,
    }
}

settings! {
    pub struct DataForSeoSettings {
        pub login: Option<Secret>,
        /// The password for the API, which is not the one of the account.
        pub password: Option<Secret>,
        pub base_url: WebAddress = WebAddress::fixed("https://api.dataforseo.com"),
        /// What a page of ten results costs at the most, in US dollars; the AI overview costs as much again.
        pub price_per_page: Price = Usd(0.002),
    }
    rules DataForSeoSettings::login_and_password
}

settings! {
    pub struct SerpApiSettings {
        pub api_key: Option<Secret>,
        pub base_url: WebAddress = WebAddress::fixed("https://serpapi.com"),
        /// What a search costs, in US dollars.
        pub price_per_call: Price = Usd(0.025),
    }
}

settings! {
    pub struct SerperSettings {
        pub api_key: Option<Secret>,
        pub base_url: WebAddress = WebAddress::fixed("https://google.serper.dev"),
        /// What a call of ten results costs, in US dollars.
        pub price_per_call: Price = Usd(0.001),
    }
}

settings! {
    pub struct SearxngSettings {
        pub base_url: Option<WebAddress>,
        /// The engine whose order is taken for the rank.
        pub engine: String = "google".to_owned(),
    }
}

settings! {
    pub struct SandboxSettings {
        /// Another seed is another market.
        pub seed: u64,
        /// The share of calls that fail.
        pub failure_rate: Share,
        pub latency_ms: Within<0, 60_000, u64>,
    }
}

/// Organic results that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Depth(pub u32);

impl Default for Depth {
    fn default() -> Self {
        Self(100)
    }
}

impl setting::Setting for Depth {
    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        mistakes.within(key, self.0, &(10..=700), " organic results");
    }
}

impl DataForSeoSettings {
    fn login_and_password(&self, key: &str, mistakes: &mut Mistakes) {
        let (login, password) = (self.login.is_some(), self.password.is_some());
        let (set, missing) = match (login, password) {
            (true, false) => ("login", "password"),
            (false, true) => ("password", "login"),
            _ => return,
        };
        mistakes.add(
            &format!("{key}.{missing}"),
            "not set",
            format!("the credential that belongs to {key}.{set}"),
        );
    }
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
