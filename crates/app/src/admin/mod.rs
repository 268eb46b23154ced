//! The admin listener for operators and monitoring, separate from the public one. It is read-only.

mod catalogue;
mod gauges;
mod probes;
mod recorder;

use crate::settings::{AdminAddress, Loaded};
use crate::wiring::AppContext;
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
use web::checks::origin_check::is_rebinding_safe as is_safe_host;
use web::links::Surface;
use web::problem::{Code, Problem};
use web::server::HttpServerSetup;

const JSON: &str = "application/json";
const PROBLEM: &str = "application/problem+json";
const ALLOWED_METHODS: &str = "GET, HEAD";

pub struct Admin {
    service: Arc<AdminService>,
    address: SocketAddr,
}

struct AdminService {
    probes: Probes,
    gauges: Gauges,
    recorder: Recorder,
    /// The displayed settings, without secrets.
    config: Value,
    base_url: String,
}

struct AdminResponse {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Admin {
    /// Listens before the database is opened, so that a start can be watched. `None` if off or if the default port is
    /// taken.
    pub fn start(loaded: &Loaded, stopping: CancellationToken) -> anyhow::Result<Option<Self>> {
        let Some(listener) = listen(loaded.settings.admin.listen)? else {
            return Ok(None);
        };
        let address = listener.local_addr()?;
        let service = Arc::new(AdminService {
            probes: Probes::new(stopping),
            gauges: Gauges::default(),
            recorder: Recorder::install()?,
            config: config(loaded),
            base_url: loaded.settings.public_base_url(),
        });
        serve(listener, Arc::clone(&service))?;
        Ok(Some(Self { service, address }))
    }

    pub fn description(&self) -> String {
        format!("http://{} ({})", self.address, PATHS.join(", "))
    }

    /// From now on the process is ready while its database is.
    pub fn mark_started(&self, context: &AppContext) {
        let service = &self.service;
        service.probes.mark_started(context.database.clone());
        service.gauges.set_sources(context);
    }
}

/// A second process on the machine continues without an admin listener if only the default port is taken.
fn listen(at: AdminAddress) -> anyhow::Result<Option<TcpListener>> {
    let (address, is_explicit) = match at {
        AdminAddress::Off => return Ok(None),
        AdminAddress::Default => (AdminAddress::DEFAULT_ADDRESS, false),
        AdminAddress::At(address) => (address, true),
    };
    match TcpListener::bind(address) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if !is_explicit && error.kind() == ErrorKind::AddrInUse => {
            tracing::warn!(
                %address,
                "The default address of the admin listener is in use: this process serves no probes and metrics. Set admin.listen to another address, or to off."
            );
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| {
            format!("cannot listen on {address} for probes and metrics: set admin.listen to another address, or to off")
        }),
    }
}

fn serve(listener: TcpListener, service: Arc<AdminService>) -> anyhow::Result<()> {
    let configure = move |config: &mut ServiceConfig| {
        let service = Arc::clone(&service);
        config.default_service(to(move |request: HttpRequest| {
            let service = Arc::clone(&service);
            async move { service.handle(&request).await }
        }));
    };
    let listening = HttpServerSetup {
        configure: Arc::new(configure),
        connections: None,
        threads: Some(NonZeroUsize::MIN),
        drain: Duration::ZERO,
    };
    let server = listening
        .listen(listener)
        .context("cannot start the server of probes and metrics")?;
    // It serves until the process ends, so that shutdown can be observed.
    tokio::spawn(server);
    Ok(())
}

impl AdminService {
    async fn handle(&self, request: &HttpRequest) -> HttpResponse {
        let response = match (request.path(), request.method()) {
            ("/livez" | "/readyz" | "/startupz" | "/metrics" | "/debug/config", method)
                if !matches!(*method, Method::GET | Method::HEAD) =>
            {
                let response = self.problem(&Problem::new(
                    Code::MethodNotAllowed,
                    "Only GET and HEAD are served here.",
                ));
                return response.into_response(&[("allow", ALLOWED_METHODS)]);
            }
            ("/livez", _) => self.probes.check_liveness().await.into(),
            ("/readyz", _) => self.probes.check_readiness().await.into(),
            ("/startupz", _) => self.probes.check_startup().into(),
            ("/metrics", _) => {
                self.gauges.refresh().await;
                AdminResponse {
                    status: 200,
                    kind: recorder::CONTENT_TYPE,
                    body: self.recorder.render(),
                }
            }
            ("/debug/config", _) if !has_safe_host(request) => self.problem(
                &Problem::new(
                    Code::OriginNotAllowed,
                    "Settings are not shown to requests with a foreign host name.",
                )
                .hint("Use an address, localhost, or a name without a dot."),
            ),
            ("/debug/config", _) => AdminResponse::json(200, &self.config),
            _ => self.problem(
                &Problem::new(Code::NotFound, "Nothing is served at this path.")
                    .with("paths", json!(PATHS)),
            ),
        };
        response.into_response(&[])
    }

    fn problem(&self, problem: &Problem) -> AdminResponse {
        // These responses are not correlated with requests of callers, so they need no request id.
        let body = problem.document(Surface::Agent, &self.base_url, "admin-listener");
        AdminResponse {
            kind: PROBLEM,
            ..AdminResponse::json(problem.code.status(), &body)
        }
    }
}

/// Guards against DNS rebinding: a web page can set any header but `Host`.
fn has_safe_host(request: &HttpRequest) -> bool {
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

impl AdminResponse {
    fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            kind: JSON,
            body: body.to_string(),
        }
    }

    /// Actix omits the body of responses to HEAD.
    fn into_response(self, headers: &[(&'static str, &'static str)]) -> HttpResponse {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = HttpResponse::build(status);
        response.insert_header((header::CONTENT_TYPE, self.kind));
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        response.insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
        for header in headers {
            response.insert_header(*header);
        }
        response.body(self.body)
    }
}

impl From<Vec<probes::Reason>> for AdminResponse {
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
        .map(|it| (it.key, json!({ "value": it.value, "from": it.from })))
        .collect();
    json!({ "version": env!("CARGO_PKG_VERSION"), "settings": settings })
}
