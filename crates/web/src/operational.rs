//! Routes outside the Agent API: whether the process lives, whether it serves, and what a
//! problem's type means.

use crate::{
    problem::{Code, Problem},
    services::Services,
};
use actix_web::{HttpResponse, http::header, web};
use serde_json::json;
use std::sync::Arc;

/// The process lives; asks nothing of anyone.
pub async fn livez() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

/// The server serves: its database answers and has the right schema.
pub async fn readyz(services: web::Data<Arc<Services>>) -> HttpResponse {
    match services.storage.ping().await {
        Ok(()) => HttpResponse::Ok().json(json!({ "status": "ok" })),
        Err(error) => {
            tracing::warn!(%error, "The server is not ready.");
            HttpResponse::ServiceUnavailable()
                .json(json!({ "status": "unavailable", "reason": "database" }))
        }
    }
}

/// Where everything is.
pub async fn root(services: web::Data<Arc<Services>>) -> HttpResponse {
    let base_url = &services.config.public_base_url;
    HttpResponse::Ok().json(json!({
        "service": "Sightline",
        "version": env!("CARGO_PKG_VERSION"),
        "api": format!("{base_url}/api/agent/v1"),
        "docs": format!("{base_url}/api/agent/v1/docs"),
        "guide": format!("{base_url}/api/agent/v1/docs?format=guide"),
    }))
}

/// What a problem's type means.
pub async fn problem(services: web::Data<Arc<Services>>, name: web::Path<String>) -> HttpResponse {
    let Some(code) = Code::named(&name) else {
        let document = Problem::new(Code::NotFound, "There is no such kind of problem.")
            .document(&services.config.public_base_url, "none");
        return HttpResponse::NotFound()
            .insert_header((header::CONTENT_TYPE, "application/problem+json"))
            .body(document.to_string());
    };
    HttpResponse::Ok().json(json!({ "code": code.name(), "status": code.status(), "title": code.title(), "retryable": code.is_retryable() }))
}
