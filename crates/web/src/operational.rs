//! Paths outside the Agent API: liveness, readiness, index and problem types.

use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use crate::{paths, protected_resource};
use serde_json::json;

pub const ALLOWED: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

const PROBLEMS: &str = "/problems/";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operational<'a> {
    Root,
    /// Minimal liveness for load balancers and monitoring.
    Healthz,
    Livez,
    Readyz,
    Problem(&'a str),
    /// Protected resource metadata (RFC 9728).
    Resource(&'static str),
}

impl<'a> Operational<'a> {
    pub fn at(path: &'a str) -> Option<Self> {
        match path {
            "/" => Some(Self::Root),
            "/healthz" => Some(Self::Healthz),
            "/livez" => Some(Self::Livez),
            "/readyz" => Some(Self::Readyz),
            _ => protected_resource::resource_path(path)
                .map(Self::Resource)
                .or_else(|| path.strip_prefix(PROBLEMS).map(Self::Problem)),
        }
    }

    pub const fn template(self) -> &'static str {
        match self {
            Self::Root => "/",
            Self::Healthz => "/healthz",
            Self::Livez => "/livez",
            Self::Readyz => "/readyz",
            Self::Problem(_) => "/problems/{code}",
            Self::Resource(_) => protected_resource::WELL_KNOWN,
        }
    }

    /// Needs no token.
    pub async fn respond(self, services: &Services) -> Result<ApiResponse, Problem> {
        let answer = match self {
            Self::Root => root(&services.config.public_base_url),
            Self::Healthz | Self::Livez => ApiResponse::value(&json!({ "status": "ok" })),
            Self::Readyz => readiness(services).await,
            Self::Problem(name) => explanation(name)?,
            Self::Resource(path) => {
                protected_resource::metadata(&services.config.public_base_url, path)
            }
        };
        Ok(ApiResponse {
            cache: "no-store",
            ..answer
        })
    }
}

fn root(base_url: &str) -> ApiResponse {
    ApiResponse::value(&json!({
        "service": "Sightline",
        "version": env!("CARGO_PKG_VERSION"),
        "api": format!("{base_url}/api/agent/v1"),
        "docs": format!("{base_url}/api/agent/v1/docs"),
        "mcp": format!("{base_url}{}", paths::MCP),
        "guide": format!("{base_url}/api/agent/v1/docs?format=guide"),
    }))
}

/// Not stopping, database reachable, schema current.
async fn readiness(services: &Services) -> ApiResponse {
    if services.stopping.is_cancelled() {
        let body = json!({ "status": "unavailable", "reason": "stopping" });
        return ApiResponse::with_status(503, &body);
    }
    if services
        .readiness
        .has_database(services.core.storage.as_ref())
        .await
    {
        return ApiResponse::value(&json!({ "status": "ok" }));
    }
    let body = json!({ "status": "unavailable", "reason": "database" });
    ApiResponse::with_status(503, &body)
}

fn explanation(name: &str) -> Result<ApiResponse, Problem> {
    let code = Code::named(name)
        .ok_or_else(|| Problem::new(Code::NotFound, "There is no such kind of problem."))?;
    Ok(ApiResponse::value(
        &json!({ "code": code.name(), "status": code.status(), "title": code.title(), "meaning": code.meaning(), "retryable": code.is_retryable() }),
    ))
}
