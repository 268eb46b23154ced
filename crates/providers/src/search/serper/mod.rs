//! Google results from serper.dev: `POST {base}/search`, ten results a call.

mod wire;

use super::paged::ResultPages;
use super::result_page::ResultPage;
use super::wire_errors::{redact, shorten_reason, status_failure};
use super::{SearchSupplier, guarded, of_google};
use crate::http_client::{RawResponse, send_request};
use crate::resilience::{Billing, CallFailure};
use crate::supplier::SupplierContext;
use analysis::observation::search_page::{Device, FeatureCoverage};
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::search_results::{ProviderError, SearchQuery, SupplierLabel};
use reqwest::{Client, header::HeaderValue};
use serde_json::json;
use setting::{Price, Secret, Usd, WebAddress, settings};
use std::sync::Arc;

const RESULTS_PER_CALL: u32 = 10;

settings! {
    pub struct SerperSettings {
        /// Key of serper.dev.
        pub api_key: Option<Secret>,
        /// API URL.
        pub base_url: WebAddress = WebAddress::from_static("https://google.serper.dev"),
        /// US dollars for ten results.
        pub price_per_call: Price = Usd(0.001),
    }
}

pub(super) const SUPPLIER: SearchSupplier = SearchSupplier {
    name: "Serper",
    section: "search.serper",
    needs: "search.serper.api_key",
    is_free: false,
    is_set: |it| it.serper.api_key.is_some(),
    build: |it, ctx| Serper::new(&it.serper, ctx).map(|it| guarded(it, ctx)),
};

struct Serper {
    settings: SerperSettings,
    key: Secret,
    http: Client,
    clock: Arc<dyn Clock>,
}

impl Serper {
    fn new(settings: &SerperSettings, ctx: &SupplierContext) -> Option<Self> {
        Some(Self {
            key: settings.api_key.clone()?,
            settings: settings.clone(),
            http: ctx.http(),
            clock: ctx.clock(),
        })
    }

    fn failure(&self, answer: &RawResponse) -> CallFailure {
        let message = self.without_key(&wire::message(&answer.body));
        if is_out_of_credits(&message) {
            return CallFailure::pointless(ProviderError::OutOfFunds);
        }
        status_failure(answer, &message, self.clock.now())
    }

    /// A sensitive header is not logged. A key that cannot be a header is invalid.
    fn credentials(&self) -> Result<HeaderValue, CallFailure> {
        let mut header = HeaderValue::from_str(self.key.reveal())
            .map_err(|_| CallFailure::pointless(ProviderError::Unauthorized))?;
        header.set_sensitive(true);
        Ok(header)
    }

    /// Suppliers may echo a rejected key.
    fn without_key(&self, message: &str) -> String {
        redact(self.key.reveal(), message)
    }

    fn parse(&self, answer: &RawResponse) -> Result<ResultPage, CallFailure> {
        let parsed = wire::parse(&answer.body)?;
        match parsed.error() {
            None => Ok(parsed.into_page()),
            Some(message) => Err(self.body_failure(&message, parsed.status())),
        }
    }

    fn body_failure(&self, message: &str, status: Option<u16>) -> CallFailure {
        let message = self.without_key(message);
        CallFailure::pointless(match status {
            Some(401 | 403) => ProviderError::Unauthorized,
            _ if is_out_of_credits(&message) => ProviderError::OutOfFunds,
            Some(429) => ProviderError::RateLimited { retry_after: None },
            Some(500..) => ProviderError::Unavailable,
            _ => ProviderError::Refused {
                reason: shorten_reason(&message),
            },
        })
    }
}

/// Exhausted credits come with status 400.
fn is_out_of_credits(message: &str) -> bool {
    message.to_ascii_lowercase().contains("not enough credits")
}

#[async_trait]
impl ResultPages for Serper {
    fn label(&self) -> SupplierLabel {
        of_google()
    }

    fn billing(&self) -> Billing {
        Billing::PerCall
    }

    fn feature_coverage(&self) -> FeatureCoverage {
        FeatureCoverage::Partial
    }

    fn results_per_call(&self) -> u32 {
        RESULTS_PER_CALL
    }

    fn price_per_call(&self, _: u32) -> u64 {
        self.settings.price_per_call.micros()
    }

    /// The API has no device parameter; its results are those of a desktop.
    fn objection(&self, query: &SearchQuery) -> Option<ProviderError> {
        (query.device == Device::Mobile).then(|| ProviderError::Refused {
            reason: "this supplier measures desktop results only".to_owned(),
        })
    }

    fn name(&self) -> &'static str {
        "serper"
    }

    fn without_secrets(&self, text: &str) -> String {
        self.without_key(text)
    }

    async fn fetch_page(
        &self,
        query: &SearchQuery,
        number: u32,
    ) -> Result<RawResponse, CallFailure> {
        let mut body = json!({
            "q": query.keyword,
            "gl": query.country,
            "hl": query.language,
            "num": RESULTS_PER_CALL,
            "page": number,
        });
        if let Some(location) = &query.location {
            body["location"] = json!(location);
        }
        let request = self
            .http
            .post(self.settings.base_url.join_path("/search"))
            .header("X-API-KEY", self.credentials()?)
            .json(&body);
        send_request(request).await
    }

    fn read(&self, answer: &RawResponse) -> Result<ResultPage, CallFailure> {
        if answer.status.is_success() {
            self.parse(answer)
        } else {
            Err(self.failure(answer))
        }
    }
}
