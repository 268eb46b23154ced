//! PageSpeed Insights: `GET {base}/pagespeedonline/v5/runPagespeed`, 28 days of field data and a Lighthouse run.

mod field;
mod lab;

use super::google::{GoogleApi, parse_error};
use super::{FIELD_DATA, REMOTE_LAB};
use crate::http_client::{RawResponse, send_request};
use crate::resilience::{Billing, CallFailure, Guard, ResilienceSettings};
use analysis::observation::vitals::{FieldSample, FormFactor, LabMeasurement, LabRun};
use analysis::provenance::Provenance;
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::page_speed::{
    FieldTarget, FieldVitals, FieldVitalsError, LabError, LabOrder, LabVitals, NotConfigured,
};
use domain::ports::search_results::ProviderError;
use reqwest::Client;
use setting::{Secret, WebAddress, settings};
use std::{sync::Arc, time::Duration};

/// A run takes half a minute, and Google caches its result for a while.
const MAX_RUNS: u32 = 5;

settings! {
    /// PageSpeed Insights; queried if the CrUX API fails or is not configured.
    pub struct PageSpeedSettings {
        /// Google Cloud key for PageSpeed Insights: field data, lab data without a browser.
        pub api_key: Option<Secret>,
        /// API URL.
        pub base_url: WebAddress = WebAddress::from_static("https://www.googleapis.com"),
        /// Long timeout: a call loads the page.
        #[serde(skip)]
        pub resilience: ResilienceSettings = ResilienceSettings {
            call_timeout: Duration::from_mins(2),
            concurrent_calls: 2,
            // The API allows 240 queries a minute.
            calls_per_second: Some(4.0),
            ..ResilienceSettings::default()
        },
    }
}

pub(super) struct PageSpeed {
    api: GoogleApi,
    http: Client,
    guard: Guard,
    clock: Arc<dyn Clock>,
}

enum RunResponse {
    Answer(Vec<u8>),
    Unloaded(String),
}

impl PageSpeed {
    pub(super) fn new(api: GoogleApi, http: Client, guard: Guard, clock: Arc<dyn Clock>) -> Self {
        Self {
            api,
            http,
            guard,
            clock,
        }
    }

    async fn run(&self, url: &str, form_factor: FormFactor) -> Result<RunResponse, ProviderError> {
        let strategy = match form_factor {
            FormFactor::Phone => "mobile",
            FormFactor::Desktop => "desktop",
            FormFactor::All => {
                return Err(ProviderError::Refused {
                    reason: "this source reports phones and desktops only separately".to_owned(),
                });
            }
        };
        let called = self
            .guard
            .call(Billing::Free, || self.run_once(url, strategy));
        Ok(called.await.map_err(|it| it.error)?.value)
    }

    async fn run_once(&self, url: &str, strategy: &str) -> Result<RunResponse, CallFailure> {
        let address = self
            .api
            .base_url
            .join_path("/pagespeedonline/v5/runPagespeed");
        let question = [
            ("url", url),
            ("strategy", strategy),
            ("category", "performance"),
            // Element names are localized.
            ("locale", "en"),
            self.api.key(),
        ];
        let answer = send_request(self.http.get(address).query(&question)).await?;
        if answer.status.is_success() {
            return Ok(RunResponse::Answer(answer.body));
        }
        match page_load_error(&answer) {
            Some(message) => Ok(RunResponse::Unloaded(message)),
            None => Err(self.api.failure(&answer, self.clock.now())),
        }
    }
}

/// Status 400 or 500 may mean that the page failed to load, not the service.
fn page_load_error(answer: &RawResponse) -> Option<String> {
    let message = parse_error(answer).message;
    let (_, code) = message.split_once("Lighthouse returned error: ")?;
    Some(code.to_owned())
}

#[async_trait]
impl FieldVitals for PageSpeed {
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
        let (FieldTarget::Page(url) | FieldTarget::Origin(url)) = target;
        match self.run(url, form_factor).await? {
            RunResponse::Answer(body) => {
                let sample = field::parse(&body, target, form_factor, FIELD_DATA);
                Ok(sample.map_err(|failure| failure.error)?)
            }
            // Field data comes only with a successful run.
            RunResponse::Unloaded(_) => Err(ProviderError::Refused {
                reason: "the source could not load the page, and has no field data without"
                    .to_owned(),
            }
            .into()),
        }
    }
}

#[async_trait]
impl LabVitals for PageSpeed {
    fn missing(&self) -> Option<NotConfigured> {
        None
    }

    fn provider(&self) -> String {
        REMOTE_LAB.to_owned()
    }

    async fn load(&self, order: &LabOrder) -> Result<LabMeasurement, LabError> {
        if order.form_factor == FormFactor::All {
            return Err(LabError::Order("a load measures one device"));
        }
        let requested = order.runs.unwrap_or(1).clamp(1, MAX_RUNS);
        let mut runs: Vec<LabRun> = Vec::new();
        let mut failure = None;
        for _ in 0..requested {
            let outcome = match self.run(&order.url, order.form_factor).await {
                Ok(RunResponse::Answer(body)) => lab::parse(&body),
                Ok(RunResponse::Unloaded(message)) => Err(lab::failure(&message)),
                Err(error) => Err(error.into()),
            };
            match outcome {
                Ok(run) => runs.push(run),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        match failure {
            Some(error) if runs.is_empty() => Err(error),
            _ => Ok(LabMeasurement {
                form_factor: order.form_factor,
                runs,
                requested_runs: requested,
                provider: REMOTE_LAB.to_owned(),
                provenance: Provenance::Imported,
            }),
        }
    }
}
