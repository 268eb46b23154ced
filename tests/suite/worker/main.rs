//! The queue and the worker, as real processes that are killed, stopped and restarted.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::similar_names, reason = "a path and its patch are called so")]

mod ai_paid;
mod ai_visibility;
mod audit_command;
mod backups;
mod caps;
mod chat_model;
mod compact;
mod content_changes;
mod crashes;
mod demo;
mod effects;
mod encrypted;
mod endings;
mod every_kind;
mod every_table;
mod fleet;
mod getting_started;
mod google;
mod hard_times;
mod hostile_report;
mod keys;
mod logs;
mod metrics;
mod metrics_of_trouble;
mod owners_words;
mod paid;
mod power_loss;
mod probes;
mod rendering;
mod restores;
mod root;
mod schedules;
mod search_console;
mod search_intelligence;
mod secrets;
mod serper;
mod settings;
mod shared_turns;
mod sign_in;
mod site_audit;
mod slots;
mod small_site;
mod statements;
mod stopping;
mod suppliers;
mod transfers;
mod web_vitals;

use harness::{
    on_both,
    processes::{api, loopback, process, watcher, website, world},
};
