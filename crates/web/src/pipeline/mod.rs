//! The fixed order in which every request is checked; each step has one status.
//!
//! URL (414), route (404), method (405), room in the process (503), token (401, or 429 when an
//! address sends too many that are not accepted), scope (403), rate and requests under way (429),
//! Accept (406), body type (415), body (413, 408, 400), idempotency key (400, 422, or the earlier
//! answer); then the handler: object (404), values (422), state (409), budget (429), queue (503).

mod accept;
mod admit;
mod authenticate;
mod body;
pub mod once;
mod preconditions;
mod respond;
mod routing;

use crate::{
    answer::Answer,
    endpoint::{Access, Call, Endpoint, PublicCall, Verb},
    operational::{self, Operational},
    problem::{Code, Problem},
    query::Query,
    services::Services,
    token_revocations,
};
use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use respond::{Exchange, Trace};
use routing::Routes;
use std::{rc::Rc, sync::Arc};

/// Longest URL that is read, in bytes.
const MOST_URI: usize = 8 * 1024;

/// Everything that serves requests.
pub struct Pipeline {
    services: Arc<Services>,
    routes: Routes,
}

impl Pipeline {
    /// Serves these endpoints.
    #[must_use]
    pub fn new(services: Arc<Services>, endpoints: Vec<Endpoint>) -> Self {
        Self {
            services,
            routes: Routes::of(endpoints),
        }
    }

    /// Answers one request; every refusal is a problem document.
    pub async fn serve(
        self: Rc<Self>,
        request: HttpRequest,
        payload: web::Payload,
    ) -> HttpResponse {
        let mut exchange = Exchange::begin(&request, &self.services);
        let outcome = self.answer(&request, payload, &mut exchange.trace).await;
        exchange.finish(outcome, request.method() == Method::HEAD)
    }

    async fn answer(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        trace: &mut Trace,
    ) -> Result<Answer, Problem> {
        if request.uri().to_string().len() > MOST_URI {
            return Err(
                Problem::new(Code::UriTooLong, "The URL is longer than 8 KiB.")
                    .with("limitBytes", MOST_URI)
                    .hint("Send shorter parameters."),
            );
        }
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
        let mut under_way = admit::begin(&self.services)?;
        match served.endpoint.access {
            Access::Public(handler) => {
                admit::anonymous(&self.services, request)?;
                accept::check(request)?;
                let query = Query::parse(request.query_string(), &served.parameters);
                let handling = handler(Arc::clone(&self.services), PublicCall { query });
                let wanted = preconditions::read(&served.endpoint, request)?;
                wanted.of_what_is_read(self.patiently(handling).await?)
            }
            Access::Agent(scope, handler) => {
                let agent = authenticate::agent(&self.services, request, scope);
                let refused = |problem| admit::refused(&self.services, request, problem);
                let agent = self.patiently(agent).await.map_err(refused)?;
                trace.account = Some(agent.account.id);
                let demand = served.endpoint.demand();
                admit::agent(&self.services, &agent, demand, &mut under_way, trace)?;
                accept::check(request)?;
                let verb = served.endpoint.verb;
                let body = body::read(verb, request, payload, &self.services.config).await?;
                let wanted = preconditions::read(&served.endpoint, request)?;
                let once = once::asked(request, verb, &body, agent.token.id)?;
                let (services, account) = (&self.services, agent.account.id);
                if let Some(once) = &once
                    && let Some(answer) = once::repeated(services, account, once).await?
                {
                    return Ok(answer);
                }
                let call = Call {
                    agent,
                    once: once.clone(),
                    if_match: wanted.before_a_change(),
                    id: route.id,
                    target: request.uri().to_string(),
                    path: request.path().to_owned(),
                    query_text: request.query_string().to_owned(),
                    query: Query::parse(request.query_string(), &served.parameters),
                    body,
                };
                let outcome = self.patiently(handler(Arc::clone(services), call)).await;
                match &once {
                    Some(once) => once::settle(services, account, once, outcome, trace).await,
                    None => wanted.of_what_is_read(outcome?),
                }
            }
        }
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
            Method::OPTIONS => return Ok(routing::options(&token_revocations::ALLOWED)),
            Method::POST => {}
            _ => return Err(not_allowed(request.method(), &token_revocations::ALLOWED)),
        }
        let _under_way = admit::begin(&self.services)?;
        admit::anonymous(&self.services, request)?;
        accept::check(request)?;
        let body = body::read(Verb::Post, request, payload, &self.services.config).await?;
        self.patiently(token_revocations::take(&self.services, &body))
            .await
    }

    async fn patiently<T>(
        &self,
        handling: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let patience = self.services.config.handler_patience;
        let slow = |_| {
            Problem::new(
                Code::Overloaded,
                "The request took too long and was given up.",
            )
            .retry_after(std::time::Duration::from_secs(5))
        };
        tokio::time::timeout(patience, handling)
            .await
            .map_err(slow)?
    }
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
    /// The verb of a method; HEAD reads like GET.
    #[must_use]
    pub fn of(method: &Method) -> Option<Self> {
        match *method {
            Method::GET | Method::HEAD => Some(Self::Get),
            Method::POST => Some(Self::Post),
            Method::PATCH => Some(Self::Patch),
            Method::DELETE => Some(Self::Delete),
            _ => None,
        }
    }
}
