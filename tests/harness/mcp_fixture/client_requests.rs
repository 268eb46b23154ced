//! What a server asks of its client: the questions, and whether the client can answer them.

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

/// A form with one field, which has to be filled in.
pub fn field(message: &str, name: &str, kind: &str) -> Value {
    form(message, &json!({ name: { "type": kind } }), &[name])
}

/// A question to the client's model.
pub fn sampling(prompt: &str, max_tokens: u32) -> Value {
    json!({
        "method": "sampling/createMessage",
        "params": {
            "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
            "maxTokens": max_tokens,
        },
    })
}

/// The question where the client's files are.
pub fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// The capability that a question needs.
pub fn capability(question: &Value) -> &'static str {
    match question["method"].as_str() {
        Some("elicitation/create") => "elicitation",
        Some("sampling/createMessage") => "sampling",
        _ => "roots",
    }
}

/// Whether the client has said that it can do something.
pub fn declared(capability: &str, context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .and_then(|capabilities| serde_json::to_value(capabilities).ok())
        .is_some_and(|capabilities| capabilities.get(capability).is_some())
}

/// Refuses a request of a client that has not said that it can do something.
pub fn require(capability: &str, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if declared(capability, context) {
        return Ok(());
    }
    let required: ClientCapabilities = serde_json::from_value(json!({ capability: {} }))
        .expect("these are capabilities of the protocol");
    Err(ErrorData::missing_required_client_capability(required))
}
