//! The suite: the product from outside, on both databases. Areas that are large are programs of their own beside it, so
//! that a change in one of their tests compiles and links only these.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::similar_names, reason = "a path and its patch are called so")]

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
mod schema;
