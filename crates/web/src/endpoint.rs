use crate::caller::Caller;
use crate::contract::Parameter;
use crate::contract::parameters::Query;
use crate::http::byte_budget::Verbosity;
use crate::http::client_disconnect::Peer;
use crate::http::entity_tag::{ETagCondition, EntityTag};
use crate::limits::RequestClass;
use crate::links::Surface;
use crate::problem::{Code, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::route_table::Verb;
use crate::services::Services;
use chrono::{DateTime, TimeDelta, Utc};
use domain::account::Account;
use domain::idempotency::{IdempotentRequest, StoredResponse};
use domain::ids::{AccountId, ProjectId};
use domain::project::Project;
use domain::rights::Right;
use domain::scope::Scope;
use domain::session::PlainSession;
use domain::use_cases::idempotency::IdempotencyWriter;
use domain::use_cases::sessions::{ClientInfo, Member};
use serde::Serialize;
use serde_json::{Map, Value};
use std::{future::Future, net::IpAddr, pin::Pin, sync::Arc};

/// `Send`, since reads may run on a storage thread.
pub type HandlerFuture = Pin<Box<dyn Future<Output = Result<ApiResponse, Problem>> + Send>>;

/// Pairs access with the handler's type: a handler that needs an agent cannot be public.
#[derive(Clone, Copy)]
pub enum Access {
    Public(fn(Arc<Services>, PublicCall) -> HandlerFuture),
    Agent(Scope, AgentHandler),
    /// CSP reports of our pages; the body is not parsed.
    Report(fn(&Services, &[u8]) -> Result<ApiResponse, Problem>),
    /// Mail programs of recipients (RFC 8058), which send neither session nor origin.
    Mail(fn(Arc<Services>, MailCall) -> HandlerFuture),
    Visitor(fn(Arc<Services>, VisitorCall) -> HandlerFuture),
    /// A member with the right, with a handler of its own. Responses may contain secrets, so they are never stored for
    /// replay.
    Member(Right, fn(Arc<Services>, MemberCall) -> HandlerFuture),
    /// A person with the operator's mark who gave the password recently.
    Operator(fn(Arc<Services>, MemberCall) -> HandlerFuture),
    /// A member with the right, with a handler shared with agents.
    Session(Right, AgentHandler),
}

pub type AgentHandler = fn(Arc<Services>, Call) -> HandlerFuture;

impl Access {
    /// `None` when no token is needed.
    pub const fn scope(&self) -> Option<Scope> {
        match self {
            Self::Agent(scope, _) => Some(*scope),
            Self::Public(_)
            | Self::Report(_)
            | Self::Mail(_)
            | Self::Visitor(_)
            | Self::Member(..)
            | Self::Operator(_)
            | Self::Session(..) => None,
        }
    }

    /// `None` when no session is needed.
    pub const fn right(&self) -> Option<Right> {
        match self {
            Self::Member(right, _) | Self::Session(right, _) => Some(*right),
            Self::Public(_)
            | Self::Agent(..)
            | Self::Report(_)
            | Self::Mail(_)
            | Self::Visitor(_)
            | Self::Operator(_) => None,
        }
    }
}

/// A row of the route table.
pub struct Endpoint {
    pub verb: Verb,
    /// `{id}` is an id, a second placeholder that of a nested resource.
    pub path: &'static str,
    pub access: Access,
    /// Operation id of generated clients and the capability list.
    pub operation: &'static str,
    pub summary: &'static str,
    /// Effect, cost and response.
    pub description: &'static str,
    pub parameters: fn() -> Vec<Parameter>,
    /// Schema of the body.
    pub body: Option<fn() -> Value>,
    /// Success statuses with their schema names.
    pub responses: &'static [(u16, &'static str)],
    /// Error statuses beyond the common ones.
    pub error_statuses: &'static [u16],
    /// Whether responses carry an `ETag` and conditional headers are read.
    pub is_conditional: bool,
    pub deprecated: Option<Deprecation>,
    pub tools: &'static [&'static str],
}

/// A deprecated endpoint works unchanged until its sunset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deprecation {
    pub since: DateTime<Utc>,
    /// No longer served from then on.
    pub sunset: DateTime<Utc>,
    /// URL that describes the replacement.
    pub documentation_url: &'static str,
}

impl Deprecation {
    /// Between the announcement and the sunset.
    pub const MIN_NOTICE: TimeDelta = TimeDelta::days(365);

    /// `Deprecation` (RFC 9745): a structured-field date (RFC 9651, 3.3.7).
    pub fn since_field(&self) -> String {
        format!("@{}", self.since.timestamp())
    }

    /// `Sunset` (RFC 8594): an HTTP date (RFC 9110, 5.6.7).
    pub fn sunset_field(&self) -> String {
        self.sunset.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    pub fn links(&self) -> String {
        let url = self.documentation_url;
        format!("<{url}>; rel=\"deprecation\", <{url}>; rel=\"sunset\"")
    }
}

impl Endpoint {
    pub const fn plain(
        verb: Verb,
        path: &'static str,
        access: Access,
        operation: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            verb,
            path,
            access,
            operation,
            summary,
            description: summary,
            parameters: Vec::new,
            body: None,
            responses: &[],
            error_statuses: &[],
            is_conditional: false,
            deprecated: None,
            tools: &[],
        }
    }

    pub fn has_parameter(&self, parameter: &str) -> bool {
        (self.parameters)().iter().any(|it| it.name == parameter)
    }

    pub const fn surface(&self) -> Surface {
        match self.access {
            Access::Public(_) | Access::Agent(..) | Access::Report(_) => Surface::Agent,
            Access::Mail(_)
            | Access::Visitor(_)
            | Access::Member(..)
            | Access::Operator(_)
            | Access::Session(..) => Surface::Session,
        }
    }

    pub fn request_class(&self) -> RequestClass {
        match self.verb {
            Verb::Get => RequestClass::Read,
            Verb::Post if ["startAnalysis", "sessionStartAnalysis"].contains(&self.operation) => {
                RequestClass::Analysis
            }
            Verb::Post | Verb::Put | Verb::Patch | Verb::Delete => RequestClass::Write,
        }
    }
}

/// Builds the documents for a base URL.
#[derive(Clone, Copy)]
pub struct DocumentBuilders {
    pub openapi: fn(&str) -> Value,
    pub guide: fn(&str) -> Value,
}

pub struct PublicCall {
    pub query: Query,
    /// Passed in, since the route table depends on its handlers.
    pub documents: DocumentBuilders,
}

/// The body says nothing.
pub struct MailCall {
    pub query: Query,
}

#[derive(Debug, Clone)]
pub struct Visitor {
    /// Client address for rate limits.
    pub address: IpAddr,
    pub place: ClientInfo,
    /// From the cookie, if well-formed.
    pub session: Option<PlainSession>,
}

pub struct VisitorCall {
    pub visitor: Visitor,
    pub query: Query,
    /// Empty for methods without a body.
    pub body: Map<String, Value>,
}

pub struct MemberCall {
    pub member: Member,
    /// For deriving the CSRF token.
    pub secret: PlainSession,
    pub visitor: Visitor,
    /// `None` if the route has none; a nonexistent id if the segment is invalid.
    pub id: Option<i64>,
    pub query: Query,
    /// Empty for methods without a body.
    pub body: Map<String, Value>,
}

/// An authorized request; all earlier checks have passed.
pub struct Call {
    pub caller: Caller,
    /// Set if the request carried an idempotency key.
    pub idempotent_request: Option<IdempotentRequest>,
    pub if_match: Option<ETagCondition>,
    /// `None` if the route has none; a nonexistent id if the segment is invalid.
    pub id: Option<i64>,
    /// Of a nested resource, as `id`.
    pub part_id: Option<i64>,
    pub path: String,
    /// As sent, for links to the next page.
    pub query_text: String,
    pub query: Query,
    /// Empty for methods without a body.
    pub body: Map<String, Value>,
    pub verbosity: Verbosity,
    /// The client's connection, if known, so that long waits detect a disconnect.
    pub peer: Option<Peer>,
}

impl Call {
    pub fn account(&self) -> AccountId {
        self.tenant().id
    }

    pub fn tenant(&self) -> &Account {
        self.caller.account()
    }

    /// The signed-in member; fails for an agent.
    pub fn member(&self) -> Result<&Member, Problem> {
        match &self.caller {
            Caller::Member(member) => Ok(member),
            Caller::Agent(_) | Caller::Tool(_) => {
                let detail = "This needs a signed-in session.";
                Err(Problem::new(Code::SessionRequired, detail))
            }
        }
    }

    /// Fails if the route has no id.
    pub fn project_id(&self) -> Result<ProjectId, Problem> {
        self.id.map(ProjectId).ok_or_else(refusals::no_project)
    }

    /// The project in the path. Handlers call this first, so that 404 precedes 422.
    pub async fn project(&self, services: &Services) -> Result<Project, Problem> {
        services.project(self.account(), self.project_id()?).await
    }

    /// Whether the current view has the tag of `If-Match`.
    pub fn expects<'a, T: 'a, V: Serialize>(
        &'a self,
        view: impl Fn(&T) -> V + Sync + 'a,
    ) -> impl Fn(&T) -> bool + Sync + 'a {
        let wanted = self.if_match.as_ref();
        move |resource| wanted.is_none_or(|it| it.matches_strong(&EntityTag::of(&view(resource))))
    }

    /// Stores the response in the same transaction if the request carried an Idempotency-Key.
    pub fn idempotency_writer<'a, T>(
        &'a self,
        answer: &'a (dyn Fn(&T) -> StoredResponse + Sync),
    ) -> Option<IdempotencyWriter<'a, T>> {
        let request = self.idempotent_request.as_ref()?;
        Some(IdempotencyWriter {
            request,
            to_response: answer,
        })
    }
}
