//! Request checks in their fixed order; each has its own status.
//!
//! URL (414) and header fields (431), route (404), method (405), token (401, or 429 for too many rejected tokens of an
//! address), scope (403), rate and concurrency (429, or 503 at the limit of the process), Accept (406), body type (415),
//! body (413, 408, 400), idempotency key (400, 422, or the stored response); then the handler: object (404),
//! values (422), state (409), budget (429), queue (503).

mod members;
mod visitors;

use crate::caller::Caller;
use crate::checks::admit::AuthRequest;
use crate::checks::preconditions::Preconditions;
use crate::checks::respond::{CallerInfo, Exchange, Trace};
use crate::checks::routing::{Route, RouteEntry, Routes};
use crate::checks::{
    accept, admit, body, idempotency, origin_check, preconditions, routing, transport,
};
use crate::contract::parameters::Query;
use crate::endpoint::{
    Access, AgentHandler, Call, DocumentBuilders, Endpoint, HandlerFuture, PublicCall,
};
use crate::http::byte_budget::Verbosity;
use crate::http::client_disconnect::Peer;
use crate::limits::BodyLimit;
use crate::links::{Link, Operation, Surface};
use crate::mcp::{HttpEntry, McpResponse};
use crate::operational::Operational;
use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::route_table::{Verb, capture_ids};
use crate::services::Services;
use crate::{csp_reports, csrf, openapi, operational, paths, refusals, token_revocations};
use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use domain::{ports::storage::Storage, rights::Right, scope::Scope};
use serde_json::{Map, Value};
use std::{rc::Rc, sync::Arc};
use tokio::sync::oneshot;
use tracing::Instrument;

const DOCUMENTS: DocumentBuilders = DocumentBuilders {
    openapi: openapi::document,
    guide: openapi::guide,
};

/// A request matched to an endpoint.
struct RoutedRequest<'a> {
    request: &'a HttpRequest,
    payload: web::Payload,
    route: Route<'a>,
    entry: &'a RouteEntry,
}

impl RoutedRequest<'_> {
    fn query(&self) -> Query {
        Query::parse(self.request.query_string(), &self.entry.parameters)
    }

    /// Builds the call once the caller is known.
    fn call(&self) -> impl FnOnce(Caller, Map<String, Value>) -> Call + Send + use<> {
        let (id, part_id) = (self.route.id, self.route.part_id);
        let (path, query) = (self.request.path().to_owned(), self.query());
        let query_text = self.request.query_string().to_owned();
        let peer = self.request.conn_data::<Peer>().cloned();
        move |caller, body| Call {
            caller,
            idempotent_request: None,
            if_match: None,
            id,
            part_id,
            path,
            query_text,
            query,
            body,
            verbosity: Verbosity::Full,
            peer,
        }
    }

    /// Checks Accept, then reads the body and the preconditions.
    async fn read(self, limit: BodyLimit) -> Result<(Map<String, Value>, Preconditions), Problem> {
        accept::check(self.request)?;
        let endpoint = &self.entry.endpoint;
        let body = body::read(endpoint.verb, self.request, self.payload, limit).await?;
        Ok((body, preconditions::read(endpoint, self.request)?))
    }
}

pub struct Pipeline {
    services: Arc<Services>,
    routes: Routes,
    tools: HttpEntry,
}

impl Pipeline {
    pub fn new(services: Arc<Services>, endpoints: Vec<Endpoint>) -> Self {
        Self {
            tools: HttpEntry::new(Arc::clone(&services)),
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
        let answering = self.respond(&request, payload, &mut exchange.trace);
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
        let response = match transport::check(request) {
            Ok(()) => {
                let span = exchange.span();
                let answering = self.tools.respond(request, payload, &mut exchange.trace);
                answering.instrument(span).await
            }
            Err(problem) => Err(problem),
        };
        match response {
            Ok(McpResponse::Complete(answer)) => exchange.finish(Ok(answer), false),
            Ok(McpResponse::Stream(stream, slot)) => exchange.stream(stream, slot),
            Err(problem) => exchange.finish(Err(problem), request.method() == Method::HEAD),
        }
    }

    async fn read_browser_report(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
    ) -> Result<web::BytesMut, Problem> {
        let config = &self.services.config;
        let counted = self.services.limiter.count_report();
        counted.map_err(|it| {
            refusals::too_many(&it, admit::SEPARATE_COUNT_HINT).closing_connection()
        })?;
        let address = admit::address(&self.services, request);
        let _slot = admit::unknown_slot(&self.services, address)?;
        csrf::check_origin(request, &config.public_base_url)?;
        let limit = BodyLimit {
            max_bytes: csp_reports::MAX_BODY,
            ..config.unknown_body
        };
        body::raw(request, payload, limit).await
    }

    async fn respond(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        trace: &mut Trace,
    ) -> Result<ApiResponse, Problem> {
        transport::check(request)?;
        if let Some(operational) = Operational::at(request.path()) {
            trace.route = operational.template();
            return self.serve_operational(operational, request.method()).await;
        }
        if request.path() == token_revocations::PATH {
            trace.route = token_revocations::PATH;
            return self.serve_token_revocation(request, payload).await;
        }
        let route = self
            .routes
            .find(request.path())
            .ok_or_else(path_not_found)?;
        trace.route = route.template;
        trace.route_id = capture_ids(route.template, request.path()).map(|(id, _)| id);
        if request.method() == Method::OPTIONS {
            return Ok(route.options());
        }
        let served = route
            .endpoint(request.method())
            .ok_or_else(|| method_not_allowed(request.method(), &route.allowed()))?;
        trace.deprecated = served.endpoint.deprecated;
        let config = &self.services.config;
        trace.surface = served.endpoint.surface();
        if trace.surface == Surface::Session {
            origin_check::check_own_host(request, &config.public_base_url)?;
        }
        let arrived = RoutedRequest {
            request,
            payload,
            route,
            entry: served,
        };
        match served.endpoint.access {
            Access::Public(handler) => self.serve_public(&arrived, handler).await,
            Access::Report(handler) => {
                let body = self.read_browser_report(request, arrived.payload).await?;
                handler(&self.services, &body)
            }
            Access::Mail(handler) => self.serve_mail_program(arrived, handler).await,
            Access::Visitor(handler) => self.serve_visitor(arrived, handler).await,
            Access::Member(right, handler) => {
                let admitted = self.admit_member(&arrived, right, trace).await?;
                self.serve_member(arrived, admitted, handler).await
            }
            Access::Operator(handler) => {
                let admitted = self.admit_member(&arrived, Right::OwnLogin, trace).await?;
                self.check_operator(&admitted.member).await?;
                self.serve_member(arrived, admitted, handler).await
            }
            Access::Session(right, handler) => {
                let admitted = self.admit_member(&arrived, right, trace).await?;
                let caller = Caller::Member(Box::new(admitted.member));
                self.serve_authenticated(arrived, caller, handler, &trace.id)
                    .await
            }
            Access::Agent(scope, handler) => self.serve_agent(arrived, scope, handler, trace).await,
        }
    }

    async fn serve_public(
        &self,
        arrived: &RoutedRequest<'_>,
        handler: fn(Arc<Services>, PublicCall) -> HandlerFuture,
    ) -> Result<ApiResponse, Problem> {
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
        let wanted = preconditions::read(&arrived.entry.endpoint, arrived.request)?;
        wanted.apply_to_read(self.with_timeout(handling).await?)
    }

    async fn serve_agent(
        &self,
        arrived: RoutedRequest<'_>,
        scope: Scope,
        handler: AgentHandler,
        trace: &mut Trace,
    ) -> Result<ApiResponse, Problem> {
        let services = &self.services;
        let endpoint = &arrived.entry.endpoint;
        let applicant = AuthRequest::of(arrived.request, services, endpoint, scope)?;
        if endpoint.verb == Verb::Get {
            return self.read(&arrived, applicant, handler, trace).await;
        }
        let admitting = applicant.admit(services, &mut trace.caller);
        let (agent, _slot) = self.with_timeout(admitting).await?;
        let caller = Caller::Agent(Box::new(agent));
        self.serve_authenticated(arrived, caller, handler, &trace.id)
            .await
    }

    /// For an authenticated caller.
    async fn serve_authenticated(
        &self,
        routed: RoutedRequest<'_>,
        caller: Caller,
        handler: AgentHandler,
        request_id: &str,
    ) -> Result<ApiResponse, Problem> {
        let services = &self.services;
        let (request, verb) = (routed.request, routed.entry.endpoint.verb);
        let call = routed.call();
        let (body, wanted) = routed.read(services.config.body).await?;
        let call = Call {
            idempotent_request: idempotency::read_key(request, verb, &body, caller.id())?,
            if_match: wanted.if_match_for_change(),
            ..call(caller, body)
        };
        let answer = idempotency::call_handler(services, handler, call, request_id).await?;
        wanted.apply_to_read(answer)
    }

    /// A read has all its request data by now, so token lookup and queries run in one batch on a storage thread. Not
    /// for lists: rendering takes long and would hold the connection.
    async fn read(
        &self,
        routed: &RoutedRequest<'_>,
        auth_request: AuthRequest,
        handler: AgentHandler,
        trace: &mut Trace,
    ) -> Result<ApiResponse, Problem> {
        let services = Arc::clone(&self.services);
        let (request, entry) = (routed.request, routed.entry);
        let in_batch = auth_request.needs_token_lookup() && !entry.is_list();
        let wanted =
            accept::check(request).and_then(|()| preconditions::read(&entry.endpoint, request));
        let call = routed.call();
        let reading = async move {
            let mut caller_info = CallerInfo::default();
            let answer = async {
                let (agent, _slot) = auth_request.admit(&services, &mut caller_info).await?;
                let wanted = wanted?;
                let call = call(Caller::Agent(Box::new(agent)), Map::new());
                wanted.apply_to_read(handler(Arc::clone(&services), call).await?)
            };
            let answer = answer.await;
            (caller_info, answer)
        };
        // The storage thread does not know the request's span.
        let reading = reading.in_current_span();
        let outcome = if in_batch {
            self.with_timeout(read_in_batch(self.services.core.storage.as_ref(), reading))
                .await
        } else {
            self.with_timeout(async { Ok(reading.await) }).await
        };
        let (caller_info, answer) = outcome?;
        trace.caller = caller_info;
        answer
    }

    async fn serve_operational(
        &self,
        operational: Operational<'_>,
        method: &Method,
    ) -> Result<ApiResponse, Problem> {
        match *method {
            Method::GET | Method::HEAD => {
                self.with_timeout(operational.respond(&self.services)).await
            }
            Method::OPTIONS => Ok(routing::options(&operational::ALLOWED)),
            _ => Err(method_not_allowed(method, &operational::ALLOWED)),
        }
    }

    async fn serve_token_revocation(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
    ) -> Result<ApiResponse, Problem> {
        match *request.method() {
            Method::OPTIONS => {
                return Ok(routing::options(&token_revocations::ALLOWED)
                    .header("Accept-Post", Verb::Post.accepted_types().join(", ")));
            }
            Method::POST => {}
            _ => {
                return Err(method_not_allowed(
                    request.method(),
                    &token_revocations::ALLOWED,
                ));
            }
        }
        let _slot = admit::unknown(&self.services, admit::address(&self.services, request))?;
        accept::check(request)?;
        let limit = self.services.config.unknown_body;
        let body = body::read(Verb::Post, request, payload, limit).await?;
        self.with_timeout(token_revocations::revoke_reported(&self.services, &body))
            .await
    }

    pub(super) async fn with_timeout<T>(
        &self,
        handling: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        self.services.with_timeout(handling).await
    }
}

async fn read_in_batch<T: Send + 'static>(
    storage: &dyn Storage,
    reading: impl Future<Output = T> + Send + 'static,
) -> Result<T, Problem> {
    let (sender, receiver) = oneshot::channel();
    let reading = async move {
        // The receiver may have timed out.
        let _ = sender.send(reading.await);
    };
    let done = storage.read_batch(Box::pin(reading)).await;
    done.map_err(|error| refusals::storage_failure(&error))?;
    let lost = |_| Problem::new(Code::InternalError, "What was read got lost on the way.");
    receiver.await.map_err(lost)
}

fn path_not_found() -> Problem {
    let problem = Problem::new(Code::NotFound, "Nothing is served at this path.");
    problem
        .hint("GET /api/agent/v1/docs lists every path.")
        .next_action(Link::to(Operation::GetDocs), "The API's documentation")
}

fn method_not_allowed(method: &Method, allowed: &[&'static str]) -> Problem {
    let problem = Problem::new(
        Code::MethodNotAllowed,
        format!("{method} is not served at this path."),
    );
    let problem = problem
        .with("allow", allowed.to_vec())
        .hint(format!("Use one of {}.", allowed.join(", ")));
    problem.header("Allow", allowed.join(", "))
}
