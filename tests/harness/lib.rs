//! The test harness: real databases, servers, browsers and processes.
#![expect(
    clippy::missing_panics_doc,
    reason = "a harness panics when a test cannot be set up"
)]

pub mod app;
pub mod browsers;
pub mod callers;
pub mod chromium;
pub mod contract;
pub mod databases;
pub mod encrypted_postgres;
pub mod engines;
pub mod letters;
pub mod mcp_fixture;
pub mod mcp_servers;
pub mod postgres_server;
pub mod processes;
pub mod rankings;
pub mod recorded;
pub mod sql_rules;
pub mod tool_callers;
