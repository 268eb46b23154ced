//! The queue and the worker, as real processes that are killed, stopped and restarted.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::similar_names, reason = "a path and its patch are called so")]

mod ai_paid;
mod ai_visibility;
mod audit_command;
mod backups;
mod chat_model;
mod content_changes;
mod crashes;
mod database_size;
mod demo;
mod effects;
mod events;
mod every_kind;
mod every_table;
mod failure_metrics;
mod fleet;
mod getting_started;
mod google;
mod host_throttle;
mod hostile_report;
mod idempotency_keys;
mod key_file;
mod logs;
mod machine_failures;
mod mail;
mod metrics;
mod paid;
mod power_loss;
mod probes;
mod project_overrides;
mod rendering;
mod restores;
mod root;
mod schedules;
mod search_console;
mod search_intelligence;
mod secrets;
mod serper;
mod settings;
mod sign_in;
mod site_audit;
mod slots;
mod small_site;
mod spending_limits;
mod statements;
mod stopping;
mod stops_and_cancels;
mod supplier_names;
mod suppliers;
mod tls;
mod transfers;
mod web_vitals;

use harness::{
    on_both,
    processes::{admin_client, api, loopback, process, website, world},
};
