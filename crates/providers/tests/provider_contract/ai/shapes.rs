//! Requests and responses of each AI engine, for the contract tests.

use super::{
    super::{
        KEY, data_for_seo_at,
        fault_server::{FaultServer, Reply},
        key, serp_api_at,
    },
    Setup,
};
use analysis::observation::ai_answer::{AnswerState, CitationPart};
use domain::{money::MicroUsd, ports::search_results::ProviderError};
use providers::ai::{
    AiSettings, CompatibleSettings, GeminiSettings, GoogleSettings, ModelName, ModelSettings,
    Service,
};
use serde_json::{Value, json};
use setting::{Usd, Within};
use std::marker::PhantomData;

/// With characters of every UTF-8 length, and a citation.
pub const TEXT: &str = "Größe zählt 🦊: **Acme** ist gut";
/// The cited page.
pub const PAGE: &str = "https://acme.test/ä?b=1";
/// A search result that is not cited.
pub const FOUND: &str = "https://found.test/";

pub struct Answered {
    pub body: Value,
    pub text: String,
    /// The text before the citation, and the kind of citation.
    pub marked: Option<(&'static str, CitationPart)>,
    /// Whether the uncited search result is listed.
    pub found: bool,
    pub cost: i64,
    pub searches: Option<u32>,
}

/// One engine through one service.
pub struct Shape {
    pub name: &'static str,
    /// The engine's public name.
    pub engine: &'static str,
    /// Settings that enable this engine alone, at that server.
    pub at: fn(&FaultServer) -> Setup,
    /// A response with that text and a citation.
    pub answered: fn(&str) -> Answered,
    /// A response without a search, if the service has one.
    pub without_search: Option<fn() -> Value>,
    /// Responses that are not answers.
    pub others: fn() -> Vec<(Value, AnswerState)>,
    /// Cost of a call if it is unknown whether it was billed.
    pub max_cost: i64,
    /// An error response with that message.
    pub error_body: fn(&str) -> Value,
    /// Invalid key, exhausted account and every other error; with the number of calls made.
    pub refusals: fn() -> Vec<(Reply, ProviderError, usize)>,
    /// Errors in responses with a success status, each with its cost.
    pub inside: fn() -> Vec<(Value, ProviderError, i64)>,
    /// JSON that is not a response of this service.
    pub strange: fn() -> Vec<Value>,
}

pub const ENGINES: [Shape; 9] = [
    CHATGPT,
    PERPLEXITY,
    GEMINI,
    CLAUDE,
    COMPATIBLE,
    OVERVIEW_OF_SERP_API,
    MODE_OF_SERP_API,
    OVERVIEW_OF_DATA_FOR_SEO,
    MODE_OF_DATA_FOR_SEO,
];

pub fn model_at<S: Service>(server: &FaultServer) -> ModelSettings<S> {
    ModelSettings {
        base_url: server.address(""),
        api_key: Some(key()),
        model: ModelName("a-model".to_owned()),
        price_per_million_input: Some(Usd(1.0)),
        price_per_million_output: Some(Usd(2.0)),
        price_per_search: Usd(0.01),
        most_input_tokens: Within(1_000),
        most_output_tokens: Within(500),
        most_searches: Within(2),
        force_search: true,
        service: PhantomData,
    }
}

fn gemini_at(server: &FaultServer) -> GeminiSettings {
    GeminiSettings {
        base_url: server.address(""),
        link_base: server.address("/grounding-api-redirect/"),
        api_key: Some(key()),
        model: ModelName("a-model".to_owned()),
        price_per_million_input: Some(Usd(1.0)),
        price_per_million_output: Some(Usd(2.0)),
        price_per_search: Usd(0.01),
        most_input_tokens: Within(1_000),
        most_output_tokens: Within(500),
        most_searches: Within(2),
    }
}

fn unauthorised(status: u16, body: &Value) -> (Reply, ProviderError, usize) {
    (Reply::status(status, body), ProviderError::Unauthorized, 1)
}

fn out_of_funds(status: u16, body: &Value) -> (Reply, ProviderError, usize) {
    (Reply::status(status, body), ProviderError::OutOfFunds, 1)
}

fn refused(status: u16, body: &Value, reason: &str) -> (Reply, ProviderError, usize) {
    let reason = reason.to_owned();
    let error = ProviderError::Refused { reason };
    (Reply::status(status, body), error, 1)
}

fn limited() -> ProviderError {
    ProviderError::RateLimited { retry_after: None }
}

/// An error message that echoes the key.
fn leaking() -> String {
    format!("Incorrect key {KEY}")
}

// ---- ChatGPT

pub fn response(status: &str, output: &Value) -> Value {
    json!({
        "id": "resp_1", "object": "response", "created_at": 1_790_000_000, "status": status,
        "error": null, "incomplete_details": null, "model": "a-model-2026-11-01", "output": output,
        "usage": {"input_tokens": 100, "output_tokens": 50, "total_tokens": 150},
    })
}

pub fn message(text: &str, annotations: &Value) -> Value {
    json!({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [
        {"type": "output_text", "text": text, "annotations": annotations}
    ]})
}

fn search_call() -> Value {
    json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {
        "type": "search", "query": "shoes", "queries": ["shoes", "best shoes"],
        "sources": [{"type": "url", "url": FOUND}, {"type": "url", "url": PAGE}],
    }})
}

const LINK: &str = "([acme.test](https://acme.test/ä?b=1))";

const CHATGPT: Shape = Shape {
    name: "OpenAI",
    engine: "chatgpt",
    at: |server| {
        Setup::of(AiSettings {
            chatgpt: model_at(server),
            ..AiSettings::default()
        })
    },
    answered: |text| {
        let whole = format!("{text} {LINK}.");
        let start = text.chars().count() + 1;
        let annotation = json!({
            "type": "url_citation", "start_index": start, "end_index": start + LINK.chars().count(),
            "url": PAGE, "title": "Acme",
        });
        let opened = json!({"type": "web_search_call", "status": "completed", "action": {
            "type": "open_page", "url": PAGE}});
        let thought = json!({"type": "reasoning", "id": "rs_1", "summary": []});
        let on_the_way = json!({"type": "message", "phase": "commentary", "content": [
            {"type": "output_text", "text": "Let me look.", "annotations": []}]});
        let output = json!([
            thought,
            search_call(),
            opened,
            on_the_way,
            message(&whole, &json!([annotation]))
        ]);
        Answered {
            body: response("completed", &output),
            text: whole,
            marked: Some((LINK, CitationPart::Inline)),
            found: true,
            cost: 10_200,
            searches: Some(1),
        }
    },
    without_search: Some(|| response("completed", &json!([message("I know.", &json!([]))]))),
    others: || {
        let message_with =
            |content| json!([{"type": "message", "status": "completed", "content": content}]);
        let incomplete = |reason, output| {
            let mut body = response("incomplete", output);
            body["incomplete_details"] = json!({"reason": reason});
            body
        };
        let half = json!([message("Half an", &json!([]))]);
        vec![
            (response("completed", &json!([])), AnswerState::Empty),
            (
                response(
                    "completed",
                    &message_with(
                        json!([{"type": "refusal", "refusal": "I can't help with that."}]),
                    ),
                ),
                AnswerState::Refused,
            ),
            (
                incomplete("max_output_tokens", &half),
                AnswerState::CutShort,
            ),
            (incomplete("content_filter", &half), AnswerState::Refused),
        ]
    },
    max_cost: 22_000,
    error_body: |message| json!({"error": {"message": message, "type": "server_error", "param": null, "code": null}}),
    refusals: || {
        let error = |kind: &str, code: &str, message: &str| json!({"error": {"message": message, "type": kind, "param": null, "code": code}});
        vec![
            unauthorised(
                401,
                &error("invalid_request_error", "invalid_api_key", &leaking()),
            ),
            unauthorised(403, &error("permission_error", "none", &leaking())),
            out_of_funds(
                429,
                &error("insufficient_quota", "insufficient_quota", "You exceeded"),
            ),
            refused(
                400,
                &error("invalid_request_error", "none", &leaking()),
                "Incorrect key …",
            ),
            refused(
                404,
                &error("invalid_request_error", "model_not_found", "No such model"),
                "No such model",
            ),
        ]
    },
    inside: || {
        let failed = |code: &str| {
            let mut body = response("failed", &json!([]));
            body["error"] = json!({"code": code, "message": leaking()});
            body
        };
        let call = json!([{"type": "web_search_call", "id": "ws_1", "status": "failed"},
            message("I could not search.", &json!([]))]);
        vec![
            (failed("server_error"), ProviderError::Unavailable, 22_000),
            (failed("rate_limit_exceeded"), limited(), 22_000),
            (
                failed("invalid_prompt"),
                ProviderError::Refused {
                    reason: "Incorrect key …".to_owned(),
                },
                0,
            ),
            (
                response("completed", &call),
                ProviderError::Unavailable,
                22_000,
            ),
        ]
    },
    strange: || {
        vec![
            json!({}),
            json!([]),
            json!({"status": "completed", "output": "text"}),
            response("in_progress", &json!([])),
        ]
    },
};

// ---- Perplexity

fn results() -> Value {
    json!({"type": "search_results", "queries": ["shoes"], "results": [
        {"id": 1, "url": FOUND, "title": "Found", "snippet": "…", "source": "web"},
        {"id": 2, "url": PAGE, "title": "Acme", "snippet": "…", "source": "web"},
    ]})
}

fn agent(status: &str, output: &Value) -> Value {
    let mut body = response(status, output);
    body["usage"]["cost"] = json!({"currency": "USD", "input_cost": 0.0001, "total_cost": 0.001_19,
        "tool_calls_cost": 0.001});
    body["usage"]["tool_calls_details"] = json!({"search_web": {"invocation": 1}});
    body
}

const PERPLEXITY: Shape = Shape {
    name: "Perplexity",
    engine: "perplexity",
    at: |server| {
        Setup::of(AiSettings {
            perplexity: model_at(server),
            ..AiSettings::default()
        })
    },
    answered: |text| {
        let whole = format!("{text}[2].");
        Answered {
            body: agent(
                "completed",
                &json!([results(), message(&whole, &json!([]))]),
            ),
            text: whole,
            marked: Some(("[2]", CitationPart::Inline)),
            found: true,
            cost: 1_190,
            searches: Some(1),
        }
    },
    without_search: Some(|| {
        let mut body = agent("completed", &json!([message("I know.", &json!([]))]));
        body["usage"]["tool_calls_details"] = json!({});
        body
    }),
    others: || {
        let mut cut = agent("incomplete", &json!([message("Half an", &json!([]))]));
        cut["incomplete_details"] = json!({"reason": "max_output_tokens"});
        vec![
            (agent("completed", &json!([results()])), AnswerState::Empty),
            (cut, AnswerState::CutShort),
        ]
    },
    max_cost: 22_000,
    error_body: |message| json!({"error": {"message": message, "type": "internal_error", "code": 500}}),
    refusals: || {
        let error = |code: u16, kind: &str, message: &str| json!({"error": {"message": message, "type": kind, "code": code}});
        vec![
            unauthorised(401, &error(401, "forbidden", &leaking())),
            unauthorised(403, &error(403, "forbidden", &leaking())),
            out_of_funds(402, &error(402, "payment_required", "Top up")),
            refused(
                400,
                &error(400, "invalid_request", "unknown field \"X\""),
                "unknown field \"X\"",
            ),
        ]
    },
    inside: || {
        let failed = |status: &str| {
            let mut body = agent(status, &json!([]));
            body["error"] = json!({"message": leaking(), "type": "internal_error"});
            body
        };
        let mut limit = failed("failed");
        limit["error"]["type"] = json!("request_rate_limit_exceeded");
        vec![
            (failed("failed"), ProviderError::Unavailable, 22_000),
            (failed("cancelled"), ProviderError::Unavailable, 22_000),
            (limit, limited(), 22_000),
        ]
    },
    strange: || {
        vec![
            json!({}),
            json!({"status": "queued", "output": []}),
            json!({"choices": []}),
        ]
    },
};

// ---- Gemini

fn candidate(reason: &str, text: &str, grounding: &Value) -> Value {
    json!({
        "candidates": [{
            "content": {"role": "model", "parts": [
                {"text": "Thinking of shoes.", "thought": true},
                {"text": text},
            ]},
            "finishReason": reason, "index": 0, "groundingMetadata": grounding,
        }],
        "usageMetadata": {"promptTokenCount": 90, "toolUsePromptTokenCount": 10,
            "candidatesTokenCount": 30, "thoughtsTokenCount": 20, "totalTokenCount": 150},
        "modelVersion": "a-model-2026-11-01", "responseId": "r1",
    })
}

pub fn grounded(text: &str, uri: &str, title: &str) -> Value {
    let segment = "**Acme** ist gut";
    let start = text.find(segment).expect("the words of the test");
    let grounding = json!({
        "webSearchQueries": ["shoes"],
        "searchEntryPoint": {"renderedContent": "<div>"},
        "groundingChunks": [
            {"web": {"uri": FOUND, "title": "found.test"}},
            {"web": {"uri": uri, "title": title}},
        ],
        "groundingSupports": [{
            "segment": {"partIndex": 1, "startIndex": start, "endIndex": start + segment.len(), "text": segment},
            "groundingChunkIndices": [1], "confidenceScores": [0.9],
        }],
    });
    candidate("STOP", text, &grounding)
}

const GEMINI: Shape = Shape {
    name: "Gemini",
    engine: "gemini",
    at: |server| {
        Setup::of(AiSettings {
            gemini: gemini_at(server),
            ..AiSettings::default()
        })
    },
    answered: |text| {
        let is_marked = text.contains("**Acme** ist gut");
        Answered {
            body: if is_marked {
                grounded(text, PAGE, "acme.test")
            } else {
                candidate("STOP", text, &json!({"webSearchQueries": ["shoes"]}))
            },
            text: text.to_owned(),
            marked: is_marked.then_some(("**Acme** ist gut", CitationPart::Inline)),
            found: is_marked,
            cost: 10_200,
            searches: Some(1),
        }
    },
    without_search: Some(|| candidate("STOP", "I know.", &Value::Null)),
    others: || {
        let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"},
            "usageMetadata": {"promptTokenCount": 9}, "modelVersion": "m"});
        vec![
            (candidate("STOP", "", &Value::Null), AnswerState::Empty),
            (candidate("SAFETY", "", &Value::Null), AnswerState::Refused),
            (blocked, AnswerState::Refused),
            (
                candidate("MAX_TOKENS", "Half an", &Value::Null),
                AnswerState::CutShort,
            ),
        ]
    },
    max_cost: 22_000,
    error_body: |message| json!({"error": {"code": 500, "message": message, "status": "INTERNAL"}}),
    refusals: || {
        let error = |code: u16, status: &str, message: &str, details: Value| json!({"error": {"code": code, "message": message, "status": status, "details": details}});
        let key = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
        vec![
            unauthorised(400, &error(400, "INVALID_ARGUMENT", &leaking(), key)),
            unauthorised(403, &error(403, "PERMISSION_DENIED", &leaking(), json!([]))),
            out_of_funds(402, &error(402, "PAYMENT_REQUIRED", "Pay", json!([]))),
            refused(
                400,
                &error(400, "INVALID_ARGUMENT", &leaking(), json!([])),
                "Incorrect key …",
            ),
        ]
    },
    inside: || {
        let error =
            |status: &str| json!({"error": {"code": 429, "message": leaking(), "status": status}});
        vec![
            (error("RESOURCE_EXHAUSTED"), limited(), 22_000),
            (error("INTERNAL"), ProviderError::Unavailable, 22_000),
        ]
    },
    strange: || {
        vec![
            json!({}),
            json!({"candidates": []}),
            candidate("MALFORMED_FUNCTION_CALL", "", &Value::Null),
        ]
    },
};

// ---- Claude

fn claude(reason: &str, content: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "a-model-2026-11-01",
        "content": content, "stop_reason": reason, "stop_sequence": null,
        "usage": {"input_tokens": 60, "cache_creation_input_tokens": 30,
            "cache_read_input_tokens": 10, "output_tokens": 50,
            "server_tool_use": {"web_search_requests": 1}},
    })
}

fn use_of_tool() -> Value {
    json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "shoes"}})
}

fn tool_error(code: &str) -> Value {
    json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
        "content": {"type": "web_search_tool_result_error", "error_code": code}})
}

fn tool_results() -> Value {
    json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
        {"type": "web_search_result", "url": FOUND, "title": "Found", "encrypted_content": "E", "page_age": null},
        {"type": "web_search_result", "url": PAGE, "title": "Acme", "encrypted_content": "E"},
    ]})
}

const CLAUDE: Shape = Shape {
    name: "Anthropic",
    engine: "claude",
    at: |server| {
        Setup::of(AiSettings {
            claude: model_at(server),
            ..AiSettings::default()
        })
    },
    answered: |text| {
        let cited = " Acme hält.";
        let content = json!([
            {"type": "thinking", "thinking": "", "signature": "S"},
            use_of_tool(), tool_results(),
            {"type": "text", "text": text},
            {"type": "text", "text": cited, "citations": [{
                "type": "web_search_result_location", "url": PAGE, "title": "Acme",
                "cited_text": "…", "encrypted_index": "E"}]},
        ]);
        Answered {
            body: claude("end_turn", &content),
            text: format!("{text}{cited}"),
            marked: Some((cited, CitationPart::Inline)),
            found: true,
            cost: 10_200,
            searches: Some(1),
        }
    },
    without_search: Some(|| {
        let mut body = claude("end_turn", &json!([{"type": "text", "text": "I know."}]));
        body["usage"]["server_tool_use"] = Value::Null;
        body
    }),
    others: || {
        let half = json!([{"type": "text", "text": "Half an"}]);
        vec![
            (claude("end_turn", &json!([])), AnswerState::Empty),
            (claude("refusal", &json!([])), AnswerState::Refused),
            (claude("max_tokens", &half), AnswerState::CutShort),
            (claude("pause_turn", &half), AnswerState::CutShort),
        ]
    },
    max_cost: 22_000,
    error_body: |message| json!({"type": "error", "error": {"type": "api_error", "message": message}}),
    refusals: || {
        let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
        vec![
            unauthorised(401, &error("authentication_error", &leaking())),
            unauthorised(403, &error("permission_error", &leaking())),
            out_of_funds(402, &error("billing_error", "Pay")),
            out_of_funds(
                400,
                &error(
                    "invalid_request_error",
                    "Your credit balance is too low to access the API.",
                ),
            ),
            refused(
                400,
                &error("invalid_request_error", "tool_choice: not supported"),
                "tool_choice: not supported",
            ),
        ]
    },
    inside: || {
        let searched = |code| {
            let text = json!({"type": "text", "text": "I could not search."});
            claude("end_turn", &json!([use_of_tool(), tool_error(code), text]))
        };
        let error =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": leaking()}});
        vec![
            (searched("too_many_requests"), limited(), 22_000),
            (searched("unavailable"), ProviderError::Unavailable, 22_000),
            (
                searched("query_too_long"),
                ProviderError::Refused {
                    reason: "its search failed".to_owned(),
                },
                0,
            ),
            (error, ProviderError::Unavailable, 22_000),
        ]
    },
    strange: || {
        vec![
            json!({}),
            json!({"content": "text"}),
            json!({"content": [], "stop_reason": null}),
        ]
    },
};

// ---- A compatible endpoint

fn completion(reason: &str, message: &Value) -> Value {
    json!({
        "id": "c1", "object": "chat.completion", "model": "a-model-2026-11-01",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
    })
}

pub fn compatible_at(server: &FaultServer) -> CompatibleSettings {
    CompatibleSettings {
        base_url: Some(server.address("/v1/")),
        api_key: Some(key()),
        model: ModelName("a-model".to_owned()),
        price_per_million_input: Some(Usd(1.0)),
        price_per_million_output: Some(Usd(2.0)),
        most_input_tokens: Within(1_000),
        most_output_tokens: Within(500),
    }
}

const COMPATIBLE: Shape = Shape {
    name: "a compatible endpoint",
    engine: "compatible",
    at: |server| {
        Setup::of(AiSettings {
            compatible: compatible_at(server),
            ..AiSettings::default()
        })
    },
    answered: |text| Answered {
        body: completion("stop", &json!({"role": "assistant", "content": text})),
        text: text.to_owned(),
        marked: None,
        found: false,
        cost: 200,
        searches: Some(0),
    },
    without_search: None,
    others: || {
        let assistant_message = |content: &str| json!({"role": "assistant", "content": content});
        vec![
            (
                completion("stop", &assistant_message("")),
                AnswerState::Empty,
            ),
            (
                completion("stop", &json!({"content": null, "refusal": "No."})),
                AnswerState::Refused,
            ),
            (
                completion("content_filter", &assistant_message("")),
                AnswerState::Refused,
            ),
            (
                completion("length", &assistant_message("Half an")),
                AnswerState::CutShort,
            ),
        ]
    },
    max_cost: 2_000,
    error_body: |message| json!({"error": {"message": message, "type": "server_error"}}),
    refusals: || {
        let error =
            |kind: &str, message: &str| json!({"error": {"message": message, "type": kind}});
        vec![
            unauthorised(401, &error("invalid_api_key", &leaking())),
            out_of_funds(402, &error("insufficient_credits", "Pay")),
            refused(404, &json!({"error": "model not found"}), "model not found"),
        ]
    },
    inside: || {
        vec![(
            json!({"error": {"message": leaking(), "type": "server_error"}}),
            ProviderError::Unavailable,
            2_000,
        )]
    },
    strange: || {
        vec![
            json!({}),
            json!({"choices": []}),
            json!({"choices": [{"text": "x"}]}),
        ]
    },
};

// ---- Google's answers by SerpApi

fn google(server: &FaultServer, overview: bool, with_serp_api: bool) -> Setup {
    let mut setup = Setup::of(AiSettings {
        google: GoogleSettings {
            overview,
            mode: !overview,
            ..GoogleSettings::default()
        },
        ..AiSettings::default()
    });
    if with_serp_api {
        setup.search.serp_api = serp_api_at(server);
    } else {
        setup.search.data_for_seo = data_for_seo_at(server);
    }
    setup
}

/// Text blocks and references in SerpApi's format.
pub fn blocks(text: &str) -> Value {
    json!({
        "text_blocks": [
            {"type": "paragraph", "snippet": text, "reference_indexes": [1]},
            {"type": "list", "list": [{"title": "Form:", "snippet": "Passt."}]},
        ],
        "references": [
            {"index": 0, "title": "Found", "link": FOUND, "source": "found.test"},
            {"index": 1, "title": "Acme", "link": PAGE, "source": "acme.test"},
        ],
    })
}

fn serp_api_error(message: &str) -> Value {
    json!({"error": message})
}

fn serp_api_refusals() -> Vec<(Reply, ProviderError, usize)> {
    let error_body = serp_api_error;
    vec![
        unauthorised(401, &error_body(&format!("Invalid API key {KEY}"))),
        out_of_funds(429, &error_body("Your account has run out of searches.")),
        refused(400, &error_body(&leaking()), "Incorrect key …"),
    ]
}

fn serp_api_inside() -> Vec<(Value, ProviderError, i64)> {
    vec![
        (
            serp_api_error("Invalid API key"),
            ProviderError::Unauthorized,
            0,
        ),
        (
            serp_api_error("Missing query `q` parameter."),
            ProviderError::Refused {
                reason: "Missing query `q` parameter.".to_owned(),
            },
            0,
        ),
    ]
}

fn on_page(overview: Option<Value>) -> Value {
    let mut body = json!({
        "search_metadata": {"id": "1", "status": "Success"},
        "organic_results": [{"position": 1, "title": "A", "link": FOUND}],
    });
    if let Some(overview) = overview {
        body["ai_overview"] = overview;
    }
    body
}

fn in_mode(mut answer: Value) -> Value {
    answer["search_metadata"] = json!({"id": "1", "status": "Success"});
    answer
}

const OVERVIEW_OF_SERP_API: Shape = Shape {
    name: "AI overviews of SerpApi",
    engine: "googleAiOverview",
    at: |server| google(server, true, true),
    answered: |text| Answered {
        body: on_page(Some(blocks(text))),
        text: format!("{text}\n- Form: Passt."),
        marked: (text == TEXT).then_some((TEXT, CitationPart::Inline)),
        found: false,
        cost: 15_000,
        searches: None,
    },
    without_search: None,
    others: || vec![(on_page(None), AnswerState::NotShown)],
    max_cost: 15_000,
    error_body: serp_api_error,
    refusals: serp_api_refusals,
    inside: serp_api_inside,
    strange: || {
        vec![
            json!({}),
            on_page(Some(json!({"text_blocks": [], "references": []}))),
        ]
    },
};

const MODE_OF_SERP_API: Shape = Shape {
    name: "AI Mode of SerpApi",
    engine: "googleAiMode",
    at: |server| google(server, false, true),
    answered: |text| Answered {
        body: in_mode(blocks(text)),
        text: format!("{text}\n- Form: Passt."),
        marked: (text == TEXT).then_some((TEXT, CitationPart::Inline)),
        found: false,
        cost: 15_000,
        searches: None,
    },
    without_search: None,
    others: || vec![(in_mode(json!({"text_blocks": []})), AnswerState::Empty)],
    max_cost: 15_000,
    error_body: serp_api_error,
    refusals: serp_api_refusals,
    inside: serp_api_inside,
    strange: || vec![json!({}), json!({"text_blocks": []})],
};

// ---- Google's answers by DataForSEO

fn task(code: u32, message: &str, result: &Value) -> Value {
    let cost = if code == 20_000 || code == 40_102 {
        0.002
    } else {
        0.0
    };
    json!({"status_code": 20_000, "status_message": "Ok.", "cost": cost, "tasks": [
        {"status_code": code, "status_message": message, "cost": cost, "result": result}
    ]})
}

fn page_of(items: &Value) -> Value {
    task(
        20_000,
        "Ok.",
        &json!([{"se_results_count": 10, "items": items}]),
    )
}

fn overview_item(text: &str) -> Value {
    let reference = |url: &str, title: &str| json!({"type": "ai_overview_reference", "url": url, "title": title, "domain": "x"});
    json!({
        "type": "ai_overview", "rank_absolute": 1, "asynchronous_ai_overview": true,
        "markdown": format!("{text}\n\nMehr dazu."),
        "references": [reference(FOUND, "Found"), reference(PAGE, "Acme")],
        "items": [{"type": "ai_overview_element", "text": text, "references": [reference(PAGE, "Acme")]}],
    })
}

fn data_for_seo_refusals() -> Vec<(Reply, ProviderError, usize)> {
    let error_body = |code: u32, message: &str| json!({"status_code": code, "status_message": message, "cost": 0, "tasks": null});
    let refused_task = task(40_501, &leaking(), &Value::Null);
    vec![
        unauthorised(401, &error_body(40_100, &leaking())),
        out_of_funds(402, &error_body(40_200, "Payment required")),
        (
            Reply::ok(&error_body(40_100, &leaking())),
            ProviderError::Unauthorized,
            1,
        ),
        refused(200, &refused_task, "Incorrect key …"),
    ]
}

fn data_for_seo_inside() -> Vec<(Value, ProviderError, i64)> {
    vec![
        (
            task(40_200, "Payment required", &Value::Null),
            ProviderError::OutOfFunds,
            0,
        ),
        (
            task(40_501, &leaking(), &Value::Null),
            ProviderError::Refused {
                reason: "Incorrect key …".to_owned(),
            },
            0,
        ),
    ]
}

fn data_for_seo_answered(text: &str) -> Answered {
    Answered {
        body: page_of(&json!([overview_item(text)])),
        text: format!("{text}\n\nMehr dazu."),
        marked: (text == TEXT).then_some((TEXT, CitationPart::Inline)),
        found: false,
        cost: 2_000,
        searches: None,
    }
}

fn data_for_seo_error(message: &str) -> Value {
    json!({"status_code": 40_000, "status_message": message, "tasks": null})
}

const OVERVIEW_OF_DATA_FOR_SEO: Shape = Shape {
    name: "AI overviews of DataForSEO",
    engine: "googleAiOverview",
    at: |server| google(server, true, false),
    answered: data_for_seo_answered,
    without_search: None,
    others: || {
        let organic = json!([{"type": "organic", "url": FOUND, "title": "A"}]);
        let nothing = task(40_102, "No Search Results.", &Value::Null);
        vec![
            (page_of(&organic), AnswerState::NotShown),
            (nothing, AnswerState::NotShown),
        ]
    },
    max_cost: 4_000,
    error_body: data_for_seo_error,
    refusals: data_for_seo_refusals,
    inside: data_for_seo_inside,
    strange: || {
        vec![
            json!({}),
            json!({"status_code": 20_000, "tasks": []}),
            json!({"status_code": 20_000, "tasks": [{"status_code": 20_000, "result": []}]}),
        ]
    },
};

const MODE_OF_DATA_FOR_SEO: Shape = Shape {
    name: "AI Mode of DataForSEO",
    engine: "googleAiMode",
    at: |server| google(server, false, false),
    answered: data_for_seo_answered,
    without_search: None,
    others: || vec![(page_of(&json!([])), AnswerState::Empty)],
    max_cost: 4_000,
    error_body: data_for_seo_error,
    refusals: data_for_seo_refusals,
    inside: data_for_seo_inside,
    strange: || vec![json!({}), json!({"status_code": 20_000, "tasks": []})],
};

pub const FREE: MicroUsd = MicroUsd(0);
