//! Actix server of the Agent API, the session API, MCP and the pages.
//!
//! `endpoints.rs` and `session_endpoints.rs` hold the route table, `checks/` each request check, `pipeline/` their order,
//! `agent_api/` and `session_api/` one file per verb, `mcp/` the tools.
//! No SQL, other adapters, randomness or business rules.

pub mod agent_api;
pub mod caller;
pub mod checks;
pub mod connections;
pub mod contract;
mod csp_reports;
pub mod csrf;
pub mod endpoint;
pub mod endpoints;
pub mod http;
pub mod limits;
pub mod links;
pub mod mcp;
pub mod openapi;
mod operational;
pub mod pages;
pub mod paging;
pub mod paths;
pub mod pipeline;
pub mod problem;
mod protected_resource;
mod readiness;
mod refusals;
mod refused_authorizations;
pub mod request_metrics;
pub mod response;
pub mod route_table;
pub mod selection;
pub mod server;
pub mod services;
pub mod session_api;
mod session_auth;
pub mod session_endpoints;
pub mod sleeper;
mod supplier_refusals;
mod token_revocations;

#[cfg(not(feature = "schemas"))]
use no_schema::ToSchema;
#[cfg(feature = "schemas")]
use utoipa::ToSchema;

use actix_web::http::{ConnectionType, header};
use actix_web::{HttpRequest, web};
use endpoint::Endpoint;
use pages::Pages;
use pipeline::Pipeline;
use route_table::Row;
use services::Services;
use std::{rc::Rc, sync::Arc};

/// The pipeline handles every request, so that Actix's default responses are never sent.
pub fn serve(services: Arc<Services>) -> impl FnOnce(&mut web::ServiceConfig) {
    serve_endpoints(services, all_endpoints())
}

pub fn all_endpoints() -> Vec<Endpoint> {
    let mut all = endpoints::agent_api();
    all.extend(session_endpoints::session_api());
    all
}

/// The route table for modules below the handlers.
fn rows() -> Vec<Row> {
    let row = |it: Endpoint| Row {
        verb: it.verb,
        path: it.path,
        operation: it.operation,
        scope: it.access.scope(),
        tools: it.tools,
    };
    all_endpoints().into_iter().map(row).collect()
}

pub fn serve_endpoints(
    services: Arc<Services>,
    endpoints: Vec<Endpoint>,
) -> impl FnOnce(&mut web::ServiceConfig) {
    move |config| {
        let connections = services.connections();
        let pages = Rc::new(Pages::new(Arc::clone(&services)));
        let pipeline = Rc::new(Pipeline::new(services, endpoints));
        config.default_service(web::to(
            move |request: HttpRequest, payload: web::Payload| {
                let (pages, pipeline) = (Rc::clone(&pages), Rc::clone(&pipeline));
                let connections = Arc::clone(&connections);
                async move {
                    let _active = request_metrics::ActiveRequest::begin();
                    let mut response = match pages.serve(&request).await {
                        Some(page) => page,
                        None => pipeline.serve(request, payload).await,
                    };
                    // Actix drops the header and only uses the connection type.
                    let connection_header = response.headers().get(header::CONNECTION);
                    if connection_header.is_some_and(|it| it == "close") || connections.are_scarce()
                    {
                        response
                            .head_mut()
                            .set_connection_type(ConnectionType::Close);
                    }
                    response
                }
            },
        ));
    }
}

/// Digits without a leading zero, so that each resource has one URL.
fn parse_id(text: &str) -> Option<i64> {
    let is_plain = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    let found = text.parse().ok().filter(|_| is_plain);
    found.filter(|id| (1..=domain::ids::LARGEST_ID).contains(id))
}

/// An id that no row has.
const NONEXISTENT_ID: i64 = 0;

/// An invalid id becomes a nonexistent one: both take the same lookup time.
fn id_or_nonexistent(text: &str) -> i64 {
    parse_id(text).unwrap_or(NONEXISTENT_ID)
}

fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
