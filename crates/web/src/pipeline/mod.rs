//! The fixed order in which every request is checked; each step has one status.
//!
//! URL (414) and header fields (431), route (404), method (405), token (401, or 429 when an
//! address sends too many that are not accepted), scope (403), rate and requests under way (429, or 503 when the
//! process has as many as it may), Accept (406), body type (415), body (413, 408, 400), idempotency key (400, 422, or the earlier
//! answer); then the handler: object (404), values (422), state (409), budget (429), queue (503).

mod accept;
pub(crate) mod admit;
pub(crate) mod authenticate;
pub(crate) mod body;
pub(crate) mod members;
pub mod once;
mod preconditions;
pub(crate) mod respond;
pub(crate) mod routing;
pub(crate) mod transport;
mod visitors;

use crate::{
    answer::Answer,
    caller::Caller,
    csrf,
    endpoint::{Access, AgentHandler, Call, Endpoint, PublicCall, Verb},
    entity_tag::Wanted,
    hang_up::Peer,
    limits::BodyLimit,
    mcp::{self, Entrance, Told},
    operational::{self, Operational},
    policy_reports,
    problem::{Code, Problem},
    query::Query,
    refusals,
    services::Services,
    token_revocations,
    weight::Telling,
};
use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use admit::Applicant;
use domain::{idempotency::OnceOnly, ports::storage::Storage};
use preconditions::Preconditions;
use respond::{Exchange, Noted, Trace};
use routing::{Route, Routes, Served};
use serde_json::{Map, Value};
use std::{rc::Rc, sync::Arc};
use tokio::sync::oneshot;
use tracing::Instrument;

/// Headers of a read, looked at once its sender is in.
struct Agreed {
    accepts: Result<(), Problem>,
    wanted: Result<Preconditions, Problem>,
}

struct Asked {
    id: Option<i64>,
    part_id: Option<i64>,
    target: String,
    path: String,
    query_text: String,
    query: Query,
    peer: Option<Peer>,
}

impl Asked {
    fn of(request: &HttpRequest, route: &Route<'_>, served: &Served) -> Self {
        Self {
            id: route.id,
            part_id: route.part_id,
            target: request.uri().to_string(),
            path: request.path().to_owned(),
            query_text: request.query_string().to_owned(),
            query: Query::parse(request.query_string(), &served.parameters),
            peer: request.conn_data::<Peer>().cloned(),
        }
    }

    fn by(
        self,
        caller: Caller,
        once: Option<OnceOnly>,
        if_match: Option<Wanted>,
        body: Map<String, Value>,
    ) -> Call {
        Call {
            caller,
            once,
            if_match,
            id: self.id,
            part_id: self.part_id,
            target: self.target,
            path: self.path,
            query_text: self.query_text,
            query: self.query,
            body,
            telling: Telling::Whole,
            peer: self.peer,
        }
    }
}

pub struct Pipeline {
    services: Arc<Services>,
    routes: Routes,
    tools: Entrance,
}

impl Pipeline {
    pub fn new(services: Arc<Services>, endpoints: Vec<Endpoint>) -> Self {
        Self {
            tools: Entrance::new(Arc::clone(&services)),
            services,
            routes: Routes::of(endpoints),
        }
    }

    /// Every refusal is a problem document.
    pub async fn serve(
        self: Rc<Self>,
        request: HttpRequest,
        payload: web::Payload,
    ) -> HttpResponse {
        let mut exchange = Exchange::begin(&request, &self.services);
        if request.path() == mcp::PATH {
            return self.serve_tools(exchange, &request, payload).await;
        }
        let span = exchange.span();
        let answering = self.answer(&request, payload, &mut exchange.trace);
        let outcome = answering.instrument(span).await;
        exchange.finish(outcome, request.method() == Method::HEAD)
    }

    async fn serve_tools(
        &self,
        mut exchange: Exchange,
        request: &HttpRequest,
        payload: web::Payload,
    ) -> HttpResponse {
        exchange.trace.route = mcp::PATH;
        let told = match transport::check(request) {
            Ok(()) => {
                let span = exchange.span();
                let answering = self.tools.answer(request, payload, &mut exchange.trace);
                answering.instrument(span).await
            }
            Err(problem) => Err(problem),
        };
        match told {
            Ok(Told::Whole(answer)) => exchange.finish(Ok(answer), false),
            Ok(Told::Stream(stream, slot)) => exchange.stream(stream, slot),
            Err(problem) => exchange.finish(Err(problem), request.method() == Method::HEAD),
        }
    }

    async fn browser_report(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
    ) -> Result<web::BytesMut, Problem> {
        let config = &self.services.config;
        let counted = self.services.limiter.count_report();
        counted.map_err(|it| admit::too_many(&it, admit::OWN_COUNT).closing())?;
        let address = admit::address(&self.services, request);
        let _slot = admit::unknown_slot(&self.services, address)?;
        csrf::check_origin(request, &config.public_base_url)?;
        let limit = BodyLimit {
            max_bytes: policy_reports::MOST_BODY,
            ..config.unknown_body
        };
        body::raw(request, payload, limit).await
    }

    async fn answer(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        trace: &mut Trace,
    ) -> Result<Answer, Problem> {
        transport::check(request)?;
        if let Some(operational) = Operational::at(request.path()) {
            trace.route = operational.template();
            return self.operate(operational, request.method()).await;
        }
        if request.path() == token_revocations::PATH {
            trace.route = token_revocations::PATH;
            return self.take_report(request, payload).await;
        }
        let route = self.routes.find(request.path()).ok_or_else(nothing_here)?;
        trace.route = route.template;
        if request.method() == Method::OPTIONS {
            return Ok(route.options());
        }
        let served = route
            .endpoint(request.method())
            .ok_or_else(|| not_allowed(request.method(), &route.allowed()))?;
        trace.deprecated = served.endpoint.deprecated;
        let config = &self.services.config;
        if served.endpoint.reads_cookies() {
            trace.reads_cookies = true;
            mcp::check_own_host(request, &config.public_base_url)?;
        }
        let (scope, handler) = match served.endpoint.access {
            Access::Public(handler) => {
                let _slot =
                    admit::unknown(&self.services, admit::address(&self.services, request))?;
                accept::check(request)?;
                let query = Query::parse(request.query_string(), &served.parameters);
                let handling = handler(Arc::clone(&self.services), PublicCall { query });
                let wanted = preconditions::read(&served.endpoint, request)?;
                return wanted.of_what_is_read(self.patiently(handling).await?);
            }
            Access::Report(handler) => {
                let body = self.browser_report(request, payload).await?;
                return handler(&self.services, &body);
            }
            Access::Visitor(handler) => {
                return self.visit(request, payload, served, handler).await;
            }
            Access::Member(handler) => {
                let admitted = self.admit_member(request, served, trace).await?;
                let asked = Asked::of(request, &route, served);
                return self
                    .attend(request, payload, admitted, asked, served, handler)
                    .await;
            }
            Access::Session(handler) => {
                let admitted = self.admit_member(request, served, trace).await;
                let asked = Asked::of(request, &route, served);
                let outcome = match admitted {
                    Ok(admitted) => {
                        self.serve_member(request, payload, admitted, asked, served, handler, trace)
                            .await
                    }
                    Err(problem) => Err(problem),
                };
                return members::in_our_words(outcome);
            }
            Access::Agent(scope, handler) => (scope, handler),
        };
        let applicant = Applicant::of(request, &self.services, &served.endpoint, scope)?;
        let asked = Asked::of(request, &route, served);
        if served.endpoint.verb == Verb::Get {
            let agreed = Agreed {
                accepts: accept::check(request),
                wanted: preconditions::read(&served.endpoint, request),
            };
            let is_near = applicant.has_a_token_to_look_up() && !served.lists();
            let reading = self.read(is_near, applicant, agreed, asked, handler, trace);
            return reading.await;
        }
        let services = &self.services;
        let admitting = applicant.admit(services, &mut trace.caller);
        let (agent, _slot) = self.patiently(admitting).await?;
        accept::check(request)?;
        let verb = served.endpoint.verb;
        let body = body::read(verb, request, payload, config.body).await?;
        let wanted = preconditions::read(&served.endpoint, request)?;
        let (once, account) = (
            once::asked(request, verb, &body, agent.token.id.into())?,
            agent.account.id,
        );
        if let Some(once) = &once
            && let Some(answer) = once::repeated(services, account, once).await?
        {
            return Ok(answer);
        }
        let caller = Caller::Agent(Box::new(agent));
        let call = asked.by(caller, once.clone(), wanted.before_a_change(), body);
        let outcome = self.patiently(handler(Arc::clone(services), call)).await;
        match &once {
            Some(once) => once::settle(services, account, once, outcome, &trace.id).await,
            None => outcome,
        }
    }

    /// A read has all it needs from the request by now, so that everything from the token to the object can be done
    /// close to the storage. Not a page of a list: writing takes long, and a held connection lets others wait.
    async fn read(
        &self,
        is_near: bool,
        applicant: Applicant,
        agreed: Agreed,
        asked: Asked,
        handler: AgentHandler,
        trace: &mut Trace,
    ) -> Result<Answer, Problem> {
        let services = Arc::clone(&self.services);
        let reading = async move {
            let mut noted = Noted::default();
            let answer = async {
                let (agent, _slot) = applicant.admit(&services, &mut noted).await?;
                agreed.accepts?;
                let wanted = agreed.wanted?;
                let caller = Caller::Agent(Box::new(agent));
                let call = asked.by(caller, None, None, Map::new());
                wanted.of_what_is_read(handler(Arc::clone(&services), call).await?)
            };
            let answer = answer.await;
            (noted, answer)
        };
        // Close to the storage is another thread, which does not know the request.
        let reading = reading.in_current_span();
        let outcome = if is_near {
            self.patiently(close_by(self.services.core.storage.as_ref(), reading))
                .await
        } else {
            self.patiently(async { Ok(reading.await) }).await
        };
        let (noted, answer) = outcome?;
        trace.caller = noted;
        answer
    }

    async fn operate(
        &self,
        operational: Operational<'_>,
        method: &Method,
    ) -> Result<Answer, Problem> {
        match *method {
            Method::GET | Method::HEAD => self.patiently(operational.answer(&self.services)).await,
            Method::OPTIONS => Ok(routing::options(&operational::ALLOWED)),
            _ => Err(not_allowed(method, &operational::ALLOWED)),
        }
    }

    async fn take_report(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
    ) -> Result<Answer, Problem> {
        match *request.method() {
            Method::OPTIONS => {
                return Ok(routing::options(&token_revocations::ALLOWED)
                    .header("Accept-Post", Verb::Post.accepted_types().join(", ")));
            }
            Method::POST => {}
            _ => return Err(not_allowed(request.method(), &token_revocations::ALLOWED)),
        }
        let _slot = admit::unknown(&self.services, admit::address(&self.services, request))?;
        accept::check(request)?;
        let limit = self.services.config.unknown_body;
        let body = body::read(Verb::Post, request, payload, limit).await?;
        self.patiently(token_revocations::take(&self.services, &body))
            .await
    }

    pub(super) async fn patiently<T>(
        &self,
        handling: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        self.services.patiently(handling).await
    }
}

async fn close_by<T: Send + 'static>(
    storage: &dyn Storage,
    reading: impl Future<Output = T> + Send + 'static,
) -> Result<T, Problem> {
    let (tell, told) = oneshot::channel();
    let reading = async move {
        // Whoever asked may have given up waiting.
        let _ = tell.send(reading.await);
    };
    let done = storage.close_by(Box::pin(reading)).await;
    done.map_err(|error| refusals::storage(&error))?;
    let lost = |_| Problem::new(Code::InternalError, "What was read got lost on the way.");
    told.await.map_err(lost)
}

fn nothing_here() -> Problem {
    let problem = Problem::new(Code::NotFound, "Nothing is served at this path.");
    problem
        .hint("GET /api/agent/v1/docs lists every path.")
        .next_action("GET", "/api/agent/v1/docs", "The API's documentation")
}

fn not_allowed(method: &Method, allowed: &[&'static str]) -> Problem {
    let problem = Problem::new(
        Code::MethodNotAllowed,
        format!("{method} is not served at this path."),
    );
    let problem = problem
        .with("allow", allowed.to_vec())
        .hint(format!("Use one of {}.", allowed.join(", ")));
    problem.header("Allow", allowed.join(", "))
}

impl Verb {
    /// HEAD reads like GET.
    pub fn of(method: &Method) -> Option<Self> {
        match *method {
            Method::GET | Method::HEAD => Some(Self::Get),
            Method::POST => Some(Self::Post),
            Method::PUT => Some(Self::Put),
            Method::PATCH => Some(Self::Patch),
            Method::DELETE => Some(Self::Delete),
            _ => None,
        }
    }
}
