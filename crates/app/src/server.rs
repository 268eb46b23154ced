//! The HTTP server: what it stands on, and how it begins and ends.

use crate::{
    process::Stopping,
    settings::Settings,
    wiring::{Foundation, hasher, keyword_data, prices},
    worker::Tools,
};
use actix_web::{App, HttpServer, dev::ServerHandle};
use anyhow::Context;
use domain::{
    device::DeviceKey,
    ports::storage::{Storage, StorageError, retrying},
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{net::TcpListener, sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use web::{
    cookies::CookieStyle,
    hang_up::Peer,
    limits::{Rate, RequestLimits},
    paging::CursorKey,
    services::{Ports, Services, SessionConfig, SpeedLabel, WebConfig},
};

/// Open files that are asked for at the most.
const MOST_FILES: u64 = 65_536;

/// Everything that handlers work with.
pub async fn services(
    foundation: &Foundation,
    tools: &Tools,
    wake: Arc<Notify>,
    stopping: &Stopping,
) -> anyhow::Result<Services> {
    let config = WebConfig {
        public_base_url: foundation.settings.public_base_url(),
        cursor_key: CursorKey(shared(foundation, "cursor-key").await?),
        policy: tools.policy,
        prices: prices(&foundation.settings, tools.search.as_ref(), &tools.load),
        engines: tools.engines.clone(),
        search: tools.search.label(),
        speed: SpeedLabel::of(&tools.speed),
        most_body: 256 * 1024,
        body_patience: Duration::from_secs(10),
        handler_patience: Duration::from_secs(25),
        limits: limits(&foundation.settings),
        sessions: SessionConfig {
            cookies: cookies(&foundation.settings),
            device_key: DeviceKey(shared(foundation, "device-key").await?),
        },
        tokens: foundation.settings.tokens.policy(),
    };
    let ports = Ports {
        storage: Arc::clone(&foundation.storage),
        clock: Arc::clone(&foundation.clock),
        randomness: Arc::clone(&foundation.randomness),
        mint: Arc::clone(&foundation.mint),
        hasher: hasher(foundation)?,
        console_exports: providers::search_console::exports(),
        keyword_data: keyword_data(
            &foundation.settings,
            &foundation.clock,
            &foundation.randomness,
        ),
    };
    Ok(Services::new(config, &ports, wake, stopping.work.clone()))
}

fn limits(settings: &Settings) -> RequestLimits {
    let it = &settings.limits;
    RequestLimits {
        reads: Rate::of(it.reads_per_minute, it.reads_burst),
        writes: Rate::of(it.writes_per_minute, it.writes_burst),
        analyses: Rate::of(it.analyses_per_minute, it.analyses_burst),
        account: Rate::of(it.account_per_minute, it.account_burst),
        anonymous: Rate::of(it.anonymous_per_minute, it.anonymous_burst),
        failed_tokens: Rate::of(it.failed_tokens_per_minute, it.failed_tokens_burst),
        sign_ins: Rate::of(it.sign_ins_per_minute, it.sign_ins_burst),
        all_sign_ins: Rate::of(it.all_sign_ins_per_minute, it.all_sign_ins_burst),
        in_flight_per_token: it.in_flight_per_token,
        in_flight_per_account: it.in_flight_per_account,
        in_flight: it.in_flight,
        trusted_proxies: settings.trusted_proxies.iter().map(|it| it.0).collect(),
    }
}

/// Cookies go over https alone, unless the server is reached over plain http on this very machine
/// or the operator allows it: over plain http others can read along.
fn cookies(settings: &Settings) -> CookieStyle {
    let base = settings.public_base_url();
    let host = base.strip_prefix("http://");
    let is_here = host.is_some_and(|host| {
        let name = host.split('/').next().unwrap_or(host);
        let address = name.parse::<std::net::SocketAddr>().map(|it| it.ip());
        let address = address.or_else(|_| name.parse::<std::net::IpAddr>());
        address.is_ok_and(|it| it.is_loopback()) || name.split(':').next() == Some("localhost")
    });
    if host.is_some() && (is_here || settings.sessions.plain_cookies) {
        CookieStyle::Plain
    } else {
        CookieStyle::Secure
    }
}

/// What the operator does about it where no browser but those of this machine can sign in: cookies go over https
/// alone, and nobody said where https is.
pub fn nobody_can_sign_in(settings: &Settings) -> Option<&'static str> {
    let is_plain = settings.public_base_url().starts_with("http://");
    let cannot = is_plain && cookies(settings) == CookieStyle::Secure;
    cannot.then_some(
        "Set public_base_url to the https address that people use, or sessions.plain_cookies to true where nobody can read along.",
    )
}

/// A secret that every server on this database has the same; whoever is first decides it.
async fn shared(foundation: &Foundation, name: &str) -> Result<[u8; 32], StorageError> {
    let mut fresh = [0; 32];
    foundation.randomness.fill(&mut fresh);
    retrying(foundation.storage.as_ref(), || {
        shared_secret(foundation.storage.as_ref(), name, fresh)
    })
    .await
}

async fn shared_secret(
    storage: &dyn Storage,
    name: &str,
    fresh: [u8; 32],
) -> Result<[u8; 32], StorageError> {
    let mut work = storage.write().await?;
    let key = work.secrets().find_or_add(name, fresh).await?;
    work.commit().await?;
    Ok(key)
}

/// Serves on the listener until the token is cancelled; requests under way have so long to finish then.
pub async fn serve(
    listener: TcpListener,
    services: Services,
    stop: CancellationToken,
    drain: Duration,
) -> anyhow::Result<()> {
    let services = Arc::new(services);
    make_room();
    let server = HttpServer::new(move || App::new().configure(web::serve(Arc::clone(&services))))
        .on_connect(|connection, known| {
            if let Some(peer) = Peer::of(connection) {
                known.insert(peer);
            }
        })
        .disable_signals()
        .keep_alive(Duration::from_secs(75))
        .client_request_timeout(Duration::from_secs(5))
        .shutdown_timeout(drain.as_secs())
        .listen(listener)
        .context("cannot serve")?
        .run();
    let handle = server.handle();
    let stopping = tokio::spawn(stop_when(stop, handle));
    let outcome = server.await.context("the server failed");
    stopping.abort();
    outcome
}

/// Lets the process have as many connections open as it may ask for: each is two files here, since one looks
/// whether its caller is still there, and the limit that shells give is low.
fn make_room() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(MOST_FILES).min(MOST_FILES);
    if limit.current.is_some_and(|now| now < most) {
        let raised = Rlimit {
            current: Some(most),
            ..limit
        };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "The limit of open files stays as it was.");
        }
    }
}

async fn stop_when(stop: CancellationToken, server: ServerHandle) {
    stop.cancelled().await;
    server.stop(true).await;
}
