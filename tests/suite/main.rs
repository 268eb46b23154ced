//! The suite: the product from outside, on both databases.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod access;
mod agent_api;
mod layers;
mod migrations;
mod storage_contract;
