//! The suite: the product from outside, on both databases.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::similar_names, reason = "a path and its patch are called so")]

mod access;
mod agent_api;
mod browser;
mod deployment;
mod documents;
mod layers;
mod mcp;
mod migrations;
mod modules;
mod pages;
mod portability;
mod queue;
mod session;
mod storage_contract;
mod worker;
