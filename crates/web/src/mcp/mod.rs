//! The Model Context Protocol: the Agent API as eight tools over Streamable HTTP at `/mcp`. Tool calls run the
//! endpoints' handlers (decision 0027).

mod follow;
mod http_entry;
mod schema;
mod server;
mod tool;
mod tool_call;
mod tool_result;
mod tools;
mod transport;
mod truncate;

pub(crate) use http_entry::{HttpEntry, McpResponse};
pub use http_entry::{MAX_DEPTH, invalid_message_reason, parse_tool_call};
pub use tool::Tool;
pub use tool_call::ToolCall;
pub use tools::{INSTRUCTIONS, all as tools};
pub use transport::{Reply, Transport};

/// Stateless, so that any server can respond: no sessions to stream (GET) or to end (DELETE).
pub const ALLOWED: [&str; 2] = ["POST", "OPTIONS"];
