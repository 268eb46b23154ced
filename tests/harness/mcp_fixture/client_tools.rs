//! Tools that use log messages, progress and requests to the client.

use super::{
    Fixture, client_requests,
    tools::{TOOL_DELAY, failure, text},
};
use rmcp::{
    ErrorData, RoleServer, ServiceError,
    model::{
        CallToolResult, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
        ServerRequest,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::time::sleep;

/// Sends three log messages if the client's level allows.
pub async fn log(
    fixture: &Fixture,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let level = LoggingLevel::Info;
    // Levels are declared from the least to the most severe.
    let wanted = fixture
        .level_for(context)
        .is_some_and(|threshold| threshold as u8 <= level as u8);
    let messages = [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ];
    for (index, message) in messages.into_iter().enumerate() {
        if index > 0 {
            sleep(TOOL_DELAY).await;
        }
        if wanted {
            let message = LoggingMessageNotificationParam::new(level, json!(message));
            let sent = context.peer.notify_logging_message(message).await;
            sent.map_err(|error| unreachable(&error))?;
        }
    }
    Ok(text("Tool with logging executed"))
}

/// Reports progress three times if the client sent a token.
pub async fn progress(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let token = context.meta.get_progress_token();
    for progress in [0.0, 50.0, 100.0] {
        if progress > 0.0 {
            sleep(TOOL_DELAY).await;
        }
        if let Some(token) = &token {
            let report = ProgressNotificationParam::new(token.clone(), progress).with_total(100.0);
            let sent = context.peer.notify_progress(report).await;
            sent.map_err(|error| unreachable(&error))?;
        }
    }
    Ok(text("Tool with progress executed"))
}

pub async fn sample(
    prompt: &str,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    query_client(&client_requests::sampling(prompt, 100), context, |answer| {
        let reply = answer["content"]["text"].as_str().unwrap_or("no text");
        format!("LLM response: {reply}")
    })
    .await
}

pub async fn elicit(
    message: &str,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let properties = json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    });
    let question = client_requests::form(message, &properties, &["username", "email"]);
    query_client(&question, context, |answer| {
        format!("User response: {}", filled_in(answer))
    })
    .await
}

/// A form with default values.
pub async fn elicit_defaults(
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let properties = json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": { "type": "boolean", "default": true },
    });
    elicit_all("Please check these values", &properties, context).await
}

/// A form with every kind of choice.
pub async fn elicit_choices(
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let options = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    let properties = json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    });
    elicit_all("Please choose", &properties, context).await
}

async fn elicit_all(
    message: &str,
    properties: &Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let question = client_requests::form(message, properties, &[]);
    query_client(&question, context, |answer| {
        format!("Elicitation completed: {}", filled_in(answer))
    })
    .await
}

fn filled_in(answer: &Value) -> String {
    let action = answer["action"].as_str().unwrap_or("none");
    format!("action={action}, content={}", answer["content"])
}

/// Sends a request to the client and describes its response.
async fn query_client(
    question: &Value,
    context: &RequestContext<RoleServer>,
    describe: impl FnOnce(&Value) -> String,
) -> Result<CallToolResult, ErrorData> {
    let capability = client_requests::capability(question);
    if !client_requests::declared(capability, context) {
        return Ok(failure(&format!("The client does not offer {capability}")));
    }
    let request: ServerRequest =
        serde_json::from_value(question.clone()).expect("this is a request of the protocol");
    let answer = match context.peer.send_request(request).await {
        Ok(answer) => serde_json::to_value(answer),
        Err(error) => return Ok(failure(&format!("The client did not answer: {error}"))),
    };
    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(text(&describe(&answer)))
}

fn unreachable(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(format!("the client cannot be reached: {error}"), None)
}
