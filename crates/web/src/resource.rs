//! Protected resource metadata (RFC 9728).

use crate::answer::Answer;
use crate::paths::{AGENT_API, MCP};
use domain::scope::Scope;
use serde_json::json;

/// Followed by the path of the resource.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Resource path of a metadata path.
pub fn named(path: &str) -> Option<&'static str> {
    match path.strip_prefix(WELL_KNOWN)? {
        "" | MCP => Some(MCP),
        AGENT_API => Some(AGENT_API),
        _ => None,
    }
}

pub fn address(base_url: &str, path: &str) -> String {
    format!("{base_url}{WELL_KNOWN}{path}")
}

/// No authorization servers: tokens are created by hand.
pub fn metadata(base_url: &str, path: &str) -> Answer {
    Answer::value(&json!({
        "resource": format!("{base_url}{path}"),
        "resource_name": "Sightline",
        "resource_documentation": format!("{base_url}/docs"),
        "bearer_methods_supported": ["header"],
        "scopes_supported": Scope::NAMES,
    }))
}
