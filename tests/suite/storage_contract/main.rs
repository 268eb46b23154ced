//! The contract of every storage, on every database.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[macro_use]
mod examples;
mod accounts;
mod ai_answers;
mod ai_models;
mod audit;
mod console_bindings;
mod console_rows;
mod content_plans;
mod group_commit;
mod host_throttle;
mod idempotency;
mod invitations;
mod isolation;
mod jobs;
mod kept_pages;
mod keyword_history;
mod keyword_months;
mod keywords;
mod measurements;
mod members;
mod paging;
mod paid_calls;
mod passwords;
mod postgres_tls;
mod project_overrides;
mod projects;
mod purging;
mod queues;
mod readers;
mod research;
mod results;
mod retention;
mod rls;
mod schedules;
mod secrets;
mod server_notes;
mod server_restart;
mod sessions;
mod spending;
mod sqlite_file;
mod stored_data;
mod throttles;
mod tokens;
mod transactions;
