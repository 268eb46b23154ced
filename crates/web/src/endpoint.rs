use crate::answer::Answer;
use crate::caller::Caller;
use crate::contract::Parameter;
use crate::contract::parameters::Query;
use crate::http::entity_tag::{EntityTag, Wanted};
use crate::http::hang_up::Peer;
use crate::http::weight::Telling;
use crate::limits::Demand;
use crate::links::Surface;
use crate::problem::Problem;
use crate::refusals;
use crate::route_table::Verb;
use crate::services::Services;
use chrono::{DateTime, TimeDelta, Utc};
use domain::account::Account;
use domain::idempotency::{OnceOnly, StoredAnswer};
use domain::ids::{AccountId, ProjectId};
use domain::project::Project;
use domain::scope::Scope;
use domain::session::PlainSession;
use domain::use_cases::repeats::Receipt;
use domain::use_cases::sessions::{Member, Place};
use serde::Serialize;
use serde_json::{Map, Value};
use std::{future::Future, net::IpAddr, pin::Pin, sync::Arc};

/// May run on any thread: what only reads runs where the storage is.
pub type Handling = Pin<Box<dyn Future<Output = Result<Answer, Problem>> + Send>>;

/// Who may call, with the handler: one that needs an agent cannot be public.
#[derive(Clone, Copy)]
pub enum Access {
    Public(fn(Arc<Services>, PublicCall) -> Handling),
    Agent(Scope, AgentHandler),
    /// What browsers report of our pages; the body comes as it is.
    Report(fn(&Services, &[u8]) -> Result<Answer, Problem>),
    Visitor(fn(Arc<Services>, VisitorCall) -> Handling),
    /// Whoever is signed in, for what concerns themselves. Answers may hold secrets: they are not kept for repeats.
    Member(fn(Arc<Services>, MemberCall) -> Handling),
    /// Whoever is signed in, for what agents may do as well.
    Session(AgentHandler),
}

pub type AgentHandler = fn(Arc<Services>, Call) -> Handling;

impl Access {
    /// `None` when no token is needed.
    pub const fn scope(&self) -> Option<Scope> {
        match self {
            Self::Agent(scope, _) => Some(*scope),
            Self::Public(_)
            | Self::Report(_)
            | Self::Visitor(_)
            | Self::Member(_)
            | Self::Session(_) => None,
        }
    }
}

/// Nothing is served that is not in the table.
pub struct Endpoint {
    pub verb: Verb,
    /// `{id}` stands for an id, a second name in braces for that of a part of it.
    pub path: &'static str,
    pub access: Access,
    /// A name for generated clients and for the capability list.
    pub operation: &'static str,
    pub summary: &'static str,
    /// What it does, what it costs and what it answers.
    pub description: &'static str,
    pub parameters: fn() -> Vec<Parameter>,
    /// The body's schema.
    pub body: Option<fn() -> Value>,
    /// Successful statuses, each with the name of the schema that is answered.
    pub answers: &'static [(u16, &'static str)],
    /// Statuses beyond those that every route has.
    pub refusals: &'static [u16],
    /// Whether answers carry an `ETag`, and the headers that name one count.
    pub is_conditional: bool,
    pub deprecated: Option<Deprecation>,
    pub tools: &'static [&'static str],
}

/// A deprecated endpoint works as it did until its sunset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deprecation {
    pub since: DateTime<Utc>,
    /// When it stops being served.
    pub sunset: DateTime<Utc>,
    /// Page that tells what takes its place.
    pub told_at: &'static str,
}

impl Deprecation {
    /// Least time between the announcement and the sunset.
    pub const LEAST_NOTICE: TimeDelta = TimeDelta::days(365);

    /// `Deprecation` (RFC 9745): a date as structured fields have it (RFC 9651, 3.3.7).
    pub fn since_field(&self) -> String {
        format!("@{}", self.since.timestamp())
    }

    /// `Sunset` (RFC 8594): a date as HTTP has it (RFC 9110, 5.6.7).
    pub fn sunset_field(&self) -> String {
        self.sunset.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    pub fn links(&self) -> String {
        let place = self.told_at;
        format!("<{place}>; rel=\"deprecation\", <{place}>; rel=\"sunset\"")
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
            answers: &[],
            refusals: &[],
            is_conditional: false,
            deprecated: None,
            tools: &[],
        }
    }

    pub fn takes(&self, parameter: &str) -> bool {
        (self.parameters)().iter().any(|it| it.name == parameter)
    }

    pub const fn surface(&self) -> Surface {
        match self.access {
            Access::Public(_) | Access::Agent(..) | Access::Report(_) => Surface::Agent,
            Access::Visitor(_) | Access::Member(_) | Access::Session(_) => Surface::Session,
        }
    }

    pub fn demand(&self) -> Demand {
        match self.verb {
            Verb::Get => Demand::Read,
            Verb::Post if ["startAnalysis", "sessionStartAnalysis"].contains(&self.operation) => {
                Demand::Analysis
            }
            Verb::Post | Verb::Put | Verb::Patch | Verb::Delete => Demand::Write,
        }
    }
}

/// Makes the documents of what is served, for the address at which it is.
#[derive(Clone, Copy)]
pub struct DocumentsOf {
    pub openapi: fn(&str) -> Value,
    pub guide: fn(&str) -> Value,
}

pub struct PublicCall {
    pub query: Query,
    /// Of the whole table, which is above its handlers.
    pub documents: DocumentsOf,
}

#[derive(Debug, Clone)]
pub struct Visitor {
    /// The address that requests are counted by.
    pub address: IpAddr,
    pub place: Place,
    /// From the browser's cookie, if it has the form of one.
    pub session: Option<PlainSession>,
}

pub struct VisitorCall {
    pub visitor: Visitor,
    pub query: Query,
    /// Empty when the method has none.
    pub body: Map<String, Value>,
}

pub struct MemberCall {
    pub member: Member,
    /// The session's secret, for what is derived from it.
    pub secret: PlainSession,
    pub visitor: Visitor,
    /// `None` when the path has none; an id that nothing has when the path holds something else.
    pub id: Option<i64>,
    pub query: Query,
    /// Empty when the method has none.
    pub body: Map<String, Value>,
}

/// Everything before it is checked already.
pub struct Call {
    pub caller: Caller,
    /// Set when the caller asks that it be executed once.
    pub once: Option<OnceOnly>,
    pub if_match: Option<Wanted>,
    /// `None` when the path has none; an id that nothing has when the path holds something else.
    pub id: Option<i64>,
    /// Of a part, as `id`.
    pub part_id: Option<i64>,
    pub path: String,
    /// As sent, for links to the next page.
    pub query_text: String,
    pub query: Query,
    /// Empty when the method has none.
    pub body: Map<String, Value>,
    pub telling: Telling,
    /// The sender's connection, where it is known: long waits check whether anybody is there.
    pub peer: Option<Peer>,
}

impl Call {
    pub fn account(&self) -> AccountId {
        self.tenant().id
    }

    pub fn tenant(&self) -> &Account {
        self.caller.account()
    }

    /// Fails where the path names something that is no id.
    pub fn project_id(&self) -> Result<ProjectId, Problem> {
        self.id.map(ProjectId).ok_or_else(refusals::no_project)
    }

    /// The project in the path as it is stored. Handlers that ask for it first tell whether it is there before they
    /// tell what is wrong with the rest of the request. Fails where the account has none such.
    pub async fn project(&self, services: &Services) -> Result<Project, Problem> {
        services.project(self.account(), self.project_id()?).await
    }

    /// Whether a thing's view has the tag that `If-Match` names.
    pub fn expects<'a, T: 'a, V: Serialize>(
        &'a self,
        view: impl Fn(&T) -> V + Sync + 'a,
    ) -> impl Fn(&T) -> bool + Sync + 'a {
        let wanted = self.if_match.as_ref();
        move |thing| wanted.is_none_or(|it| it.has_strongly(&EntityTag::of(&view(thing))))
    }

    /// Keeps the answer with the effect, when the caller sent a key.
    pub fn receipt<'a, T>(
        &'a self,
        answer: &'a (dyn Fn(&T) -> StoredAnswer + Sync),
    ) -> Option<Receipt<'a, T>> {
        let request = self.once.as_ref()?;
        Some(Receipt { request, answer })
    }
}
