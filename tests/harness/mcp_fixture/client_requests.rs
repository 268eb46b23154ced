//! Requests of a server to its client, and the capabilities that they need.

use rmcp::{ErrorData, RoleServer, model::ClientCapabilities, service::RequestContext};
use serde_json::{Value, json};

/// A form for the user.
pub fn form(message: &str, properties: &Value, required: &[&str]) -> Value {
    json!({
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
            },
        },
    })
}

/// A form with one required field.
pub fn field(message: &str, name: &str, kind: &str) -> Value {
    form(message, &json!({ name: { "type": kind } }), &[name])
}

/// A prompt for the client's model.
pub fn sampling(prompt: &str, max_tokens: u32) -> Value {
    json!({
        "method": "sampling/createMessage",
        "params": {
            "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
            "maxTokens": max_tokens,
        },
    })
}

pub fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// The capability that a request needs.
pub fn capability(question: &Value) -> &'static str {
    match question["method"].as_str() {
        Some("elicitation/create") => "elicitation",
        Some("sampling/createMessage") => "sampling",
        _ => "roots",
    }
}

/// Whether the client declared the capability.
pub fn declared(capability: &str, context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .and_then(|capabilities| serde_json::to_value(capabilities).ok())
        .is_some_and(|capabilities| capabilities.get(capability).is_some())
}

/// Refuses a client that did not declare the capability.
pub fn require(capability: &str, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if declared(capability, context) {
        return Ok(());
    }
    let required: ClientCapabilities = serde_json::from_value(json!({ capability: {} }))
        .expect("these are capabilities of the protocol");
    Err(ErrorData::missing_required_client_capability(required))
}
