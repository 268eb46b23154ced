//! The session API over HTTP.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::similar_names, reason = "a path and its patch are called so")]

mod assignments;
mod bulk_keywords;
mod console_rows;
mod content_plans;
mod csrf;
mod events;
mod first_run;
mod headers;
mod keyword_research;
mod keyword_status;
mod mail;
mod members;
mod passwords;
mod person_links;
mod policy_reports;
mod resources;
mod rights;
mod server_status;
mod sessions;
mod settings;
mod signing_in;
mod stored_data;
mod tenants;
mod throttling;
mod top_results;
