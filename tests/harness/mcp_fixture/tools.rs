//! Tool calls.

use super::{
    Change, Fixture, client_requests, client_tools, input_required,
    samples::{RED_PIXEL_PNG, SILENCE_WAV},
    stateless,
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ResourceContents,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

pub const TOOL_DELAY: Duration = Duration::from_millis(50);

pub async fn call(
    fixture: &Fixture,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let result = match request.name.as_ref() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => content([picture()]),
        "test_audio_content" => content([ContentBlock::audio(SILENCE_WAV, "audio/wav")]),
        "test_embedded_resource" => content([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => content([
            ContentBlock::text("Multiple content types test:"),
            picture(),
            resource(
                "test://mixed-content-resource",
                "application/json",
                &json!({ "test": "data", "value": 123 }).to_string(),
            ),
        ]),
        "test_error_handling" => failure("This tool intentionally returns an error for testing"),
        "test_reconnection" => {
            sleep(2 * TOOL_DELAY).await;
            text("Reconnection test completed")
        }
        "test_header_parameter" => text(&format!("Region: {}", argument(request, "region")?)),
        "json_schema_2020_12_tool" => text(&Value::from(request.arguments.clone()).to_string()),
        "test_missing_capability" => {
            client_requests::require("sampling", context)?;
            text("The client can sample")
        }
        "test_trigger_tool_change" => announce_change(fixture, Change::Tools, context).await,
        "test_trigger_prompt_change" => announce_change(fixture, Change::Prompts, context).await,
        "test_tool_with_logging" | "test_logging_tool" => {
            client_tools::log(fixture, context).await?
        }
        "test_tool_with_progress" => client_tools::progress(context).await?,
        "test_sampling" => client_tools::sample(argument(request, "prompt")?, context).await?,
        "test_elicitation" => client_tools::elicit(argument(request, "message")?, context).await?,
        "test_elicitation_sep1034_defaults" => client_tools::elicit_defaults(context).await?,
        "test_elicitation_sep1330_enums" => client_tools::elicit_choices(context).await?,
        _ => return input_required::call(request, context),
    };
    Ok(result.into())
}

pub fn text(text: &str) -> CallToolResult {
    content([ContentBlock::text(text)])
}

/// An error result.
pub fn failure(reason: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(reason)])
}

pub fn resource(uri: &str, media_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(media_type))
}

pub fn picture() -> ContentBlock {
    ContentBlock::image(RED_PIXEL_PNG, "image/png")
}

fn content<const BLOCKS: usize>(blocks: [ContentBlock; BLOCKS]) -> CallToolResult {
    CallToolResult::success(blocks.into())
}

/// A string argument.
fn argument<'request>(
    request: &'request CallToolRequestParams,
    name: &str,
) -> Result<&'request str, ErrorData> {
    request
        .arguments
        .as_ref()
        .and_then(|arguments| arguments.get(name)?.as_str())
        .ok_or_else(|| ErrorData::invalid_params(format!("{name} has to be a text"), None))
}

/// Announces a change without changing the list.
async fn announce_change(
    fixture: &Fixture,
    change: Change,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    // A subscription is acknowledged shortly before it listens.
    sleep(TOOL_DELAY).await;
    fixture.announce(change);
    if !stateless(context) {
        // Sessions are notified without a subscription; a failed send is ignored.
        let _ = match change {
            Change::Tools => context.peer.notify_tool_list_changed().await,
            Change::Prompts => context.peer.notify_prompt_list_changed().await,
        };
    }
    text("The change is announced")
}
