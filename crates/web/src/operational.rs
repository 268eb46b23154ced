//! Paths outside the Agent API: liveness, readiness, index and problem types.

use crate::answer::Answer;
use crate::problem::{Code, Problem};
use crate::services::Services;
use crate::{paths, resource};
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
            _ => resource::named(path)
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
            Self::Resource(_) => resource::WELL_KNOWN,
        }
    }

    /// Needs no token.
    pub async fn answer(self, services: &Services) -> Result<Answer, Problem> {
        let answer = match self {
            Self::Root => root(&services.config.public_base_url),
            Self::Healthz | Self::Livez => Answer::value(&json!({ "status": "ok" })),
            Self::Readyz => readiness(services).await,
            Self::Problem(name) => explanation(name)?,
            Self::Resource(path) => resource::metadata(&services.config.public_base_url, path),
        };
        Ok(Answer {
            cache: "no-store",
            ..answer
        })
    }
}

fn root(base_url: &str) -> Answer {
    Answer::value(&json!({
        "service": "Sightline",
        "version": env!("CARGO_PKG_VERSION"),
        "api": format!("{base_url}/api/agent/v1"),
        "docs": format!("{base_url}/api/agent/v1/docs"),
        "mcp": format!("{base_url}{}", paths::MCP),
        "guide": format!("{base_url}/api/agent/v1/docs?format=guide"),
    }))
}

/// Not stopping, database reachable, schema current.
async fn readiness(services: &Services) -> Answer {
    if services.stopping.is_cancelled() {
        let body = json!({ "status": "unavailable", "reason": "stopping" });
        return Answer::with_status(503, &body);
    }
    if services
        .readiness
        .has_database(services.core.storage.as_ref())
        .await
    {
        return Answer::value(&json!({ "status": "ok" }));
    }
    let body = json!({ "status": "unavailable", "reason": "database" });
    Answer::with_status(503, &body)
}

fn explanation(name: &str) -> Result<Answer, Problem> {
    let code = Code::named(name)
        .ok_or_else(|| Problem::new(Code::NotFound, "There is no such kind of problem."))?;
    Ok(Answer::value(
        &json!({ "code": code.name(), "status": code.status(), "title": code.title(), "meaning": code.meaning(), "retryable": code.is_retryable() }),
    ))
}
