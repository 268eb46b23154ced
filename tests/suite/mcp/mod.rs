//! MCP tools, as clients see them.

mod clients;
mod conformance;
mod documented;
mod door;
mod messages;
mod same;
mod sizes;
mod waiting;
