//! HTTP entry: origin, token, scope and rate limits; then rmcp handles the message.

use super::server::{McpRequest, Server};
use super::tool_call::ToolCall;
use super::{ALLOWED, Reply, Transport, tools};
use crate::checks::authenticate::AuthChallenge;
use crate::checks::respond::Trace;
use crate::checks::{admit, authenticate, body, origin_check, routing};
use crate::http::{client_disconnect, json_guard};
use crate::limits::{BodyLimit, RequestClass, Slot};
use crate::problem::{Code, Problem};
use crate::refused_authorizations;
use crate::response::{ApiResponse, EventStream};
use crate::route_table::Verb;
use crate::services::Services;
use crate::{paths, request_metrics};
use actix_web::{HttpRequest, http::Method, web};
use domain::{scope::Scope, use_cases::tokens::Agent};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;
use tracing::Span;

/// Maximum nesting; arguments are two levels deeper than in a request body.
pub const MAX_DEPTH: usize = json_guard::MAX_DEPTH + 2;

pub struct HttpEntry {
    services: Arc<Services>,
    transport: Transport<Server, NeverSessionManager>,
}

pub enum McpResponse {
    Complete(ApiResponse),
    /// Holds its slot until the last event.
    Stream(EventStream, Slot),
}

impl HttpEntry {
    pub fn new(services: Arc<Services>) -> Self {
        let server = Server::new(Arc::clone(&services));
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(services.config.body.max_bytes);
        let sessions = Arc::new(NeverSessionManager::default());
        Self {
            services,
            transport: Transport::new(move || server.clone(), sessions, config),
        }
    }

    /// Fails if the request is refused or the message cannot be processed.
    pub async fn respond(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        trace: &mut Trace,
    ) -> Result<McpResponse, Problem> {
        match *request.method() {
            Method::POST => {}
            Method::OPTIONS => {
                let types = Verb::Post.accepted_types().join(", ");
                return Ok(McpResponse::Complete(
                    routing::options(&ALLOWED).header("Accept-Post", types),
                ));
            }
            _ => return Err(only_post(request.method())),
        }
        let (services, config) = (&self.services, &self.services.config);
        origin_check::check(request, &config.public_base_url)?;
        let address = admit::address(services, request);
        let agent = self.authenticate(request, address).await?;
        trace.caller.account = Some(agent.account.id);
        trace.caller.token = Some(agent.token.id);
        body::check_type(Verb::Post, request.headers())?;
        // The slot is taken before the body is read. Without one, the body has the time limit of unknown callers and is
        // still read, since the refusal is sent as a tool result.
        let caller_key = (agent.account.id, agent.token.id.into());
        let (slot, too_many_in_flight, limit) = match admit::accepted(services, caller_key) {
            Ok(slot) => (slot, None, config.body),
            Err(problem) => {
                let slot = services.limiter.in_flight.unknown(address);
                let limit = BodyLimit {
                    timeout: config.unknown_body.timeout,
                    ..config.body
                };
                match slot {
                    Ok(slot) => (slot, Some(problem), limit),
                    Err(_) => return Err(problem),
                }
            }
        };
        let bytes = body::raw(request, payload, limit).await?;
        let message = match json_guard::parse_within(&bytes, MAX_DEPTH) {
            Ok(message) => message,
            Err(wrong) => return Ok(McpResponse::Complete(parse_error_response(&bytes, &wrong))),
        };
        if let Some(wrong) = invalid_message_reason(&message) {
            return Ok(McpResponse::Complete(invalid_request_response(
                &message, wrong,
            )));
        }
        let tool_call = parse_tool_call(message);
        self.check_scope(&agent, tool_call.as_ref())?;
        let counted = self.count(&agent, tool_call.as_ref(), trace);
        let counted = counted.and_then(|()| too_many_in_flight.map_or(Ok(()), Err));
        let tool_call = match (tool_call, counted) {
            (Some(call), Ok(())) => Some(Ok(call)),
            // A tool result reaches the model; clients treat an HTTP error as a broken connection.
            (Some(call), Err(problem)) => {
                request_metrics::count_tool_call(call.tool.name, Some(&problem));
                Some(Err(problem))
            }
            (None, counted) => {
                counted?;
                None
            }
        };
        let disconnected = CancellationToken::new();
        let mut extensions = http::Extensions::new();
        extensions.insert(Arc::new(McpRequest {
            agent,
            tool_call: Mutex::new(tool_call),
            request_id: trace.id.clone(),
            disconnected: disconnected.clone(),
            span: Span::current(),
        }));
        let answering = self.transport.respond(request, bytes.freeze(), extensions);
        let mut answering = std::pin::pin!(answering);
        let reply = tokio::select! {
            reply = &mut answering => reply,
            // A client that closed only its write half gets the current state.
            () = client_disconnect::client_disconnected(request) => {
                disconnected.cancel();
                answering.await
            }
        };
        Ok(match reply? {
            Reply::Complete(answer) => McpResponse::Complete(answer),
            Reply::Stream(stream) => McpResponse::Stream(stream, slot),
        })
    }

    async fn authenticate(&self, request: &HttpRequest, address: IpAddr) -> Result<Agent, Problem> {
        let services = &self.services;
        let challenge = self.auth_challenge(&Scope::ALL);
        let bearer = authenticate::bearer(request);
        let _lookup = admit::token_lookup(services, bearer, address)?;
        let agent = authenticate::authenticate_token(services, bearer, &challenge).await;
        agent.map_err(|problem| admit::count_refusal(services, address, problem))
    }

    fn auth_challenge<'a>(&'a self, scopes: &'a [Scope]) -> AuthChallenge<'a> {
        AuthChallenge {
            base_url: &self.services.config.public_base_url,
            resource: paths::MCP,
            scopes,
        }
    }

    /// The challenge names all scopes of the tool.
    fn check_scope(&self, agent: &Agent, tool_call: Option<&ToolCall>) -> Result<(), Problem> {
        let Some((call, needed)) = tool_call.and_then(|it| Some((it, it.endpoint.access.scope()?)))
        else {
            return Ok(());
        };
        if agent.token.scopes.contains(needed) {
            return Ok(());
        }
        refused_authorizations::note_of_agent(&self.services, agent, needed.name());
        let all: Vec<Scope> = call.tool.scopes().into_iter().collect();
        Err(authenticate::insufficient_scope(
            agent,
            &self.auth_challenge(&all),
            needed,
        ))
    }

    /// Like a request to the endpoint.
    fn count(
        &self,
        agent: &Agent,
        tool_call: Option<&ToolCall>,
        trace: &mut Trace,
    ) -> Result<(), Problem> {
        let caller_key = (agent.account.id, agent.token.id.into());
        let request_class = tool_call.map_or(RequestClass::Read, |it| it.endpoint.request_class());
        admit::count(&self.services, caller_key, request_class, &mut trace.caller)
    }
}

/// `None` for other messages and unknown tools.
pub fn parse_tool_call(mut message: Map<String, Value>) -> Option<ToolCall> {
    if message.get("method")? != "tools/call" {
        return None;
    }
    let params = message.get_mut("params")?;
    let name = params.get("name")?.as_str()?;
    let tool = tools::all().iter().find(|it| it.name == name)?;
    let arguments = match params.get_mut("arguments").map(Value::take) {
        Some(Value::Object(arguments)) => arguments,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return None,
    };
    Some(ToolCall::of(tool, arguments))
}

fn only_post(method: &Method) -> Problem {
    let problem = Problem::new(
        Code::MethodNotAllowed,
        format!("{method} is not served at this path: nothing is kept between messages."),
    );
    problem
        .with("allow", ALLOWED.to_vec())
        .hint("Send each JSON-RPC message with POST.")
        .header("Allow", ALLOWED.join(", "))
}

/// JSON-RPC error for an unparsable message.
fn parse_error_response(bytes: &[u8], wrong: &json_guard::Malformed) -> ApiResponse {
    let is_batch = bytes.trim_ascii_start().starts_with(b"[");
    let (code, text) = if is_batch {
        (
            -32_600,
            "Invalid request: send one message, not a batch".to_owned(),
        )
    } else {
        let place = format!("line {}, column {}", wrong.line, wrong.column);
        (-32_700, format!("Parse error: {} ({place})", wrong.reason))
    };
    json_rpc_error(&Value::Null, code, &text)
}

/// Why an object is not a JSON-RPC 2.0 message of MCP.
pub fn invalid_message_reason(message: &Map<String, Value>) -> Option<&'static str> {
    let is_id = |it: &Value| it.is_string() || it.is_i64();
    let params = message.get("params");
    if message.get("jsonrpc").is_none_or(|it| it != "2.0") {
        return Some("jsonrpc has to be \"2.0\"");
    }
    if message.get("id").is_some_and(|it| !is_id(it)) {
        return Some("id has to be a text or a whole number");
    }
    if params.is_some_and(|it| !it.is_object() && !it.is_null()) {
        return Some("params has to be an object");
    }
    if params
        .and_then(|it| it.get("_meta"))
        .is_some_and(|it| !it.is_object())
    {
        return Some("params._meta has to be an object");
    }
    let is_answer = message.contains_key("result") || message.contains_key("error");
    if message.get("method").is_none_or(|it| !it.is_string()) && !is_answer {
        return Some("method has to be a text");
    }
    None
}

fn invalid_request_response(message: &Map<String, Value>, wrong: &str) -> ApiResponse {
    let id = message.get("id").filter(|it| it.is_string() || it.is_i64());
    json_rpc_error(
        id.unwrap_or(&Value::Null),
        -32_600,
        &format!("Invalid request: {wrong}"),
    )
}

fn json_rpc_error(id: &Value, code: i32, text: &str) -> ApiResponse {
    let body = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } });
    let mut answer = ApiResponse::with_status(400, &body);
    answer.cache = "no-store";
    answer
}
