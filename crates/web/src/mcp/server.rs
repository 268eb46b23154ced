use super::asked::Asked;
use super::follow::{Listener, Wait};
use super::tools::INSTRUCTIONS;
use super::{outcome, tool, tools};
use crate::{
    agent_api::analyses::JobView, answer::Answer, counted, problem::Problem, services::Services,
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
const HOLDS: u64 = 300_000;
const SPOKEN: [ProtocolVersion; 3] = [
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];
/// Methods of all versions: if rmcp cannot parse one, its parameters are invalid.
const METHODS: [&str; 2] = ["tools/call", "tools/list"];
/// Only in versions with a handshake.
const HANDSHAKE: &str = "initialize";

static DESCRIBED: LazyLock<Vec<Described>> =
    LazyLock::new(|| tools::all().iter().map(tool::Tool::described).collect());

pub struct Visit {
    pub agent: Agent,
    pub asked: Mutex<Option<Result<Asked, Problem>>>,
    pub request_id: String,
    /// Canceled on client disconnect.
    pub given_up: CancellationToken,
    /// For logs: rmcp spawns tasks of its own.
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
        visit: &Visit,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let asked = visit
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(asked) = asked else {
            return Err(ErrorData::invalid_params(
                "a message holds one call of a tool",
                None,
            ));
        };
        let refused = |problem: Problem| {
            Ok(outcome::refused(
                &problem,
                &self.services,
                &visit.request_id,
            ))
        };
        let asked = match asked {
            Ok(asked) => asked,
            Err(problem) => return refused(problem),
        };
        let (tool, id, most_bytes) = (asked.tool, asked.id, asked.most_bytes);
        let answering = self.answered(visit, asked, context);
        match answering.instrument(visit.span.clone()).await {
            Ok(answer) => {
                counted::tool_called(tool.name, None);
                Ok(outcome::good(tool, &answer, id, most_bytes))
            }
            Err(problem) => {
                counted::tool_called(tool.name, Some(&problem));
                refused(problem)
            }
        }
    }

    /// Returns the final state if the call waits for an analysis.
    async fn answered(
        &self,
        visit: &Visit,
        asked: Asked,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, Problem> {
        let (services, agent) = (&self.services, &visit.agent);
        let again = asked.again();
        let wait = Wait {
            time: asked.wait,
            listener: context.meta.get_progress_token().map(|token| Listener {
                peer: context.peer.clone(),
                token,
            }),
            given_up: [context.ct.clone(), visit.given_up.clone()],
        };
        let answer = asked
            .run(services, agent.clone(), &visit.request_id)
            .await?;
        let job = (!wait.time.is_zero()).then(|| job_of(&answer)).flatten();
        let Some(job) = job else {
            return Ok(answer);
        };
        let account = agent.account.id;
        let waited = wait.until_it_ends(services, account, JobId(job)).await;
        match again {
            Some(again) => again.run(services, agent.clone(), &visit.request_id).await,
            // It was started: a failed wait must not report an error.
            None if waited.is_err() => Ok(answer),
            None => Ok(self.as_it_is_now(account, answer, job).await),
        }
    }

    async fn as_it_is_now(&self, account: AccountId, started: Answer, job: i64) -> Answer {
        let found = self.services.core.analysis(account, JobId(job)).await;
        let Ok(Some(found)) = found else {
            return started;
        };
        let was: Value = serde_json::from_str(&started.body).unwrap_or_default();
        let now = JobView {
            deduplicated: was["deduplicated"] == true,
            ..JobView::of(&found.job, found.position, self.services.core.clock.now())
        };
        let mut answer = Answer::ok(&now);
        answer.headers = started.headers;
        answer
    }
}

/// `None` unless it is about a single job.
fn job_of(answer: &Answer) -> Option<i64> {
    let told: Value = serde_json::from_str(&answer.body).ok()?;
    let job = match told["items"].as_array().map(Vec::as_slice) {
        Some([one]) if told["limit"] == 1 => one.clone(),
        Some(_) => return None,
        None => told,
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
        Cow::Borrowed(&SPOKEN)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let visit = visit_of(&context)?;
        let may = |tool: &tool::Tool| {
            tool.scopes()
                .iter()
                .any(|it| visit.agent.token.scopes.contains(*it))
        };
        let listed = tools::all().iter().zip(DESCRIBED.iter());
        let listed = listed
            .filter(|(tool, _)| may(tool))
            .map(|(_, it)| it.clone());
        Ok(ListToolsResult {
            tools: listed.collect(),
            ttl_ms: Some(HOLDS),
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
        let visit = visit_of(&context)?;
        Ok(self.run(&visit, &context).await?.into())
    }

    fn get_tool(&self, name: &str) -> Option<Described> {
        DESCRIBED.iter().find(|it| it.name == name).cloned()
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let version = context.protocol_version();
        let is_older = version.is_none_or(|it| it < ProtocolVersion::V_2026_07_28);
        if method == HANDSHAKE && is_older {
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
fn visit_of(context: &RequestContext<RoleServer>) -> Result<Arc<Visit>, ErrorData> {
    let head = context.extensions.get::<http::request::Parts>();
    let visit = head.and_then(|it| it.extensions.get::<Arc<Visit>>());
    visit
        .cloned()
        .ok_or_else(|| ErrorData::internal_error("nobody was let in", None))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2,500 tokens of `o200k_base`, at the measured 4.2 bytes per token.
    const MOST_BYTES: usize = 10_450;

    #[test]
    fn the_list_of_tools_is_small_and_the_same_each_time() {
        let list = || serde_json::to_string(&*DESCRIBED).unwrap();
        let text = list();
        assert!(text.len() <= MOST_BYTES, "{} bytes", text.len());
        assert_eq!(text, list());
    }
}
