//! The CrUX API: `POST {base}/v1/records:queryRecord?key=`, 28 days of Chrome users.

mod wire;

use super::FIELD_DATA;
use super::google::{GoogleApi, parse_error};
use crate::http_client::{RawResponse, send_request};
use crate::resilience::{Billing, CallFailure, Guard, ResilienceSettings};
use analysis::observation::vitals::{FieldSample, FieldScope, FormFactor};
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::page_speed::{FieldTarget, FieldVitals, FieldVitalsError, NotConfigured};
use domain::ports::search_results::ProviderError;
use reqwest::Client;
use serde_json::{Value, json};
use setting::{Secret, WebAddress, settings};
use std::sync::Arc;
use url::Url;

settings! {
    /// The CrUX API; queried first.
    pub struct CruxSettings {
        /// Google Cloud key for the Chrome UX Report API: field data.
        pub api_key: Option<Secret>,
        /// API URL.
        pub base_url: WebAddress = WebAddress::from_static("https://chromeuxreport.googleapis.com"),
        #[serde(skip)]
        pub resilience: ResilienceSettings = ResilienceSettings {
            // The API allows 150 queries a minute.
            calls_per_second: Some(2.5),
            ..ResilienceSettings::default()
        },
    }
}

pub(super) struct Crux {
    api: GoogleApi,
    http: Client,
    guard: Guard,
    clock: Arc<dyn Clock>,
}

impl Crux {
    pub(super) fn new(api: GoogleApi, http: Client, guard: Guard, clock: Arc<dyn Clock>) -> Self {
        Self {
            api,
            http,
            guard,
            clock,
        }
    }

    async fn record(
        &self,
        identifier: (&str, &str),
        form_factor: FormFactor,
        scope: FieldScope,
    ) -> Result<Option<FieldSample>, ProviderError> {
        let body = question(identifier, form_factor);
        let called = self.guard.call(Billing::Free, || self.query_record(&body));
        let record = called.await.map_err(|it| it.error)?.value;
        Ok(record.map(|it| it.into_sample(form_factor, scope, FIELD_DATA)))
    }

    async fn query_record(&self, body: &Value) -> Result<Option<wire::Record>, CallFailure> {
        let address = self.api.base_url.join_path("/v1/records:queryRecord");
        let request = self.http.post(address).query(&[self.api.key()]);
        let answer = send_request(request.json(body)).await?;
        match answer.status.as_u16() {
            200 => wire::parse(&answer.body).map(Some),
            404 if is_no_data(&answer) => Ok(None),
            _ => Err(self.api.failure(&answer, self.clock.now())),
        }
    }
}

/// 404 means too few visits or a wrong API address.
fn is_no_data(answer: &RawResponse) -> bool {
    parse_error(answer).status == "NOT_FOUND"
}

fn question((kind, value): (&str, &str), form_factor: FormFactor) -> Value {
    let mut body = json!({kind: value, "metrics": wire::METRICS.map(|it| it.0)});
    let device = match form_factor {
        FormFactor::Phone => Some("PHONE"),
        FormFactor::Desktop => Some("DESKTOP"),
        FormFactor::All => None,
    };
    if let Some(device) = device {
        body["formFactor"] = json!(device);
    }
    body
}

pub(super) fn origin_of(page: &str) -> Result<String, ProviderError> {
    let origin = Url::parse(page).map(|it| it.origin());
    match origin {
        Ok(origin) if origin.is_tuple() => Ok(origin.ascii_serialization()),
        _ => Err(ProviderError::Refused {
            reason: "this is not the URL of a page".to_owned(),
        }),
    }
}

#[async_trait]
impl FieldVitals for Crux {
    fn missing(&self) -> Option<NotConfigured> {
        None
    }

    fn provider(&self) -> String {
        FIELD_DATA.to_owned()
    }

    async fn fetch(
        &self,
        target: &FieldTarget,
        form_factor: FormFactor,
    ) -> Result<Option<FieldSample>, FieldVitalsError> {
        let page = match target {
            FieldTarget::Page(page) => page,
            FieldTarget::Origin(origin) => {
                let whole = ("origin", origin.as_str());
                return Ok(self.record(whole, form_factor, FieldScope::Origin).await?);
            }
        };
        let own = self.record(("url", page), form_factor, FieldScope::Page);
        if let Some(sample) = own.await? {
            return Ok(Some(sample));
        }
        let origin = origin_of(page)?;
        let whole = ("origin", origin.as_str());
        let instead = self.record(whole, form_factor, FieldScope::OriginInstead);
        Ok(instead.await?)
    }
}
