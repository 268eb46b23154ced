//! Google results from DataForSEO: `POST {base}/v3/serp/google/organic/live/advanced`, up to 200 results a call.

pub(crate) mod items;
pub(crate) mod locations;
mod overview;
pub(crate) mod wire;

use super::paged::ResultPages;
use super::result_page::ResultPage;
use super::wire_errors::{redact, shorten_reason, status_failure};
use super::{SearchSupplier, guarded, of_google};
use crate::http_client::{RawResponse, send_request};
use crate::resilience::{Billing, CallFailure, Repeat};
use crate::supplier::SupplierContext;
use analysis::observation::search_page::{Device, FeatureCoverage};
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::search_results::{ProviderError, SearchQuery, SupplierLabel};
use reqwest::Client;
use serde_json::{Value, json};
use setting::{Mistakes, Price, Secret, Usd, WebAddress, settings};
use std::sync::Arc;
use wire::{Elements, Outcome};

pub(crate) const ORGANIC: &str = "/v3/serp/google/organic/live/advanced";

/// Limit of the live endpoint since September 2025.
const MAX_DEPTH: u32 = 200;
/// Results of one page, which is the billing unit.
const RESULTS_PER_PAGE: u32 = 10;

/// Search operators that DataForSEO bills five times over (its help on SERP API costs), more than is reserved.
const OPERATORS: [&str; 16] = [
    "allinanchor:",
    "allintext:",
    "allintitle:",
    "allinurl:",
    "cache:",
    "define:",
    "filetype:",
    "id:",
    "inanchor:",
    "info:",
    "intext:",
    "intitle:",
    "inurl:",
    "link:",
    "related:",
    "site:",
];

settings! {
    pub struct DataForSeoSettings {
        /// Login of DataForSEO's API.
        pub login: Option<Secret>,
        /// Password of the API, not the account's.
        pub password: Option<Secret>,
        /// API URL.
        pub base_url: WebAddress = WebAddress::from_static("https://api.dataforseo.com"),
        /// Maximum US dollars for ten results, and for an AI Overview; its response says what was billed.
        pub price_per_page: Price = Usd(0.002),
    }
    rules DataForSeoSettings::login_and_password
}

impl DataForSeoSettings {
    pub(crate) fn is_set(&self) -> bool {
        self.login.is_some()
    }

    fn login_and_password(&self, key: &str, mistakes: &mut Mistakes) {
        let (set, missing) = match (&self.login, &self.password) {
            (Some(_), None) => ("login", "password"),
            (None, Some(_)) => ("password", "login"),
            _ => return,
        };
        let allowed = format!("the credential that belongs to {key}.{set}");
        mistakes.add(&format!("{key}.{missing}"), "not set", allowed);
    }
}

pub(super) const SUPPLIER: SearchSupplier = SearchSupplier {
    name: "DataForSEO",
    section: "search.data_for_seo",
    needs: "search.data_for_seo.login and password",
    is_free: false,
    is_set: |it| it.data_for_seo.is_set(),
    build: |it, ctx| DataForSeo::new(&it.data_for_seo, ctx).map(|it| guarded(it, ctx)),
};

pub(crate) struct DataForSeo {
    settings: DataForSeoSettings,
    login: Secret,
    password: Secret,
    http: Client,
    clock: Arc<dyn Clock>,
}

impl DataForSeo {
    pub(crate) fn new(settings: &DataForSeoSettings, ctx: &SupplierContext) -> Option<Self> {
        Some(Self {
            login: settings.login.clone()?,
            password: settings.password.clone()?,
            settings: settings.clone(),
            http: ctx.http(),
            clock: ctx.clock(),
        })
    }

    /// The single task of a call. `max_crawl_pages` bounds the cost where pages hold fewer than ten results.
    fn task(query: &SearchQuery) -> Result<Value, CallFailure> {
        let depth = query.depth.clamp(1, MAX_DEPTH);
        let (device, os) = match query.device {
            Device::Desktop => ("desktop", "windows"),
            Device::Mobile => ("mobile", "android"),
        };
        let mut task = json!({
            "keyword": escape_keyword(&query.keyword),
            "language_code": query.language,
            "device": device,
            "os": os,
            "depth": depth,
            "max_crawl_pages": depth.div_ceil(RESULTS_PER_PAGE),
            "load_async_ai_overview": true,
        });
        match (&query.location, locations::country_code(&query.country)) {
            (Some(place), _) => task["location_name"] = json!(locations::location_name(place)),
            (None, Some(code)) => task["location_code"] = json!(code),
            (None, None) => return Err(CallFailure::pointless(unsupported_country())),
        }
        Ok(json!([task]))
    }

    pub(crate) async fn post(&self, path: &str, tasks: &Value) -> Result<RawResponse, CallFailure> {
        let request = self
            .http
            .post(self.settings.base_url.join_path(path))
            .basic_auth(self.login.reveal(), Some(self.password.reveal()))
            .json(tasks);
        send_request(request).await
    }

    pub(crate) fn parse_elements(&self, answer: &RawResponse) -> Result<Elements, CallFailure> {
        if !answer.status.is_success() {
            let message = self.without_credentials(&wire::message(&answer.body));
            return Err(status_failure(answer, &message, self.clock.now()));
        }
        match wire::parse(&answer.body)? {
            Outcome::Found(elements) => Ok(elements),
            Outcome::Failed {
                code,
                message,
                cost,
            } => Err(self.task_failure(code, &message, cost)),
        }
    }

    /// Price of a page of ten results with its AI Overview, in millionths of a US dollar.
    pub(crate) fn price_with_overview(&self) -> u64 {
        self.settings.price_per_page.micros().saturating_mul(2)
    }

    /// Failure by internal status code; the response reports whether it was billed.
    fn task_failure(&self, code: u32, message: &str, cost: Option<u64>) -> CallFailure {
        let repeat = match cost {
            // Rate-limited tasks were not executed.
            None if matches!(code, 40_202 | 40_209) => Repeat::Safe,
            Some(0) => Repeat::Safe,
            Some(cost) => Repeat::Billed(cost),
            None => Repeat::Uncertain,
        };
        let error = match code {
            40_100 | 40_104 | 40_201 => return CallFailure::pointless(ProviderError::Unauthorized),
            40_200 | 40_203 | 40_210 => return CallFailure::pointless(ProviderError::OutOfFunds),
            40_202 | 40_209 => ProviderError::RateLimited { retry_after: None },
            40_101 | 40_103 | 50_000..=59_999 => ProviderError::Unavailable,
            40_000..=49_999 => {
                return CallFailure::pointless(ProviderError::Refused {
                    reason: shorten_reason(&self.without_credentials(message)),
                });
            }
            _ => ProviderError::Malformed {
                problem: "it has an unknown status".to_owned(),
            },
        };
        CallFailure { error, repeat }
    }

    pub(crate) fn without_credentials(&self, message: &str) -> String {
        let message = redact(self.password.reveal(), message);
        redact(self.login.reveal(), &message)
    }
}

pub(crate) fn unsupported_country() -> ProviderError {
    ProviderError::Refused {
        reason: "this supplier has no code for the country".to_owned(),
    }
}

/// The service decodes `%xx` and reads `+` as a space.
pub(crate) fn escape_keyword(keyword: &str) -> String {
    keyword.replace('%', "%25").replace('+', "%2B")
}

#[async_trait]
impl ResultPages for DataForSeo {
    fn label(&self) -> SupplierLabel {
        of_google()
    }

    fn billing(&self) -> Billing {
        Billing::PerCall
    }

    fn feature_coverage(&self) -> FeatureCoverage {
        FeatureCoverage::Complete
    }

    fn results_per_call(&self) -> u32 {
        MAX_DEPTH
    }

    /// The first page's price for each page and for the AI Overview.
    fn price_per_call(&self, depth: u32) -> u64 {
        let pages = depth.clamp(1, MAX_DEPTH).div_ceil(RESULTS_PER_PAGE);
        let units = u64::from(pages) + 1;
        self.settings.price_per_page.micros().saturating_mul(units)
    }

    fn max_depth(&self) -> u32 {
        MAX_DEPTH
    }

    fn objection(&self, query: &SearchQuery) -> Option<ProviderError> {
        let is_known =
            query.location.is_some() || locations::country_code(&query.country).is_some();
        if !is_known {
            return Some(unsupported_country());
        }
        let words = query.keyword.to_ascii_lowercase();
        let has_operator = { words.split_whitespace() }
            .any(|word| OPERATORS.iter().any(|it| word.starts_with(it)));
        has_operator.then(|| ProviderError::Refused {
            reason: "this supplier bills search operators in keywords five times over".to_owned(),
        })
    }

    fn name(&self) -> &'static str {
        "dataForSeo"
    }

    fn without_secrets(&self, text: &str) -> String {
        self.without_credentials(text)
    }

    async fn fetch_page(&self, query: &SearchQuery, _: u32) -> Result<RawResponse, CallFailure> {
        self.post(ORGANIC, &Self::task(query)?).await
    }

    fn read(&self, answer: &RawResponse) -> Result<ResultPage, CallFailure> {
        self.parse_elements(answer)?.into_page()
    }
}
