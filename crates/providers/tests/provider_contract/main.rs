//! All suppliers, AI engines and sources of vitals against a loopback server that speaks their wire formats and fails
//! in many ways.

mod ai;
mod contract;
mod crux;
mod data_for_seo;
mod fault_server;
mod keywords;
mod page_speed;
mod paid_call_ledger;
mod resilience;
mod search_console;
mod searxng;
mod serp_api;
mod serper;
mod shapes;

use analysis::observation::search_page::{Device, SearchPage};
use chrono::{DateTime, NaiveDate, Utc};
use domain::ports::{
    clock::Clock,
    paid_call_ledger::{LedgerEntry, PaidCall, PaidCallLedger, PaidCallOutcome, PaidCallStart},
    randomness::Randomness,
    search_results::{ProviderError, SearchQuery, SearchResults},
};
use fault_server::FaultServer;
use providers::{
    resilience::{BreakerSettings, ResilienceSettings},
    search::{
        DataForSeoSettings, SearchSettings, SearxngSettings, SerpApiSettings, SerperSettings,
        configured,
    },
    vitals::{self, CruxSettings, PageSpeedSettings, VitalsSources},
};
use setting::{Secret, Usd};
use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

/// May appear only in its request header.
const KEY: &str = "key-that-nobody-may-see";

struct Noon;

impl Clock for Noon {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000, 0).expect("a time")
    }
}

struct Half;

impl Randomness for Half {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0x7f);
    }
}

/// A ledger that allows every call.
struct Endless;

#[async_trait::async_trait]
impl PaidCallLedger for Endless {
    async fn begin(&self, call: &PaidCall) -> Result<PaidCallStart, ProviderError> {
        let max_cost = call.max_cost;
        Ok(PaidCallStart::Proceed(LedgerEntry {
            number: 1,
            max_cost,
        }))
    }

    async fn end(&self, ticket: LedgerEntry, ended: PaidCallOutcome) -> Result<(), ProviderError> {
        assert!(ended.cost <= ticket.max_cost, "{ended:?} for {ticket:?}");
        Ok(())
    }
}

static MONEY: LazyLock<Arc<dyn PaidCallLedger>> = LazyLock::new(|| Arc::new(Endless));

/// Short time limits, and a breaker that never opens.
fn quick() -> ResilienceSettings {
    ResilienceSettings {
        connect_timeout: Duration::from_secs(2),
        call_timeout: Duration::from_secs(10),
        first_pause: Duration::from_millis(1),
        max_pause: Duration::from_millis(5),
        breaker: BreakerSettings {
            min_calls: 1000,
            ..Default::default()
        },
        ..Default::default()
    }
}

fn key() -> Secret {
    Secret::new(KEY.to_owned())
}

fn serper_at(server: &FaultServer) -> SerperSettings {
    SerperSettings {
        base_url: server.address(""),
        api_key: Some(key()),
        price_per_call: Usd(0.001),
    }
}

fn serp_api_at(server: &FaultServer) -> SerpApiSettings {
    SerpApiSettings {
        base_url: server.address(""),
        api_key: Some(key()),
        price_per_call: Usd(0.015),
    }
}

fn data_for_seo_at(server: &FaultServer) -> DataForSeoSettings {
    DataForSeoSettings {
        base_url: server.address(""),
        login: Some(Secret::new("ann@example.com".to_owned())),
        password: Some(key()),
        price_per_page: Usd(0.002),
    }
}

fn searxng_at(server: &FaultServer) -> SearxngSettings {
    SearxngSettings {
        base_url: Some(server.address("")),
        engine: "google".to_owned(),
    }
}

fn supplier(settings: &SearchSettings) -> Arc<dyn SearchResults> {
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    let randomness: Arc<dyn Randomness> = Arc::new(Half);
    configured(settings, &clock, &randomness)
}

fn serper(server: &FaultServer) -> Arc<dyn SearchResults> {
    let settings = serper_at(server);
    supplier(&SearchSettings {
        serper: settings,
        resilience: quick(),
        ..Default::default()
    })
}

fn searxng(server: &FaultServer) -> Arc<dyn SearchResults> {
    let searxng = searxng_at(server);
    supplier(&SearchSettings {
        searxng,
        resilience: quick(),
        ..Default::default()
    })
}

fn serp_api(server: &FaultServer) -> Arc<dyn SearchResults> {
    let serp_api = serp_api_at(server);
    supplier(&SearchSettings {
        serp_api,
        resilience: quick(),
        ..Default::default()
    })
}

fn data_for_seo(server: &FaultServer) -> Arc<dyn SearchResults> {
    let data_for_seo = data_for_seo_at(server);
    supplier(&SearchSettings {
        data_for_seo,
        resilience: quick(),
        ..Default::default()
    })
}

async fn found(supplier: &Arc<dyn SearchResults>, query: &SearchQuery) -> SearchPage {
    let searched = supplier.search(query, &MONEY).await;
    searched.answer.expect("an answer")
}

fn about(keyword: &str) -> SearchQuery {
    SearchQuery {
        keyword: keyword.to_owned(),
        ..query(10)
    }
}

fn query(depth: u32) -> SearchQuery {
    SearchQuery {
        keyword: "running shoes & socks".to_owned(),
        country: "us".to_owned(),
        language: "en".to_owned(),
        device: Device::Desktop,
        location: None,
        depth,
        day: NaiveDate::from_ymd_opt(2026, 11, 21).expect("a day"),
        site: "acme.com".to_owned(),
    }
}

/// The sources with the given servers.
fn vitals(crux: Option<&FaultServer>, page_speed: Option<&FaultServer>) -> VitalsSources {
    let mut field = CruxSettings {
        resilience: quick(),
        ..CruxSettings::default()
    };
    if let Some(server) = crux {
        (field.api_key, field.base_url) = (Some(key()), server.address(""));
    }
    let mut lab = PageSpeedSettings {
        resilience: quick(),
        ..PageSpeedSettings::default()
    };
    if let Some(server) = page_speed {
        (lab.api_key, lab.base_url) = (Some(key()), server.address(""));
    }
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    let randomness: Arc<dyn Randomness> = Arc::new(Half);
    vitals::configured(&field, &lab, &clock, &randomness)
}
