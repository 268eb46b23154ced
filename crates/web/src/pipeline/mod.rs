//! Request checks in their fixed order; each has its own status.
//!
//! URL (414) and header fields (431), route (404), method (405), token (401, or 429 for too many rejected tokens of an
//! address), scope (403), rate and concurrency (429, or 503 at the limit of the process), Accept (406), body type (415),
//! body (413, 408, 400), idempotency key (400, 422, or the stored response); then the handler: object (404),
//! values (422), state (409), budget (429), queue (503).

mod members;
mod visitors;

use crate::answer::Answer;
use crate::caller::Caller;
use crate::checks::admit::Applicant;
use crate::checks::preconditions::Preconditions;
use crate::checks::respond::{Exchange, Noted, Trace};
use crate::checks::routing::{Route, Routes, Served};
use crate::checks::{accept, admit, body, once, place, preconditions, routing, transport};
use crate::contract::parameters::Query;
use crate::endpoint::{Access, AgentHandler, Call, DocumentsOf, Endpoint, Handling, PublicCall};
use crate::http::hang_up::Peer;
use crate::http::weight::Telling;
use crate::limits::BodyLimit;
use crate::links::{Link, Operation, Surface};
use crate::mcp::{Entrance, Told};
use crate::operational::Operational;
use crate::problem::{Code, Problem};
use crate::route_table::Verb;
use crate::services::Services;
use crate::{csrf, openapi, operational, paths, policy_reports, refusals, token_revocations};
use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use domain::{ports::storage::Storage, scope::Scope};
use serde_json::{Map, Value};
use std::{rc::Rc, sync::Arc};
use tokio::sync::oneshot;
use tracing::Instrument;

const DOCUMENTS: DocumentsOf = DocumentsOf {
    openapi: openapi::document,
    guide: openapi::guide,
};

/// A request matched to an endpoint.
struct Arrived<'a> {
    request: &'a HttpRequest,
    payload: web::Payload,
    route: Route<'a>,
    served: &'a Served,
}

impl Arrived<'_> {
    fn query(&self) -> Query {
        Query::parse(self.request.query_string(), &self.served.parameters)
    }

    /// Builds the call once the caller is known.
    fn call(&self) -> impl FnOnce(Caller, Map<String, Value>) -> Call + Send + use<> {
        let (id, part_id) = (self.route.id, self.route.part_id);
        let (path, query) = (self.request.path().to_owned(), self.query());
        let query_text = self.request.query_string().to_owned();
        let peer = self.request.conn_data::<Peer>().cloned();
        move |caller, body| Call {
            caller,
            once: None,
            if_match: None,
            id,
            part_id,
            path,
            query_text,
            query,
            body,
            telling: Telling::Whole,
            peer,
        }
    }

    /// Checks Accept, then reads the body and the preconditions.
    async fn read(self, limit: BodyLimit) -> Result<(Map<String, Value>, Preconditions), Problem> {
        accept::check(self.request)?;
        let endpoint = &self.served.endpoint;
        let body = body::read(endpoint.verb, self.request, self.payload, limit).await?;
        Ok((body, preconditions::read(endpoint, self.request)?))
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
        if request.path() == paths::MCP {
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
        exchange.trace.route = paths::MCP;
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
        counted.map_err(|it| refusals::too_many(&it, admit::OWN_COUNT).closing())?;
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
        trace.surface = served.endpoint.surface();
        if trace.surface == Surface::Session {
            place::check_own_host(request, &config.public_base_url)?;
        }
        let arrived = Arrived {
            request,
            payload,
            route,
            served,
        };
        match served.endpoint.access {
            Access::Public(handler) => self.tell(&arrived, handler).await,
            Access::Report(handler) => {
                let body = self.browser_report(request, arrived.payload).await?;
                handler(&self.services, &body)
            }
            Access::Visitor(handler) => self.visit(arrived, handler).await,
            Access::Member(handler) => {
                let admitted = self.admit_member(&arrived, trace).await?;
                self.attend(arrived, admitted, handler).await
            }
            Access::Session(handler) => {
                let admitted = self.admit_member(&arrived, trace).await?;
                let caller = Caller::Member(Box::new(admitted.member));
                self.carry_out(arrived, caller, handler, &trace.id).await
            }
            Access::Agent(scope, handler) => self.serve_agent(arrived, scope, handler, trace).await,
        }
    }

    async fn tell(
        &self,
        arrived: &Arrived<'_>,
        handler: fn(Arc<Services>, PublicCall) -> Handling,
    ) -> Result<Answer, Problem> {
        let services = &self.services;
        let _slot = admit::unknown(services, admit::address(services, arrived.request))?;
        accept::check(arrived.request)?;
        let query = arrived.query();
        let handling = handler(
            Arc::clone(services),
            PublicCall {
                query,
                documents: DOCUMENTS,
            },
        );
        let wanted = preconditions::read(&arrived.served.endpoint, arrived.request)?;
        wanted.of_what_is_read(self.patiently(handling).await?)
    }

    async fn serve_agent(
        &self,
        arrived: Arrived<'_>,
        scope: Scope,
        handler: AgentHandler,
        trace: &mut Trace,
    ) -> Result<Answer, Problem> {
        let services = &self.services;
        let endpoint = &arrived.served.endpoint;
        let applicant = Applicant::of(arrived.request, services, endpoint, scope)?;
        if endpoint.verb == Verb::Get {
            return self.read(&arrived, applicant, handler, trace).await;
        }
        let admitting = applicant.admit(services, &mut trace.caller);
        let (agent, _slot) = self.patiently(admitting).await?;
        let caller = Caller::Agent(Box::new(agent));
        self.carry_out(arrived, caller, handler, &trace.id).await
    }

    /// For an authenticated caller.
    async fn carry_out(
        &self,
        arrived: Arrived<'_>,
        caller: Caller,
        handler: AgentHandler,
        request_id: &str,
    ) -> Result<Answer, Problem> {
        let services = &self.services;
        let (request, verb) = (arrived.request, arrived.served.endpoint.verb);
        let call = arrived.call();
        let (body, wanted) = arrived.read(services.config.body).await?;
        let call = Call {
            once: once::asked(request, verb, &body, caller.id())?,
            if_match: wanted.before_a_change(),
            ..call(caller, body)
        };
        let answer = once::call(services, handler, call, request_id).await?;
        wanted.of_what_is_read(answer)
    }

    /// A read has all its request data by now, so token lookup and queries run in one batch on a storage thread. Not
    /// for lists: rendering takes long and would hold the connection.
    async fn read(
        &self,
        arrived: &Arrived<'_>,
        applicant: Applicant,
        handler: AgentHandler,
        trace: &mut Trace,
    ) -> Result<Answer, Problem> {
        let services = Arc::clone(&self.services);
        let (request, served) = (arrived.request, arrived.served);
        let is_near = applicant.has_a_token_to_look_up() && !served.lists();
        let wanted =
            accept::check(request).and_then(|()| preconditions::read(&served.endpoint, request));
        let call = arrived.call();
        let reading = async move {
            let mut noted = Noted::default();
            let answer = async {
                let (agent, _slot) = applicant.admit(&services, &mut noted).await?;
                let wanted = wanted?;
                let call = call(Caller::Agent(Box::new(agent)), Map::new());
                wanted.of_what_is_read(handler(Arc::clone(&services), call).await?)
            };
            let answer = answer.await;
            (noted, answer)
        };
        // The storage thread does not know the request's span.
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
        // The receiver may have timed out.
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
        .next_action(Link::to(Operation::GetDocs), "The API's documentation")
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
