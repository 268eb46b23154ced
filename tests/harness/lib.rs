//! The harness: real databases, started and emptied for each test.

pub mod databases;
pub mod postgres_server;
pub mod sql_rules;
