//! The Agent API over HTTP. User workflows run on every database, the rest on `SQLite` only.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::similar_names, reason = "a path and its patch are called so")]

mod ai_results;
mod allowances;
mod analyses;
mod compression;
mod concurrent_writers;
mod conditional;
mod deprecation;
mod error_recovery;
mod every_route;
mod failures;
mod health_docs;
mod http_edge_cases;
mod idempotency;
mod keyword_changes;
mod keywords;
mod limits;
mod merge_patch;
mod models;
mod order_of_checks;
mod paging;
mod problems;
mod project_changes;
mod projects;
mod released_contract;
mod results;
mod schemas;
mod slow_bodies;
mod smuggling;
mod statements;
mod tokens;
