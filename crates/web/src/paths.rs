//! Paths that several parts of the service name.

pub const AGENT_API: &str = "/api/agent/v1";
pub const MCP: &str = "/mcp";
