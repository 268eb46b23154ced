//! The admin listener for operators and monitoring, separate from the public one. It is read-only.

mod catalogue;
mod gauges;
mod probes;
mod recorder;

use crate::settings::{AdminAddress, Loaded};
use crate::wiring::Foundation;
use actix_web::http::uri::Authority;
use actix_web::http::{Method, StatusCode, header};
use actix_web::web::{ServiceConfig, to};
use actix_web::{HttpRequest, HttpResponse};
use anyhow::Context;
use gauges::Gauges;
use probes::Probes;
use recorder::Recorder;
use serde_json::{Map, Value, json};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use web::checks::place::is_safe as is_safe_host;
use web::links::Surface;
use web::problem::{Code, Problem};
use web::server::Served;

const JSON: &str = "application/json";
const PROBLEM: &str = "application/problem+json";
const ALLOWED: &str = "GET, HEAD";

pub struct Admin {
    looks: Arc<Looks>,
    address: SocketAddr,
}

struct Looks {
    probes: Probes,
    gauges: Gauges,
    recorder: Recorder,
    /// Every setting as it is displayed, without secrets.
    config: Value,
    base_url: String,
}

struct Told {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Admin {
    /// Listens before the database is opened, so that a start can be watched. `None` if off or if the default port is
    /// taken.
    pub fn begin(loaded: &Loaded, stopping: CancellationToken) -> anyhow::Result<Option<Self>> {
        let Some(listener) = listen(loaded.settings.admin.listen)? else {
            return Ok(None);
        };
        let address = listener.local_addr()?;
        let looks = Arc::new(Looks {
            probes: Probes::new(stopping),
            gauges: Gauges::default(),
            recorder: Recorder::begin()?,
            config: config(loaded),
            base_url: loaded.settings.public_base_url(),
        });
        serve(listener, Arc::clone(&looks))?;
        Ok(Some(Self { looks, address }))
    }

    pub fn words(&self) -> String {
        format!("http://{} ({})", self.address, PATHS.join(", "))
    }

    /// From now on the process is ready while its database is.
    pub fn started(&self, foundation: &Foundation) {
        let looks = &self.looks;
        looks.probes.started(foundation.database.clone());
        looks.gauges.started(foundation);
    }
}

/// A second process on the machine continues without an admin listener if only the default port is taken.
fn listen(at: AdminAddress) -> anyhow::Result<Option<TcpListener>> {
    let (address, was_asked_for) = match at {
        AdminAddress::Off => return Ok(None),
        AdminAddress::Usual => (AdminAddress::USUAL, false),
        AdminAddress::At(address) => (address, true),
    };
    match TcpListener::bind(address) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if !was_asked_for && error.kind() == ErrorKind::AddrInUse => {
            tracing::warn!(
                %address,
                "Another program listens where probes and metrics usually are: this process has none. Set admin.listen to another address, or to off."
            );
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| {
            format!("cannot listen on {address} for probes and metrics; set admin.listen to another address, or to off")
        }),
    }
}

fn serve(listener: TcpListener, looks: Arc<Looks>) -> anyhow::Result<()> {
    let configure = move |config: &mut ServiceConfig| {
        let looks = Arc::clone(&looks);
        config.default_service(to(move |request: HttpRequest| {
            let looks = Arc::clone(&looks);
            async move { looks.answer(&request).await }
        }));
    };
    let listening = Served {
        configure: Arc::new(configure),
        connections: None,
        threads: Some(NonZeroUsize::MIN),
        drain: Duration::ZERO,
    };
    let server = listening
        .on(listener)
        .context("cannot serve probes and metrics")?;
    // It serves until the process ends, so that shutdown can be observed.
    tokio::spawn(server);
    Ok(())
}

impl Looks {
    async fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let told = match (request.path(), request.method()) {
            ("/livez" | "/readyz" | "/startupz" | "/metrics" | "/debug/config", method)
                if !matches!(*method, Method::GET | Method::HEAD) =>
            {
                let told = self.problem(&Problem::new(
                    Code::MethodNotAllowed,
                    "Only GET and HEAD are served here.",
                ));
                return told.send(&[("allow", ALLOWED)]);
            }
            ("/livez", _) => self.probes.lives().await.into(),
            ("/readyz", _) => self.probes.is_ready().await.into(),
            ("/startupz", _) => self.probes.has_begun().into(),
            ("/metrics", _) => {
                self.gauges.read().await;
                Told {
                    status: 200,
                    kind: recorder::TEXT,
                    body: self.recorder.text(),
                }
            }
            ("/debug/config", _) if !is_by_a_safe_name(request) => self.problem(
                &Problem::new(Code::OriginNotAllowed, "Settings are not shown to pages that reach this listener by a name of their own.")
                    .hint("Ask by an address, by localhost, or by a name without a dot."),
            ),
            ("/debug/config", _) => Told::json(200, &self.config),
            _ => self.problem(
                &Problem::new(Code::NotFound, "Nothing is served at this path.")
                    .with("paths", json!(PATHS)),
            ),
        };
        told.send(&[])
    }

    fn problem(&self, problem: &Problem) -> Told {
        // These responses are not correlated with requests of callers, so they need no request id.
        let body = problem.document(Surface::Agent, &self.base_url, "admin-listener");
        Told {
            kind: PROBLEM,
            ..Told::json(problem.code.status(), &body)
        }
    }
}

/// Guards against DNS rebinding: a web page can set any header but `Host`.
fn is_by_a_safe_name(request: &HttpRequest) -> bool {
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|it| it.to_str().ok()?.parse::<Authority>().ok());
    host.is_some_and(|it| is_safe_host(it.host()))
}

const PATHS: [&str; 5] = [
    "/livez",
    "/readyz",
    "/startupz",
    "/metrics",
    "/debug/config",
];

impl Told {
    fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            kind: JSON,
            body: body.to_string(),
        }
    }

    /// Actix omits the body of responses to HEAD.
    fn send(self, more: &[(&'static str, &'static str)]) -> HttpResponse {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = HttpResponse::build(status);
        response.insert_header((header::CONTENT_TYPE, self.kind));
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        response.insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
        for header in more {
            response.insert_header(*header);
        }
        response.body(self.body)
    }
}

impl From<Vec<probes::Reason>> for Told {
    /// Without reasons the probe succeeds.
    fn from(reasons: Vec<probes::Reason>) -> Self {
        if reasons.is_empty() {
            return Self::json(200, &json!({ "status": "ok" }));
        }
        let reasons: Vec<Value> = { reasons.iter() }
            .map(|it| json!({ "reason": it.name, "detail": it.detail }))
            .collect();
        Self::json(503, &json!({ "status": "unavailable", "reasons": reasons }))
    }
}

fn config(loaded: &Loaded) -> Value {
    let rows = loaded.rows().into_iter();
    let settings: Map<String, Value> = rows
        .map(|(key, value, from)| (key, json!({ "value": value, "from": from })))
        .collect();
    json!({ "version": env!("CARGO_PKG_VERSION"), "settings": settings })
}
