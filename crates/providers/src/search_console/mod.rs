//! Search Console: its API by a service account, and the files that it exports.

mod api;
mod export;
mod service_account;
mod settings;
mod wire;

pub use service_account::account_of;
pub use settings::SearchConsoleSettings;

use crate::{http_client::client, resilience::Guard};
use api::Api;
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    search_console::{ConsoleExports, SearchConsole},
};
use export::Exports;
use service_account::ServiceAccount;
use std::sync::Arc;

/// The API; without a key it says what is missing.
pub fn configured(
    settings: SearchConsoleSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Arc<dyn SearchConsole> {
    let http = client(settings.resilience.connect_timeout);
    let guard = |operation| {
        let guard = Guard::new(settings.resilience.clone(), Arc::clone(randomness));
        guard.named("searchConsole", operation)
    };
    let (questions, tokens) = (guard("rows"), guard("token"));
    let account = ServiceAccount::new(
        settings.key_file,
        settings.token_url,
        http.clone(),
        tokens,
        Arc::clone(clock),
    );
    Arc::new(Api::new(
        settings.base_url,
        account,
        http,
        questions,
        Arc::clone(clock),
    ))
}

pub fn exports() -> Arc<dyn ConsoleExports> {
    Arc::new(Exports)
}
