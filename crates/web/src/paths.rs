//! Paths used in several modules.

pub const AGENT_API: &str = "/api/agent/v1";
pub const MCP: &str = "/mcp";
