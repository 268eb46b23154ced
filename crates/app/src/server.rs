use crate::process::Shutdown;
use crate::secrets::follow_rotations;
use crate::settings::{Limit, Settings};
use crate::sources::sources;
use crate::wiring::{AppContext, keyword_data, password_hasher};
use actix_web::dev::ServerHandle;
use anyhow::Context;
use domain::shared_key::KeyPurpose;
use domain::use_cases::Core;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::{net::TcpSocket, sync::Notify};
use tokio_util::sync::CancellationToken;
use web::http::cookies::CookieStyle;
use web::limits::{BodyLimit, Rate, RequestLimits, stored_responses};
use web::server::HttpServerSetup;
use web::services::{Ports, ServerFacts, Services, SessionConfig, SpeedLabel, WebConfig};
use worker::WorkerContext;

const MAX_FILES: u64 = 65_536;

pub async fn build_services(
    context: &AppContext,
    worker_context: &WorkerContext,
    wake: Arc<Notify>,
    stopping: &Shutdown,
) -> anyhow::Result<Services> {
    let config = WebConfig {
        public_base_url: context.settings.public_base_url(),
        cursor_key: context.core().shared_key(KeyPurpose::Cursors).await?,
        stop_key: context.core().shared_key(KeyPurpose::StopLinks).await?,
        search: worker_context.search.label(),
        speed: SpeedLabel::of(&worker_context.speed),
        body: BodyLimit {
            max_bytes: 256 * 1024,
            timeout: Duration::from_secs(10),
        },
        unknown_body: BodyLimit {
            max_bytes: 4 * 1024,
            timeout: Duration::from_secs(2),
        },
        handler_timeout: Duration::from_secs(25),
        limits: request_limits(&context.settings),
        sessions: SessionConfig {
            cookies: cookie_style(&context.settings),
            device_key: context.core().shared_key(KeyPurpose::Devices).await?,
        },
    };
    tokio::spawn(follow_rotations(
        context.core(),
        context.secrets.clone(),
        [
            config.cursor_key.clone(),
            config.sessions.device_key.clone(),
            config.stop_key.clone(),
        ]
        .into_iter()
        .chain(worker_context.mail.iter().map(|it| it.stop_key.clone()))
        .collect(),
        stopping.work.clone(),
    ));
    let hasher = password_hasher(context)?;
    // Statements of requests have shorter timeouts than those of jobs.
    let core = Core {
        storage: Arc::clone(&context.storage),
        ..Core::clone(&worker_context.core)
    };
    let ports = Ports {
        core: Arc::new(core),
        known_hasher: Arc::new(hasher.with_own_queue(MAX_DEVICE_HASHES, MAX_WAITING_DEVICE_HASHES)),
        hasher,
        console_exports: providers::search_console::exports(),
        keyword_data: keyword_data(&context.settings, &context.clock, &context.randomness),
        server: ServerFacts {
            database: context.database.product().await?,
            sources: sources(
                &context.settings,
                worker_context.search.as_ref(),
                &worker_context.speed,
            )
            .await
            .into(),
        },
    };
    Ok(Services::new(config, &ports, wake, stopping.work.clone()))
}

/// Concurrent password hashes for known devices, and how many more may wait.
const MAX_DEVICE_HASHES: usize = 2;
const MAX_WAITING_DEVICE_HASHES: usize = 16;

/// The connection and a duplicate that detects client disconnects.
const FILES_PER_CONNECTION: u64 = 2;
/// For the database, the log, and the worker.
const OTHER_FILES: u64 = 1_024;

fn request_limits(settings: &Settings) -> RequestLimits {
    let it = &settings.limits;
    let files = raise_file_limit().saturating_sub(OTHER_FILES) / FILES_PER_CONNECTION;
    let possible = u32::try_from(files).unwrap_or(u32::MAX).max(1);
    let rate = |per_minute: Limit, burst: Limit| Rate::of(per_minute.0, burst.0);
    RequestLimits {
        connections: it.connections.0.min(possible),
        connections_per_address: it.connections_per_address.0,
        reads: rate(it.reads_per_minute, it.reads_burst),
        writes: rate(it.writes_per_minute, it.writes_burst),
        analyses: rate(it.analyses_per_minute, it.analyses_burst),
        account: rate(it.account_per_minute, it.account_burst),
        anonymous: rate(it.anonymous_per_minute, it.anonymous_burst),
        failed_tokens: rate(it.failed_tokens_per_minute, it.failed_tokens_burst),
        sign_ins: rate(it.sign_ins_per_minute, it.sign_ins_burst),
        all_sign_ins: rate(it.all_sign_ins_per_minute, it.all_sign_ins_burst),
        stored_responses: stored_responses(it.kept_answer_mib.0),
        in_flight_per_token: it.in_flight_per_token.0,
        in_flight_per_account: it.in_flight_per_account.0,
        in_flight: it.in_flight.0,
        in_flight_unknown: it.in_flight_unknown.0,
        in_flight_per_address: it.in_flight_per_address.0,
        trusted_proxies: settings.trusted_proxies.iter().map(|it| it.0).collect(),
        ..RequestLimits::default()
    }
}

/// Cookies require HTTPS, unless the server is reached over HTTP on loopback or the operator allows plain cookies.
fn cookie_style(settings: &Settings) -> CookieStyle {
    let base = settings.public_base_url();
    let host = base.strip_prefix("http://");
    let is_loopback = host.is_some_and(|host| {
        let name = host.split('/').next().unwrap_or(host);
        let address = name.parse::<std::net::SocketAddr>().map(|it| it.ip());
        let address = address.or_else(|_| name.parse::<std::net::IpAddr>());
        address.is_ok_and(|it| it.is_loopback()) || name.split(':').next() == Some("localhost")
    });
    if host.is_some() && (is_loopback || settings.sessions.plain_cookies) {
        CookieStyle::Plain
    } else {
        CookieStyle::Secure
    }
}

/// The remedy if no browser on another machine can sign in: cookies need HTTPS, and no HTTPS address is set.
pub fn sign_in_remedy(settings: &Settings) -> Option<&'static str> {
    let is_plain = settings.public_base_url().starts_with("http://");
    let cannot = is_plain && cookie_style(settings) == CookieStyle::Secure;
    cannot.then_some(
        "Set public_base_url to the https URL of this server, or, on a trusted network only, sessions.plain_cookies to true.",
    )
}

pub const SET_BASE_URL: &str = "Set public_base_url to the URL of this server.";

/// The mistake of a trusted proxy without `public_base_url`.
pub fn proxy_without_base_url(settings: &Settings) -> Option<&'static str> {
    let is_unnamed = settings.public_base_url.is_none() && !settings.trusted_proxies.is_empty();
    is_unnamed.then_some(
        "trusted_proxies is set and public_base_url is not: session cookies lack the attribute Secure, and links use the address of the listener",
    )
}

/// Beyond this backlog the kernel drops connection attempts, which clients retry after a second.
const BACKLOG: u32 = 1_024;

pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}

/// Serves until the token is cancelled; requests in progress then have `drain` to finish.
pub async fn serve(
    listener: TcpListener,
    services: Services,
    stop: CancellationToken,
    drain: Duration,
) -> anyhow::Result<()> {
    let services = Arc::new(services);
    let connections = services.connections();
    let listening = HttpServerSetup {
        configure: Arc::new(move |config| web::serve(Arc::clone(&services))(config)),
        connections: Some(connections),
        threads: None,
        drain,
    };
    let server = listening
        .listen(listener)
        .context("cannot start the HTTP server")?;
    let handle = server.handle();
    let stopping = tokio::spawn(stop_on_cancel(stop, handle));
    let outcome = server.await.context("the HTTP server failed");
    stopping.abort();
    outcome
}

/// Raises the soft limit of open files as far as allowed; returns the new limit.
fn raise_file_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let max_files = limit.maximum.unwrap_or(MAX_FILES).min(MAX_FILES);
    if limit.current.is_some_and(|now| now < max_files) {
        let raised = Rlimit {
            current: Some(max_files),
            ..limit
        };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "Cannot raise the limit of open files; fewer connections are accepted.");
            return limit.current.unwrap_or(max_files);
        }
    }
    max_files
}

async fn stop_on_cancel(stop: CancellationToken, server: ServerHandle) {
    stop.cancelled().await;
    server.stop(true).await;
}
