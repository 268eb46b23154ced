//! Requests that need input: the server responds with requests, and the client retries with their results.

use super::{client_requests, request_state, tools};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, InputRequests, InputRequiredResult, InputResponses,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

pub struct Round<'request> {
    name: &'request str,
    answers: Option<&'request InputResponses>,
    state: Option<Value>,
}

/// The next step after a round.
pub enum Next {
    /// All input is present.
    Done(String),
    /// Open requests, and the state to return with their results.
    NeedsInput(Vec<(&'static str, Value)>, Option<Value>),
}

impl<'request> Round<'request> {
    /// Refuses a state that is not from this server or belongs to another request.
    pub fn new(
        name: &'request str,
        answers: Option<&'request InputResponses>,
        state: Option<&str>,
    ) -> Result<Self, ErrorData> {
        let state = state.map(request_state::open).transpose()?;
        if state.as_ref().is_some_and(|state| state["for"] != name) {
            return Err(ErrorData::invalid_params(
                "requestState belongs to another request",
                None,
            ));
        }
        Ok(Self {
            name,
            answers,
            state,
        })
    }

    /// The field's value, if the form was accepted.
    pub fn filled_in(&self, question: &str, field: &str) -> Option<&Value> {
        let answer = self.answer(question)?;
        (answer["action"] == "accept")
            .then(|| answer["content"].get(field))
            .flatten()
    }

    fn filled_in_text(&self, question: &str, field: &str) -> Option<&str> {
        self.filled_in(question, field)?.as_str()
    }

    fn sampled(&self, question: &str) -> Option<&str> {
        self.answer(question)?["content"]["text"].as_str()
    }

    fn root_count(&self, question: &str) -> Option<usize> {
        self.answer(question)?["roots"].as_array().map(Vec::len)
    }

    fn answer(&self, question: &str) -> Option<&Value> {
        self.answers?.get(question)
    }
}

impl Next {
    /// The protocol's response: the open requests, or the result.
    pub fn answer<Response: From<InputRequiredResult>>(
        self,
        name: &str,
        context: &RequestContext<RoleServer>,
        done: impl FnOnce(&str) -> Response,
    ) -> Result<Response, ErrorData> {
        let (questions, state) = match self {
            Self::Done(text) => return Ok(done(&text)),
            Self::NeedsInput(questions, state) => (questions, state),
        };
        let mut requests = InputRequests::new();
        for (key, question) in questions {
            client_requests::require(client_requests::capability(&question), context)?;
            let request =
                serde_json::from_value(question).expect("this is a request of the protocol");
            requests.insert(key.to_owned(), request);
        }
        let state = state.map(|mut state| {
            // Binds the state to this request.
            state["for"] = json!(name);
            request_state::seal(&state)
        });
        Ok(InputRequiredResult::new(Some(requests), state).into())
    }
}

pub fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let round = Round::new(
        &request.name,
        request.input_responses.as_ref(),
        request.request_state.as_deref(),
    )?;
    let next = match round.name {
        "test_input_required_result_elicitation" => name(&round),
        "test_input_required_result_sampling" => capital(&round),
        "test_input_required_result_list_roots" => roots(&round),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state"
        | "test_streaming_elicitation" => confirmation(&round),
        "test_input_required_result_multiple_inputs" => multiple_inputs(&round),
        "test_input_required_result_multi_round" => multi_round(&round),
        "test_input_required_result_capabilities" => supported_inputs(&round, context),
        other => {
            let message = format!("Unknown tool: {other}");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    next.answer(round.name, context, |text| tools::text(text).into())
}

fn name(round: &Round) -> Next {
    round.filled_in_text("user_name", "name").map_or_else(
        || Next::NeedsInput(vec![("user_name", name_question())], None),
        |name| Next::Done(format!("Hello, {name}!")),
    )
}

fn capital(round: &Round) -> Next {
    let question = client_requests::sampling("What is the capital of France?", 100);
    round.sampled("capital_question").map_or_else(
        || Next::NeedsInput(vec![("capital_question", question)], None),
        |reply| Next::Done(reply.to_owned()),
    )
}

fn roots(round: &Round) -> Next {
    let given = round.answer("client_roots");
    given
        .filter(|answer| answer["roots"].is_array())
        .map_or_else(
            || Next::NeedsInput(vec![("client_roots", client_requests::roots())], None),
            |answer| Next::Done(format!("Roots: {}", answer["roots"])),
        )
}

fn confirmation(round: &Round) -> Next {
    let confirmed = round.filled_in("confirm", "ok").and_then(Value::as_bool);
    match (confirmed, &round.state) {
        (Some(ok), Some(_)) => Next::Done(format!("state-ok, confirmed: {ok}")),
        _ => Next::NeedsInput(
            vec![(
                "confirm",
                client_requests::field("Please confirm", "ok", "boolean"),
            )],
            Some(json!({})),
        ),
    }
}

fn multiple_inputs(round: &Round) -> Next {
    let given = (
        round.filled_in_text("user_name", "name"),
        round.sampled("greeting"),
        round.root_count("client_roots"),
    );
    match (given, &round.state) {
        ((Some(name), Some(greeting), Some(count)), Some(_)) => {
            Next::Done(format!("{greeting} {name} has {count} roots."))
        }
        _ => Next::NeedsInput(
            vec![
                ("user_name", name_question()),
                (
                    "greeting",
                    client_requests::sampling("Generate a greeting", 50),
                ),
                ("client_roots", client_requests::roots()),
            ],
            Some(json!({})),
        ),
    }
}

fn multi_round(round: &Round) -> Next {
    // From the second round on, the state contains the name.
    let known = round
        .state
        .as_ref()
        .and_then(|state| state["name"].as_str());
    match (known, round.state.is_some()) {
        (Some(name), _) => round.filled_in_text("step2", "color").map_or_else(
            || second_step(name),
            |color| Next::Done(format!("{name} likes {color}.")),
        ),
        (None, true) => round
            .filled_in_text("step1", "name")
            .map_or_else(first_step, second_step),
        (None, false) => first_step(),
    }
}

fn first_step() -> Next {
    let question = client_requests::field("Step 1: What is your name?", "name", "string");
    Next::NeedsInput(vec![("step1", question)], Some(json!({})))
}

fn second_step(name: &str) -> Next {
    let message = "Step 2: What is your favorite color?";
    let question = client_requests::field(message, "color", "string");
    Next::NeedsInput(vec![("step2", question)], Some(json!({ "name": name })))
}

fn supported_inputs(round: &Round, context: &RequestContext<RoleServer>) -> Next {
    let questions: Vec<_> = [
        ("user_name", name_question()),
        (
            "greeting",
            client_requests::sampling("Generate a greeting", 50),
        ),
        ("client_roots", client_requests::roots()),
    ]
    .into_iter()
    .filter(|(key, question)| {
        client_requests::declared(client_requests::capability(question), context)
            && round.answer(key).is_none()
    })
    .collect();
    if questions.is_empty() {
        return Next::Done("There is nothing more to ask.".to_owned());
    }
    Next::NeedsInput(questions, None)
}

fn name_question() -> Value {
    client_requests::field("What is your name?", "name", "string")
}
