//! Prompts and completion of their arguments.

use super::{
    client_requests,
    input_required::{Next, Round},
    tools::{picture, resource},
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock,
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt, PromptArgument,
        PromptMessage, Role,
    },
    service::RequestContext,
};

/// The prompt that needs input.
const WITH_INPUT: &str = "test_input_required_result_prompt";

const COMPLETIONS: [&str; 4] = ["paris", "park", "party", "test"];

pub fn list() -> Vec<Prompt> {
    vec![
        prompt("test_simple_prompt", "A text.", &[]),
        prompt(
            "test_prompt_with_arguments",
            "A text with two arguments in it.",
            &[
                ("arg1", "First test argument"),
                ("arg2", "Second test argument"),
            ],
        ),
        prompt(
            "test_prompt_with_embedded_resource",
            "A resource, and what to do with it.",
            &[("resourceUri", "URI of the resource to embed")],
        ),
        prompt(
            "test_prompt_with_image",
            "A picture, and what to do with it.",
            &[],
        ),
        prompt(WITH_INPUT, "Needs a context from the user.", &[]),
    ]
}

pub fn get(
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument(request, "arg1")?, argument(request, "arg2")?);
            vec![text(&format!(
                "Prompt with arguments: arg1='{first}', arg2='{second}'"
            ))]
        }
        "test_prompt_with_embedded_resource" => vec![
            user(resource(
                argument(request, "resourceUri")?,
                "text/plain",
                "Embedded resource content for testing.",
            )),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![user(picture()), text("Please analyze the image above.")],
        WITH_INPUT => return with_input(request, context),
        other => {
            let message = format!("Unknown prompt: {other}");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(GetPromptResult::new(messages).into())
}

/// All arguments have the same completions.
pub fn complete(request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let values = COMPLETIONS
        .into_iter()
        .filter(|value| value.starts_with(&request.argument.value))
        .map(str::to_owned)
        .collect();
    CompletionInfo::with_all_values(values)
        .map(CompleteResult::new)
        .map_err(|error| ErrorData::internal_error(error, None))
}

fn with_input(
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let round = Round::new(
        WITH_INPUT,
        request.input_responses.as_ref(),
        request.request_state.as_deref(),
    )?;
    let given = round.filled_in("user_context", "context");
    let next = given.and_then(|given| given.as_str()).map_or_else(
        || {
            let message = "What context should the prompt use?";
            let question = client_requests::field(message, "context", "string");
            Next::NeedsInput(vec![("user_context", question)], None)
        },
        |given| Next::Done(format!("Use this context: {given}")),
    );
    next.answer(WITH_INPUT, context, |reply| {
        GetPromptResult::new(vec![text(reply)]).into()
    })
}

/// A prompt with required arguments.
fn prompt(name: &str, description: &str, arguments: &[(&str, &str)]) -> Prompt {
    let arguments: Vec<_> = arguments
        .iter()
        .map(|(name, description)| {
            PromptArgument::new(*name)
                .with_description(*description)
                .with_required(true)
        })
        .collect();
    Prompt::new(
        name,
        Some(description),
        (!arguments.is_empty()).then_some(arguments),
    )
}

fn argument<'request>(
    request: &'request GetPromptRequestParams,
    name: &str,
) -> Result<&'request str, ErrorData> {
    request
        .arguments
        .as_ref()
        .and_then(|arguments| arguments.get(name)?.as_str())
        .ok_or_else(|| ErrorData::invalid_params(format!("{name} has to be a text"), None))
}

fn text(text: &str) -> PromptMessage {
    user(ContentBlock::text(text))
}

fn user(content: ContentBlock) -> PromptMessage {
    PromptMessage::new(Role::User, content)
}
