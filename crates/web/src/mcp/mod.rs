//! The Model Context Protocol: the Agent API as eight tools over Streamable HTTP at `/mcp`. Tool calls run the
//! endpoints' handlers (decision 0027).

mod asked;
mod entrance;
mod follow;
mod outcome;
mod room;
mod schema;
mod server;
mod tool;
mod tools;
mod transport;

pub use asked::Asked;
pub(crate) use entrance::{Entrance, Told};
pub use entrance::{MOST_DEPTH, asked, misshapen};
pub use tool::Tool;
pub use tools::{INSTRUCTIONS, all as tools};
pub use transport::{Reply, Transport};

/// Stateless, so that any server can respond: no sessions to stream (GET) or to end (DELETE).
pub const ALLOWED: [&str; 2] = ["POST", "OPTIONS"];
