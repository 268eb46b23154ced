//! One line of the route table, and the call that its handler gets.

use crate::{
    answer::Answer,
    caller::Caller,
    entity_tag::{EntityTag, Wanted},
    hang_up::Peer,
    limits::Demand,
    problem::Problem,
    query::Query,
    refusals,
    services::Services,
    weight::Telling,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    account::Account,
    idempotency::{OnceOnly, Receipt, StoredAnswer},
    ids::{AccountId, ProjectId},
    project::Project,
    scope::Scope,
    session::PlainSession,
    use_cases::{authenticate_session::Member, sign_in::Place},
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::{future::Future, net::IpAddr, pin::Pin, sync::Arc};

/// A handler's work under way. It may be done on any thread: what only reads is done where the
/// storage is.
pub type Handling = Pin<Box<dyn Future<Output = Result<Answer, Problem>> + Send>>;

/// Who may call, and what then happens: a handler that needs an agent cannot be public.
#[derive(Clone, Copy)]
pub enum Access {
    /// Everyone, without a token.
    Public(fn(Arc<Services>, PublicCall) -> Handling),
    /// Whoever holds a token with the scope.
    Agent(Scope, AgentHandler),
    /// Browsers, for what they report of pages of ours; the body comes as it is.
    Report(fn(&Services, &[u8]) -> Result<Answer, Problem>),
    /// Whoever is about to sign in.
    Visitor(fn(Arc<Services>, VisitorCall) -> Handling),
    /// Whoever is signed in, for what concerns themselves. Answers may hold secrets: they are not
    /// kept for repeats.
    Member(fn(Arc<Services>, MemberCall) -> Handling),
    /// Whoever is signed in, for what agents may do as well.
    Session(AgentHandler),
}

/// What answers a call of an agent.
pub type AgentHandler = fn(Arc<Services>, Call) -> Handling;

impl Access {
    /// The scope that is needed; `None` when no token is.
    #[must_use]
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

/// A method, as far as it is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Reads.
    Get,
    /// Creates or starts.
    Post,
    /// Sets as a whole.
    Put,
    /// Changes in part.
    Patch,
    /// Deactivates.
    Delete,
}

impl Verb {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// The body types that it reads.
    #[must_use]
    pub const fn accepted_types(self) -> &'static [&'static str] {
        match self {
            Self::Post | Self::Put => &["application/json"],
            Self::Patch => &["application/json", "application/merge-patch+json"],
            Self::Get | Self::Delete => &[],
        }
    }
}

/// One line of the route table. Nothing is served that is not in it.
pub struct Endpoint {
    /// The method.
    pub verb: Verb,
    /// The path; `{id}` stands for an id, a second name in braces for that of a part of it.
    pub path: &'static str,
    /// Who may call, and what then happens.
    pub access: Access,
    /// A name for generated clients and for the capability list.
    pub operation: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// What it does, what it costs and what it answers.
    pub description: &'static str,
    /// The query parameters.
    pub parameters: fn() -> Vec<Parameter>,
    /// The schema of the body, when there is one.
    pub body: Option<fn() -> Value>,
    /// Good statuses, with the name of the schema that is answered.
    pub answers: &'static [(u16, &'static str)],
    /// Statuses beyond those that every route has.
    pub refusals: &'static [u16],
    /// Whether answers carry an `ETag`, and the headers that name one count.
    pub is_conditional: bool,
    /// That it is on its way out; everything else is to stay.
    pub deprecated: Option<Deprecation>,
    /// The MCP tools that do the same.
    pub tools: &'static [&'static str],
}

/// That an endpoint is on its way out. What is deprecated works as it did until its sunset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deprecation {
    /// Since when.
    pub since: DateTime<Utc>,
    /// When it stops being served.
    pub sunset: DateTime<Utc>,
    /// Where it is told what takes its place.
    pub told_at: &'static str,
}

impl Deprecation {
    /// The least time between the first word of it and the end.
    pub const LEAST_NOTICE: TimeDelta = TimeDelta::days(365);

    /// `Deprecation` (RFC 9745): a date as structured fields have it (RFC 9651, 3.3.7).
    #[must_use]
    pub fn since_field(&self) -> String {
        format!("@{}", self.since.timestamp())
    }

    /// `Sunset` (RFC 8594): a date as HTTP has it (RFC 9110, 5.6.7).
    #[must_use]
    pub fn sunset_field(&self) -> String {
        self.sunset.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    /// `Link` to what is told about both.
    #[must_use]
    pub fn links(&self) -> String {
        let place = self.told_at;
        format!("<{place}>; rel=\"deprecation\", <{place}>; rel=\"sunset\"")
    }
}

impl Endpoint {
    /// Whether it reads a query parameter of that name.
    #[must_use]
    pub fn takes(&self, parameter: &str) -> bool {
        (self.parameters)().iter().any(|it| it.name == parameter)
    }

    /// Whether its answers depend on the cookies of a browser.
    #[must_use]
    pub const fn reads_cookies(&self) -> bool {
        matches!(
            self.access,
            Access::Visitor(_) | Access::Member(_) | Access::Session(_)
        )
    }

    /// What its requests are counted as.
    #[must_use]
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

/// One query parameter.
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Whether it has to be there.
    pub required: bool,
    /// Its schema.
    pub schema: Value,
}

/// What a public handler gets.
pub struct PublicCall {
    /// The query.
    pub query: Query,
}

/// What a request tells of whoever sent it, signed in or not.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The address that requests are counted by.
    pub address: IpAddr,
    /// Where it is.
    pub place: Place,
    /// The session that the browser brings along, if it has the form of one.
    pub session: Option<PlainSession>,
}

/// What a handler for visitors gets.
pub struct VisitorCall {
    /// Who calls.
    pub visitor: Visitor,
    /// The query.
    pub query: Query,
    /// The body; empty when the method has none.
    pub body: Map<String, Value>,
}

/// What a handler gets for somebody who is signed in.
pub struct MemberCall {
    /// Who calls.
    pub member: Member,
    /// The session's secret, for what is derived from it.
    pub secret: PlainSession,
    /// What the request tells besides.
    pub visitor: Visitor,
    /// The id in the path; `None` when the path has none, one that nothing has when it holds
    /// something else.
    pub id: Option<i64>,
    /// The query.
    pub query: Query,
    /// The body; empty when the method has none.
    pub body: Map<String, Value>,
}

/// What a handler gets: everything before it is checked already.
pub struct Call {
    /// Who calls.
    pub caller: Caller,
    /// That it is to be executed once, when the caller says so.
    pub once: Option<OnceOnly>,
    /// What it is to be before it is changed, when the caller says so.
    pub if_match: Option<Wanted>,
    /// The id in the path; `None` when the path has none, one that nothing has when it holds
    /// something else.
    pub id: Option<i64>,
    /// The id of a part of that in the path, in the same way.
    pub part_id: Option<i64>,
    /// The path and query as sent, for links to the next page.
    pub target: String,
    /// The path.
    pub path: String,
    /// The query's text.
    pub query_text: String,
    /// The query.
    pub query: Query,
    /// The body; empty when the method has none.
    pub body: Map<String, Value>,
    /// How the answer is told.
    pub telling: Telling,
    /// The sender's connection, where it is known: what waits for long looks whether anybody is there.
    pub peer: Option<Peer>,
}

impl Call {
    /// Whose data it is about.
    #[must_use]
    pub fn account(&self) -> AccountId {
        self.tenant().id
    }

    /// The same with all that is known of it.
    #[must_use]
    pub fn tenant(&self) -> &Account {
        self.caller.account()
    }

    /// The project in the path.
    ///
    /// # Errors
    /// The path names something that is no id.
    pub fn project_id(&self) -> Result<ProjectId, Problem> {
        self.id.map(ProjectId).ok_or_else(refusals::no_project)
    }

    /// The same as it is stored. Handlers that ask for it first tell whether it is there before
    /// they tell what is wrong with the rest of the request.
    ///
    /// # Errors
    /// There is none of the account's, or the storage fails.
    pub async fn project(&self, services: &Services) -> Result<Project, Problem> {
        services.project(self.account(), self.project_id()?).await
    }

    /// Whether a thing may be changed, which has the tag of its view.
    pub fn expects<'a, T: 'a, V: Serialize>(
        &'a self,
        view: impl Fn(&T) -> V + Sync + 'a,
    ) -> impl Fn(&T) -> bool + Sync + 'a {
        let wanted = self.if_match.as_ref();
        move |thing| wanted.is_none_or(|it| it.has_strongly(&EntityTag::of(&view(thing))))
    }

    /// Keeps the answer with the effect, when the caller's key asks for it.
    #[must_use]
    pub fn receipt<'a, T>(
        &'a self,
        answer: &'a (dyn Fn(&T) -> StoredAnswer + Sync),
    ) -> Option<Receipt<'a, T>> {
        let request = self.once.as_ref()?;
        Some(Receipt { request, answer })
    }
}
