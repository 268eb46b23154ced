//! Domain of Sightline: accounts, tokens, projects, keywords, jobs, quotas; the ports to the
//! outside; use cases are methods of one core, or one per file.
//!
//! Not allowed here: HTTP, SQL, serialization of entities, the ambient clock, ambient randomness,
//! the environment. `tests/suite/layers.rs` checks it.

pub mod account;
pub mod ai_models;
pub mod allowance;
pub mod assignment;
pub mod audit;
pub mod clock;
pub mod content_plan;
pub mod device;
pub mod domain_name;
pub mod email;
pub mod event;
pub mod idempotency;
pub mod ids;
pub mod invitation;
pub mod job;
pub mod kept_answers;
pub mod kept_pages;
pub mod keyword;
pub mod keyword_metrics;
pub mod keyword_month;
pub mod keyword_research;
pub mod link;
pub mod mail;
pub mod market;
pub mod market_names;
pub mod money;
pub mod page;
pub mod password;
pub mod patch;
pub mod ports;
pub mod precondition;
pub mod project;
pub mod project_overrides;
pub mod randomness;
pub mod record_ordinals;
pub mod report_settings;
pub mod results;
pub mod rights;
pub mod schedule;
pub mod scope;
pub mod sealed_secret;
pub mod search_console;
mod secret_text;
pub mod server_status;
pub mod session;
pub mod shared_key;
pub mod stored_data;
pub mod text;
pub mod throttle;
pub mod token;
pub mod use_cases;
pub mod user;

#[cfg(feature = "test-support")]
#[path = "../tests/support/mod.rs"]
pub mod test_support;
