//! Google results from SerpApi: `GET {base}/search.json`, ten results a call, and a call for an announced AI Overview.

mod boxes;
mod features;
mod overview;
mod wire;

use super::paged::ResultPages;
use super::result_page::{OverviewAnswer, ResultPage};
use super::wire_errors::{redact, shorten_reason, status_failure};
use super::{SearchSupplier, guarded, of_google};
use crate::http_client::{RawResponse, parse_json, send_request};
use crate::resilience::{Billing, CallFailure, Repeat};
use crate::supplier::SupplierContext;
use analysis::observation::search_page::FeatureCoverage;
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::search_results::{ProviderError, SearchQuery, SupplierLabel};
use reqwest::Client;
use serde_json::Value;
use setting::{Price, Secret, Usd, WebAddress, settings};
use std::sync::Arc;

/// Google's page size since September 2025.
const RESULTS_PER_CALL: u32 = 10;

settings! {
    pub struct SerpApiSettings {
        /// Key of SerpApi.
        pub api_key: Option<Secret>,
        /// API URL.
        pub base_url: WebAddress = WebAddress::from_static("https://serpapi.com"),
        /// US dollars for ten results or an AI Overview, by your plan.
        pub price_per_call: Price = Usd(0.025),
    }
}

pub(super) const SUPPLIER: SearchSupplier = SearchSupplier {
    name: "SerpApi",
    section: "search.serp_api",
    needs: "search.serp_api.api_key",
    is_free: false,
    is_set: |it| it.serp_api.api_key.is_some(),
    build: |it, ctx| SerpApi::new(&it.serp_api, ctx).map(|it| guarded(it, ctx)),
};

pub(crate) struct SerpApi {
    settings: SerpApiSettings,
    key: Secret,
    http: Client,
    clock: Arc<dyn Clock>,
}

impl SerpApi {
    pub(crate) fn new(settings: &SerpApiSettings, ctx: &SupplierContext) -> Option<Self> {
        Some(Self {
            key: settings.api_key.clone()?,
            settings: settings.clone(),
            http: ctx.http(),
            clock: ctx.clock(),
        })
    }

    /// The key is a query parameter, so errors and records must not hold the URL.
    pub(crate) async fn fetch(
        &self,
        parameters: &[(&str, &str)],
    ) -> Result<RawResponse, CallFailure> {
        let key = self.key.reveal();
        let request = self
            .http
            .get(self.settings.base_url.join_path("/search.json"))
            .query(parameters)
            // Disables SerpApi's cache of up to an hour.
            .query(&[("no_cache", "true"), ("output", "json"), ("api_key", key)]);
        send_request(request).await
    }

    fn parse(&self, answer: &RawResponse) -> Result<wire::Body, CallFailure> {
        if !answer.status.is_success() {
            return Err(self.failure(answer));
        }
        let body = wire::parse(&answer.body)?;
        match body.failure() {
            None => Ok(body),
            Some(message) => Err(self.body_failure(message)),
        }
    }

    pub(crate) fn value(&self, answer: &RawResponse) -> Result<Value, CallFailure> {
        self.parse(answer)?;
        parse_json(&answer.body)
    }

    /// Price of a call, in millionths of a US dollar.
    pub(crate) fn price(&self) -> u64 {
        self.settings.price_per_call.micros()
    }

    fn failure(&self, answer: &RawResponse) -> CallFailure {
        let message = wire::message(&answer.body);
        // 429 means a rate limit or an exhausted account.
        if is_out_of_credits(&message) {
            return CallFailure::pointless(ProviderError::OutOfFunds);
        }
        status_failure(answer, &self.without_key(&message), self.clock.now())
    }

    /// An error with a success status. Failed searches are not billed.
    fn body_failure(&self, message: &str) -> CallFailure {
        let lower = message.to_ascii_lowercase();
        let holds = |words: &[&str]| words.iter().any(|it| lower.contains(it));
        let passing = |error| CallFailure {
            error,
            repeat: Repeat::Safe,
        };
        if is_out_of_credits(message) {
            CallFailure::pointless(ProviderError::OutOfFunds)
        } else if holds(&["invalid api key", "missing api key", "account has been"]) {
            CallFailure::pointless(ProviderError::Unauthorized)
        } else if holds(&["throughput", "rate limit", "too many requests"]) {
            passing(ProviderError::RateLimited { retry_after: None })
        } else if holds(&["try again later", "couldn't get valid results", "timed out"]) {
            passing(ProviderError::Unavailable)
        } else {
            CallFailure::pointless(ProviderError::Refused {
                reason: shorten_reason(&self.without_key(message)),
            })
        }
    }

    pub(crate) fn without_key(&self, message: &str) -> String {
        redact(self.key.reveal(), message)
    }
}

fn is_out_of_credits(message: &str) -> bool {
    message.to_ascii_lowercase().contains("run out of searches")
}

#[async_trait]
impl ResultPages for SerpApi {
    fn label(&self) -> SupplierLabel {
        of_google()
    }

    fn billing(&self) -> Billing {
        Billing::PerCall
    }

    /// Elements unknown to SerpApi are missing.
    fn feature_coverage(&self) -> FeatureCoverage {
        FeatureCoverage::Partial
    }

    fn results_per_call(&self) -> u32 {
        RESULTS_PER_CALL
    }

    fn price_per_call(&self, _: u32) -> u64 {
        self.price()
    }

    /// Fetches an announced AI Overview.
    fn extra_calls(&self) -> u32 {
        1
    }

    fn objection(&self, _: &SearchQuery) -> Option<ProviderError> {
        None
    }

    fn name(&self) -> &'static str {
        "serpApi"
    }

    fn without_secrets(&self, text: &str) -> String {
        self.without_key(text)
    }

    async fn fetch_page(
        &self,
        query: &SearchQuery,
        number: u32,
    ) -> Result<RawResponse, CallFailure> {
        let start = (number.saturating_sub(1) * RESULTS_PER_CALL).to_string();
        let mut parameters = vec![
            ("engine", "google"),
            ("q", query.keyword.as_str()),
            ("gl", &query.country),
            ("hl", &query.language),
            ("device", query.device.name()),
            ("start", &start),
        ];
        if let Some(location) = &query.location {
            parameters.push(("location", location));
        }
        self.fetch(&parameters).await
    }

    fn read(&self, answer: &RawResponse) -> Result<ResultPage, CallFailure> {
        Ok(self.parse(answer)?.into_page())
    }

    async fn fetch_overview(
        &self,
        _: &SearchQuery,
        token: &str,
    ) -> Result<RawResponse, CallFailure> {
        let parameters = [("engine", "google_ai_overview"), ("page_token", token)];
        self.fetch(&parameters).await
    }

    fn read_overview(&self, answer: &RawResponse) -> Result<OverviewAnswer, CallFailure> {
        Ok(OverviewAnswer {
            overview: self.parse(answer)?.into_overview(),
            cost: None,
        })
    }
}
