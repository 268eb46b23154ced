//! The stdio side of MCP: each line of standard input is one message that is posted to `/mcp` of a
//! server, and what that answers is written to standard output, a line each.
//!
//! The bridge knows no tools. It reads of a message what its headers and its order need, and relays
//! the text as it came.

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
