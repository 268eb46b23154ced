//! Protected resource metadata (RFC 9728).

use crate::paths::{AGENT_API, MCP};
use crate::response::ApiResponse;
use domain::scope::Scope;
use serde_json::json;

/// Followed by the path of the resource.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Resource path of a metadata path.
pub fn resource_path(path: &str) -> Option<&'static str> {
    match path.strip_prefix(WELL_KNOWN)? {
        "" | MCP => Some(MCP),
        AGENT_API => Some(AGENT_API),
        _ => None,
    }
}

pub fn metadata_url(base_url: &str, path: &str) -> String {
    format!("{base_url}{WELL_KNOWN}{path}")
}

/// No authorization servers: tokens are created by hand.
pub fn metadata(base_url: &str, path: &str) -> ApiResponse {
    ApiResponse::value(&json!({
        "resource": format!("{base_url}{path}"),
        "resource_name": "Sightline",
        "resource_documentation": format!("{base_url}/docs"),
        "bearer_methods_supported": ["header"],
        "scopes_supported": Scope::NAMES,
    }))
}
