//! Search Console: its API through a service account, and its exported files.

mod api;
mod export;
mod service_account;
mod wire;

pub use service_account::account_email;

use crate::http_client::client;
use crate::resilience::{Guard, ResilienceSettings};
use api::Api;
use domain::ports::clock::Clock;
use domain::ports::randomness::Randomness;
use domain::ports::search_console::{ConsoleExports, OPERATIONS, SearchConsole};
use domain::use_cases::search_console::fetch::FetchLimits;
use export::Exports;
use service_account::ServiceAccount;
use setting::{WebAddress, Within, settings};
use std::{path::PathBuf, sync::Arc, time::Duration};

settings! {
    pub struct SearchConsoleSettings {
        /// JSON key of a Google service account, read whenever a token is needed. Without it nothing is fetched.
        pub key_file: Option<PathBuf>,
        /// API URL.
        pub base_url: WebAddress = WebAddress::from_static("https://www.googleapis.com"),
        /// URL for access tokens.
        pub token_url: WebAddress = WebAddress::from_static("https://oauth2.googleapis.com/token"),
        /// Rows of a day for each set of dimensions, most clicks first; 100 to 50000.
        pub rows_per_day: Within<100, 50_000> = Within(FetchLimits::default().rows_per_day),
        /// Days of the first fetch; 3 to 480.
        pub first_days: Within<3, 480> = Within(FetchLimits::default().first_days),
        #[serde(skip)]
        pub resilience: ResilienceSettings = ResilienceSettings {
            // A day of a large site is slow; the API allows 1,200 queries a minute.
            call_timeout: Duration::from_mins(1),
            concurrent_calls: 4,
            calls_per_second: Some(10.0),
            ..ResilienceSettings::default()
        },
    }
}

impl SearchConsoleSettings {
    pub const fn limits(&self) -> FetchLimits {
        FetchLimits {
            rows_per_day: self.rows_per_day.0,
            first_days: self.first_days.0,
        }
    }
}

/// Without a key it reports what is missing.
pub fn configured(
    settings: &SearchConsoleSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Arc<dyn SearchConsole> {
    let http = client(settings.resilience.connect_timeout);
    let guard = |operation| {
        let guard = Guard::new(settings.resilience.clone(), Arc::clone(randomness));
        guard.with_target("searchConsole", operation)
    };
    let [questions, tokens] = OPERATIONS.map(guard);
    let account = ServiceAccount::new(
        settings.key_file.clone(),
        settings.token_url.url().clone(),
        http.clone(),
        tokens,
        Arc::clone(clock),
    );
    Arc::new(Api::new(
        settings.base_url.url().clone(),
        account,
        http,
        questions,
        Arc::clone(clock),
    ))
}

pub fn exports() -> Arc<dyn ConsoleExports> {
    Arc::new(Exports)
}
