//! Use cases by aggregate: methods of [`Core`].

pub mod accounts;
pub mod ai_models;
pub mod analyses;
pub mod answers;
pub mod assignments;
pub mod brands;
pub mod budgets;
pub mod check_clock_skew;
pub mod choose_pages;
pub mod claim_jobs;
pub mod classify_sentiment;
pub mod content_plans;
pub mod end_attempt;
pub mod events;
pub mod idempotency;
pub mod job_call_ledger;
pub mod keywords;
pub mod leases;
pub mod maintenance;
pub mod measure_keyword;
pub mod measure_page_speed;
pub mod members;
pub mod outbox;
pub mod own_searches;
pub mod passwords;
pub mod person_links;
pub mod plan_prompts;
pub mod projects;
pub mod publish_results;
pub mod query_ai_engine;
pub mod recording;
pub mod request_analysis;
pub mod research;
pub mod results;
pub mod retention_clock;
pub mod schedules;
pub mod sealed_secrets;
pub mod search_console;
pub mod send_mail;
pub mod server_status;
pub mod sessions;
pub mod sign_in;
pub mod since_sign_in;
pub mod site_annotations;
pub mod suggestions;
pub mod summarize_rankings;
pub mod sweep_queue;
pub mod tokens;
pub mod welcome_owner;

mod guesses;
mod quota;
mod transaction_input;

use crate::account::AccountLimits;
use crate::ids::IdMint;
use crate::job::policy::QueuePolicy;
use crate::ports::ai_answers::AiEngines;
use crate::ports::clock::Clock;
use crate::ports::randomness::Randomness;
use crate::ports::secret_cipher::SecretCipher;
use crate::ports::storage::Storage;
use crate::stored_data::StorageLimits;
use crate::token::TokenPolicy;
use maintenance::Retention;
use outbox::MailPolicy;
use request_analysis::Prices;
use std::sync::Arc;

/// Dependencies of all use cases except suppliers: a use case that queries one is built from it and a core.
#[derive(Clone)]
pub struct Core {
    pub storage: Arc<dyn Storage>,
    pub clock: Arc<dyn Clock>,
    pub randomness: Arc<dyn Randomness>,
    pub mint: Arc<IdMint>,
    pub cipher: Arc<dyn SecretCipher>,
    pub policies: Policies,
}

/// Operator settings. By default, no paid supplier can be queried.
#[derive(Clone, Default)]
pub struct Policies {
    pub queue: QueuePolicy,
    pub tokens: TokenPolicy,
    pub storage: StorageLimits,
    pub new_accounts: AccountLimits,
    pub retention: Retention,
    pub prices: Prices,
    pub engines: AiEngines,
    pub mail: Option<MailPolicy>,
}

/// Implements `AsStorageError`, for [`retrying`](crate::ports::storage::retrying).
macro_rules! impl_as_storage_error {
    ($error:ty) => {
        impl crate::ports::storage::AsStorageError for $error {
            fn as_storage_error(&self) -> Option<&crate::ports::storage::StorageError> {
                match self {
                    Self::Storage(error) => Some(error),
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use impl_as_storage_error;
