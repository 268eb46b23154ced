//! The stdio side of MCP: each line of standard input is one message, posted to `/mcp` of a server.
//! The responses are written to standard output, one per line.
//!
//! The bridge knows no tools: it reads of a message only what headers and ordering need, and relays
//! its text unchanged.

mod address;
mod compact;
mod envelope;
mod event_stream;
mod exchange;
mod failure;
mod headers;
mod http_client;
mod id_search;
mod lines;
mod message;
mod refusal;
mod relay;
mod reply;
mod settings;
mod token;
mod trust;

pub use address::Address;
pub use relay::{Bridge, Ending};
pub use settings::{Limits, Settings, SetupError};
pub use token::Token;
pub use trust::Trust;
