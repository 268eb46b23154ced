//! Results of one engine through a SearXNG instance: `GET {base}/search?format=json`.

use super::{
    SearchSupplier, guarded, paged::ResultPages, result_page::ResultPage,
    wire_errors::status_failure,
};
use crate::http_client::{RawResponse, parse_json, send_request};
use crate::resilience::{Billing, CallFailure, Repeat};
use crate::supplier::SupplierContext;
use analysis::observation::search_page::{
    Device, Feature, FeatureBlock, FeatureCoverage, OrganicResult, RichData,
};
use analysis::provenance::Provenance;
use analysis::url_rules::unwrapped;
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::search_results::{ProviderError, SearchQuery, SupplierLabel};
use reqwest::{Client, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use setting::{WebAddress, settings};
use std::sync::Arc;

/// Fixed by the instance.
const RESULTS_PER_CALL: u32 = 10;

settings! {
    /// A SearXNG instance; it must allow `format=json`.
    pub struct SearxngSettings {
        /// URL of a SearXNG instance with `format=json`.
        pub base_url: Option<WebAddress>,
        /// Engine that defines the rank: a merged order is not a rank.
        pub engine: String = "google".to_owned(),
    }
}

pub(super) const SUPPLIER: SearchSupplier = SearchSupplier {
    name: "SearXNG",
    section: "search.searxng",
    needs: "search.searxng.base_url",
    is_free: true,
    is_set: |it| it.searxng.base_url.is_some(),
    build: |it, ctx| Searxng::new(&it.searxng, ctx).map(|it| guarded(it, ctx)),
};

struct Searxng {
    base_url: WebAddress,
    engine: String,
    http: Client,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Deserialize)]
struct Body {
    results: Vec<Found>,
    #[serde(default)]
    number_of_results: Option<f64>,
    #[serde(default)]
    suggestions: Vec<String>,
    /// Pairs of name and reason; names alone in older instances.
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Found {
    url: String,
    #[serde(default)]
    title: String,
    content: Option<String>,
    #[serde(default)]
    engine: Option<String>,
    #[serde(default)]
    engines: Vec<String>,
    #[serde(default)]
    positions: Vec<u32>,
    #[serde(rename = "publishedDate")]
    published_date: Option<String>,
}

impl Searxng {
    fn new(settings: &SearxngSettings, ctx: &SupplierContext) -> Option<Self> {
        Some(Self {
            base_url: settings.base_url.clone()?,
            engine: settings.engine.clone(),
            http: ctx.http(),
            clock: ctx.clock(),
        })
    }

    /// 403 means that the instance does not allow JSON: there are no credentials.
    fn failure(&self, answer: &RawResponse) -> CallFailure {
        if answer.status == StatusCode::FORBIDDEN {
            let reason = "the instance does not allow format=json (settings.yml, search.formats)";
            return CallFailure::pointless(ProviderError::Refused {
                reason: reason.to_owned(),
            });
        }
        status_failure(answer, "", self.clock.now())
    }

    fn parse(&self, answer: &RawResponse) -> Result<ResultPage, CallFailure> {
        let body: Body = parse_json(&answer.body)?;
        let silent = !body.unresponsive_engines.is_empty();
        let found = self.engine_results(body.results);
        if found.is_empty() && silent {
            // No results from an unresponsive engine: it did not answer.
            return Err(CallFailure {
                error: ProviderError::Unavailable,
                repeat: Repeat::Safe,
            });
        }
        Ok(page(found, body.number_of_results, body.suggestions))
    }

    /// Results of the configured engine, in its own order.
    fn engine_results(&self, results: Vec<Found>) -> Vec<Found> {
        let engine = &self.engine;
        let mut found: Vec<Found> = results
            .into_iter()
            .filter(|it| it.engines.contains(engine) || it.engine.as_ref() == Some(engine))
            .collect();
        if found.iter().all(|it| !it.positions.is_empty()) {
            found.sort_by_key(|it| it.positions.iter().copied().min());
        }
        found
    }
}

fn page(found: Vec<Found>, total: Option<f64>, suggestions: Vec<String>) -> ResultPage {
    let related = (!suggestions.is_empty()).then(|| FeatureBlock {
        feature: Feature::RelatedSearches,
        title: None,
        text: None,
        links: Vec::new(),
    });
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive estimate; saturation is fine"
    )]
    let total = total.filter(|it| *it >= 1.0).map(|it| it as u64);
    let organic = found.into_iter().map(Found::into_result);
    ResultPage {
        total,
        related: suggestions,
        ..ResultPage::in_order([], organic, related)
    }
}

impl Found {
    fn into_result(self) -> OrganicResult {
        OrganicResult {
            url: unwrapped(&self.url).into_owned(),
            title: self.title,
            snippet: self.content.filter(|it| !it.is_empty()),
            rich_data: RichData {
                date: self.published_date,
                ..Default::default()
            },
            ..Default::default()
        }
    }
}

#[async_trait]
impl ResultPages for Searxng {
    fn label(&self) -> SupplierLabel {
        SupplierLabel {
            name: "metasearch".to_owned(),
            engine: self.engine.clone(),
            provenance: Provenance::Measured,
        }
    }

    fn billing(&self) -> Billing {
        Billing::Free
    }

    fn feature_coverage(&self) -> FeatureCoverage {
        FeatureCoverage::Absent
    }

    fn warnings(&self) -> &'static [&'static str] {
        &["metasearchOrder"]
    }

    fn results_per_call(&self) -> u32 {
        RESULTS_PER_CALL
    }

    fn price_per_call(&self, _: u32) -> u64 {
        0
    }

    /// An instance searches from its server: neither as a mobile device nor from a city.
    fn objection(&self, query: &SearchQuery) -> Option<ProviderError> {
        let reason = if query.device == Device::Mobile {
            "this supplier measures desktop results only"
        } else if query.location.is_some() {
            "this supplier cannot search from a place inside the country"
        } else {
            return None;
        };
        Some(ProviderError::Refused {
            reason: reason.to_owned(),
        })
    }

    fn name(&self) -> &'static str {
        "searxng"
    }

    fn without_secrets(&self, text: &str) -> String {
        text.to_owned()
    }

    async fn fetch_page(
        &self,
        query: &SearchQuery,
        number: u32,
    ) -> Result<RawResponse, CallFailure> {
        let language = format!("{}-{}", query.language, query.country.to_uppercase());
        let page = number.to_string();
        let request = self.http.get(self.base_url.join_path("/search")).query(&[
            ("q", query.keyword.as_str()),
            ("format", "json"),
            ("language", &language),
            ("pageno", &page),
            ("engines", &self.engine),
            ("categories", "general"),
            ("safesearch", "0"),
        ]);
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
