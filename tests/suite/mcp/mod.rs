//! MCP tools, as clients see them.

mod access;
mod clients;
mod conformance;
mod documented;
mod messages;
mod parity;
mod sizes;
mod waiting;
