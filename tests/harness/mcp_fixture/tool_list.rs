//! The list of tools with their schemas.

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use std::sync::Arc;

const WITHOUT_ARGUMENTS: &[(&str, &str)] = &[
    ("test_simple_text", "Returns a text."),
    ("test_image_content", "Returns a picture."),
    ("test_audio_content", "Returns a sound."),
    (
        "test_embedded_resource",
        "Returns a resource inside its result.",
    ),
    (
        "test_multiple_content_types",
        "Returns a text, a picture and a resource.",
    ),
    ("test_error_handling", "Always fails."),
    ("test_tool_with_logging", "Sends three log messages."),
    ("test_logging_tool", "Sends three log messages."),
    (
        "test_tool_with_progress",
        "Reports its progress three times.",
    ),
    ("test_reconnection", "Answers after a while."),
    (
        "test_elicitation_sep1034_defaults",
        "Asks the user with a form that is filled in already.",
    ),
    (
        "test_elicitation_sep1330_enums",
        "Asks the user with each kind of choice.",
    ),
    (
        "test_missing_capability",
        "Works only for clients that can sample.",
    ),
    (
        "test_streaming_elicitation",
        "Needs a confirmation of the user.",
    ),
    (
        "test_trigger_tool_change",
        "Announces that the list of tools has changed.",
    ),
    (
        "test_trigger_prompt_change",
        "Announces that the list of prompts has changed.",
    ),
    (
        "test_input_required_result_elicitation",
        "Needs the user's name.",
    ),
    (
        "test_input_required_result_sampling",
        "Needs an answer of the client's model.",
    ),
    (
        "test_input_required_result_list_roots",
        "Needs the client's roots.",
    ),
    (
        "test_input_required_result_request_state",
        "Needs a confirmation, and its own state back.",
    ),
    (
        "test_input_required_result_tampered_state",
        "Needs a confirmation, and its own state back as it was.",
    ),
    (
        "test_input_required_result_multiple_inputs",
        "Needs a name, a greeting and the roots at once.",
    ),
    (
        "test_input_required_result_multi_round",
        "Needs a name first and a colour then.",
    ),
    (
        "test_input_required_result_capabilities",
        "Needs whatever the client can give.",
    ),
];

pub fn all() -> Vec<Tool> {
    let nothing = json!({ "type": "object", "properties": {} });
    let mut tools: Vec<Tool> = WITHOUT_ARGUMENTS
        .iter()
        .map(|(name, description)| tool(name, description, &nothing))
        .collect();
    tools.extend([
        tool(
            "test_sampling",
            "Puts a prompt to the client's model.",
            &one_text("prompt", "What to ask the model."),
        ),
        tool(
            "test_elicitation",
            "Asks the user for a name and an address.",
            &one_text("message", "What to tell the user."),
        ),
        tool(
            "test_header_parameter",
            "Takes a region that proxies see in a header, too.",
            &json!({
                "type": "object",
                "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
                "required": ["region"],
            }),
        ),
        tool(
            "json_schema_2020_12_tool",
            "Tool with JSON Schema 2020-12 features",
            &contact_schema(),
        ),
    ]);
    tools
}

/// A schema with one required string.
fn one_text(name: &str, description: &str) -> Value {
    json!({
        "type": "object",
        "properties": { name: { "type": "string", "description": description } },
        "required": [name],
    })
}

/// A schema with keywords that servers tend to drop.
fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {
                    "street": { "type": "string" },
                    "city": { "type": "string" },
                },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn tool(name: &'static str, description: &'static str, schema: &Value) -> Tool {
    let schema: JsonObject = schema
        .as_object()
        .cloned()
        .expect("the schema of a tool is an object");
    Tool::new(name, description, Arc::new(schema))
}
