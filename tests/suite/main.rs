//! Tests of the product from outside, on both databases. Large areas are separate test programs, so that a change
//! compiles and links only one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod access;
mod deployment;
mod documents;
mod folders;
mod formulas;
mod how_tos;
mod layers;
mod mcp;
mod migrations;
mod modules;
mod pages;
mod portability;
mod queue;
mod recorded;
mod rust_sources;
mod schema;
mod vocabulary;
