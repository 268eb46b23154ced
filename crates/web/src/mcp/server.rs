use super::follow::{JobWait, ProgressListener};
use super::tool_call::ToolCall;
use super::tools::INSTRUCTIONS;
use super::{tool, tool_result, tools};
use crate::{
    agent_api::analyses::JobView, problem::Problem, request_metrics, response::ApiResponse,
    services::Services,
};
use domain::ids::{AccountId, JobId};
use domain::use_cases::tokens::Agent;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest,
    CustomResult, ErrorCode, Implementation, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig, Tool as Described,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

/// Cache time of the tool list, in milliseconds.
const TOOL_LIST_TTL_MS: u64 = 300_000;
const SUPPORTED_VERSIONS: [ProtocolVersion; 3] = [
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];
/// Methods of all versions: if rmcp cannot parse one, its parameters are invalid.
const METHODS: [&str; 2] = ["tools/call", "tools/list"];
/// Only in versions with a handshake.
const INITIALIZE: &str = "initialize";

static TOOL_DESCRIPTIONS: LazyLock<Vec<Described>> =
    LazyLock::new(|| tools::all().iter().map(tool::Tool::to_rmcp_tool).collect());

pub struct McpRequest {
    pub agent: Agent,
    pub tool_call: Mutex<Option<Result<ToolCall, Problem>>>,
    pub request_id: String,
    /// Canceled on client disconnect.
    pub disconnected: CancellationToken,
    /// For logs: rmcp spawns separate tasks.
    pub span: Span,
}

#[derive(Clone)]
pub struct Server {
    services: Arc<Services>,
}

impl Server {
    pub const fn new(services: Arc<Services>) -> Self {
        Self { services }
    }

    async fn run(
        &self,
        mcp_request: &McpRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let tool_call = mcp_request
            .tool_call
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(received) = tool_call else {
            return Err(ErrorData::invalid_params(
                "a message holds one call of a tool",
                None,
            ));
        };
        let refused = |problem: Problem| {
            Ok(tool_result::refused(
                &problem,
                &self.services,
                &mcp_request.request_id,
            ))
        };
        let tool_call = match received {
            Ok(call) => call,
            Err(problem) => return refused(problem),
        };
        let (tool, id, max_bytes) = (tool_call.tool, tool_call.id, tool_call.max_bytes);
        let answering = self.run_and_wait(mcp_request, tool_call, context);
        match answering.instrument(mcp_request.span.clone()).await {
            Ok(answer) => {
                request_metrics::count_tool_call(tool.name, None);
                Ok(tool_result::success(tool, &answer, id, max_bytes))
            }
            Err(problem) => {
                request_metrics::count_tool_call(tool.name, Some(&problem));
                refused(problem)
            }
        }
    }

    /// Returns the final state if the call waits for an analysis.
    async fn run_and_wait(
        &self,
        mcp_request: &McpRequest,
        tool_call: ToolCall,
        context: &RequestContext<RoleServer>,
    ) -> Result<ApiResponse, Problem> {
        let (services, agent) = (&self.services, &mcp_request.agent);
        let again = tool_call.clone_if_read();
        let wait = JobWait {
            time: tool_call.wait,
            listener: context
                .meta
                .get_progress_token()
                .map(|token| ProgressListener {
                    peer: context.peer.clone(),
                    token,
                }),
            cancellations: [context.ct.clone(), mcp_request.disconnected.clone()],
        };
        let answer = tool_call
            .run(services, agent.clone(), &mcp_request.request_id)
            .await?;
        let job = (!wait.time.is_zero())
            .then(|| single_job_id(&answer))
            .flatten();
        let Some(job) = job else {
            return Ok(answer);
        };
        let account = agent.account.id;
        let waited = wait.until_finished(services, account, JobId(job)).await;
        match again {
            Some(again) => {
                again
                    .run(services, agent.clone(), &mcp_request.request_id)
                    .await
            }
            // It was started: a failed wait must not report an error.
            None if waited.is_err() => Ok(answer),
            None => Ok(self.refreshed_job(account, answer, job).await),
        }
    }

    async fn refreshed_job(
        &self,
        account: AccountId,
        started: ApiResponse,
        job: i64,
    ) -> ApiResponse {
        let found = self.services.core.analysis(account, JobId(job)).await;
        let Ok(Some(found)) = found else {
            return started;
        };
        let was: Value = serde_json::from_str(&started.body).unwrap_or_default();
        let now = JobView {
            deduplicated: was["deduplicated"] == true,
            ..JobView::of(&found.job, found.position, self.services.core.clock.now())
        };
        let mut answer = ApiResponse::ok(&now);
        answer.headers = started.headers;
        answer
    }
}

/// `None` unless it is about a single job.
fn single_job_id(answer: &ApiResponse) -> Option<i64> {
    let body: Value = serde_json::from_str(&answer.body).ok()?;
    let job = match body["items"].as_array().map(Vec::as_slice) {
        Some([one]) if body["limit"] == 1 => one.clone(),
        Some(_) => return None,
        None => body,
    };
    job["progress"]
        .is_object()
        .then(|| job["id"].as_i64())
        .flatten()
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        // Empty lists of prompts and resources: some clients request them regardless, and treat a refusal as a broken
        // server.
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("sightline", env!("CARGO_PKG_VERSION")).with_title("Sightline"),
            )
            .with_instructions(INSTRUCTIONS.as_str())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&SUPPORTED_VERSIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let visit = mcp_request(&context)?;
        let may = |tool: &tool::Tool| {
            tool.scopes()
                .iter()
                .any(|it| visit.agent.token.scopes.contains(*it))
        };
        let listed = tools::all().iter().zip(TOOL_DESCRIPTIONS.iter());
        let listed = listed
            .filter(|(tool, _)| may(tool))
            .map(|(_, it)| it.clone());
        Ok(ListToolsResult {
            tools: listed.collect(),
            ttl_ms: Some(TOOL_LIST_TTL_MS),
            cache_scope: Some(CacheScope::Private),
            ..ListToolsResult::default()
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.get_tool(&request.name).is_none() {
            let known: Vec<&str> = tools::all().iter().map(|it| it.name).collect();
            let message = format!(
                "there is no tool `{}`; there are {}",
                crate::shortened(&request.name, 64),
                known.join(", ")
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        let visit = mcp_request(&context)?;
        Ok(self.run(&visit, &context).await?.into())
    }

    fn get_tool(&self, name: &str) -> Option<Described> {
        TOOL_DESCRIPTIONS.iter().find(|it| it.name == name).cloned()
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let version = context.protocol_version();
        let is_older = version.is_none_or(|it| it < ProtocolVersion::V_2026_07_28);
        if method == INITIALIZE && is_older {
            let message = "initialize needs protocolVersion, capabilities and clientInfo with name and version";
            return Err(ErrorData::invalid_params(message, None));
        }
        if METHODS.contains(&method.as_str()) {
            let message = format!(
                "the parameters of {method} cannot be read: name has to be a text, arguments an object"
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = format!("there is no method `{}`", crate::shortened(&method, 64));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

/// The HTTP entry put it into the request's extensions.
fn mcp_request(context: &RequestContext<RoleServer>) -> Result<Arc<McpRequest>, ErrorData> {
    let head = context.extensions.get::<http::request::Parts>();
    let visit = head.and_then(|it| it.extensions.get::<Arc<McpRequest>>());
    visit
        .cloned()
        .ok_or_else(|| ErrorData::internal_error("nobody was let in", None))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2,500 tokens of `o200k_base`, at the measured 4.2 bytes per token.
    const MAX_BYTES: usize = 10_450;

    #[test]
    fn the_tool_list_is_small_and_deterministic() {
        let list = || serde_json::to_string(&*TOOL_DESCRIPTIONS).unwrap();
        let text = list();
        assert!(text.len() <= MAX_BYTES, "{} bytes", text.len());
        assert_eq!(text, list());
    }
}
